"""What is said of a process that cannot be copied."""

from __future__ import annotations

import mmap
import os

import pytest

from octavo_runtime import pools, sharing, unforkable


@pytest.mark.parametrize("device", ["/dev/nvidia0", "/dev/dri/renderD128", "/dev/kfd"])
def test_a_gpu_in_use_is_named(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "readlink", lambda path: device)
    assert unforkable._opened([]) == ("gpu", f"a GPU is in use: {device} is open")


@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("/env/scikit_learn.libs/libgomp-e985bcbb.so.1.0.0", "OpenMP"),
        ("/env/_polars_runtime_32/_polars_runtime.abi3.so", "Polars"),
        ("/env/numba/np/ufunc/workqueue.cpython-311-x86_64-linux-gnu.so", "numba"),
        ("/env/torch/lib/libtorch_cpu.so", "torch"),
        ("/opt/other/libworkers.so.3", "libworkers.so.3"),
    ],
)
def test_a_pool_that_a_fork_would_break_is_named(library: str, name: str) -> None:
    assert not pools.SOUND.search(library)
    assert pools._called(library).startswith(name)


@pytest.mark.parametrize(
    "library",
    [
        "/env/numpy.libs/libscipy_openblas64_-8fb3d286.so",
        "/env/pyarrow/libarrow.so.2200",
        "/env/_duckdb.cpython-311-x86_64-linux-gnu.so",
    ],
)
def test_pools_that_outlive_a_fork_pass(library: str) -> None:
    assert pools.SOUND.search(library)


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("10.0.0.7", True),
        ("10.0.0.7:5432", True),
        ("*:5432", True),
        (":5432", True),
        ("10.*", True),
        ("10.0.0.8", False),
        ("*:80", False),
    ],
)
def test_a_policy_names_hosts_and_ports(pattern: str, named: bool) -> None:
    assert unforkable._is_named("10.0.0.7:5432", [pattern]) is named


def test_shared_memory_is_found_and_read() -> None:
    with mmap.mmap(-1, 3 * mmap.PAGESIZE) as memory:
        memory[:5] = b"hello"
        found = [each for each in sharing.shared() if sharing.read(each[0], 5) == b"hello"]
        assert [high - low for low, high in found] == [3 * mmap.PAGESIZE]


def test_memory_that_cannot_be_read_is_no_crash() -> None:
    assert sharing.read(0, 4096) == b""
