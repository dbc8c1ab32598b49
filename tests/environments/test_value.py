from __future__ import annotations

import copy
import pickle

import pytest

from octavo.environments.launch import Environment, Launch, Limits

ENVIRONMENT = Environment("/bin/python", "because")


def test_values_compare_by_their_fields() -> None:
    assert Environment(python="/bin/python", why="because") == ENVIRONMENT
    assert hash(Environment("/bin/python", "because")) == hash(ENVIRONMENT)
    assert ENVIRONMENT.replace(why="else") != ENVIRONMENT
    assert ENVIRONMENT != "/bin/python"


def test_values_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        ENVIRONMENT.python = "other"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del ENVIRONMENT.python  # type: ignore[misc]


def test_a_copy_may_differ_in_some_fields() -> None:
    launch = Launch(ENVIRONMENT, "/tmp", preload=("numpy",))
    changed = launch.replace(limits=Limits(memory=1))
    assert (changed.limits.memory, changed.preload, launch.limits.memory) == (1, ("numpy",), None)


@pytest.mark.parametrize(
    ("args", "named"),
    [(("a",), {}), (("a", "b"), {"python": "c"}), (("a", "b"), {"x": 1}), (tuple("abcdefgh"), {})],
)
def test_wrong_fields_are_refused(args: tuple[str, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="Environment"):
        Environment(*args, **named)  # type: ignore[arg-type]


def test_values_can_be_copied_pickled_and_read() -> None:
    assert pickle.loads(pickle.dumps(ENVIRONMENT)) == ENVIRONMENT
    assert copy.deepcopy(ENVIRONMENT) == ENVIRONMENT
    assert "why='because'" in repr(ENVIRONMENT)
