"""Branches on the forge that are no longer needed."""

from __future__ import annotations

from octavo.forges.conformance.bench import Bench, head, proposed, push, refused
from octavo.forges.conformance.check import Room

room = Room("branches")


@room.check()
def a_branch_is_deleted_once_and_gone_twice(bench: Bench) -> None:
    push(bench, "agent/gone", {"a.txt": "a\n"})
    bench.forge.delete_branch("agent/gone")
    assert head(bench, "agent/gone") is None
    bench.forge.delete_branch("agent/gone")
    bench.forge.delete_branch("agent/was-never-there")


@room.check()
def other_branches_stay(bench: Bench) -> None:
    push(bench, "agent/gone", {"a.txt": "a\n"})
    commit = push(bench, "agent/gone-not", {"b.txt": "b\n"})
    bench.forge.delete_branch("agent/gone")
    assert head(bench, "agent/gone-not") == commit


@room.check()
def the_default_branch_is_not_deleted(bench: Bench) -> None:
    before = head(bench, bench.base)
    refused("forge-refused", lambda: bench.forge.delete_branch(bench.base))
    assert head(bench, bench.base) == before


@room.check()
def after_a_merge_the_branch_can_go(bench: Bench) -> None:
    opened = proposed(bench)
    commit = bench.forge.merge(opened.number, "merge", opened.head)
    bench.forge.delete_branch(opened.branch)
    assert head(bench, opened.branch) is None
    assert head(bench, bench.base) == commit
    assert bench.forge.proposal(opened.number).branch == opened.branch


@room.check()
def a_branch_with_the_name_of_a_merged_one_is_proposed_anew(bench: Bench) -> None:
    first = proposed(bench, "agent/name")
    bench.forge.merge(first.number, "merge", first.head)
    bench.forge.delete_branch("agent/name")
    push(bench, "agent/name", {"second.txt": "second\n"})
    second = proposed(bench, "agent/name")
    assert second.number != first.number
    assert second.state == "open"
