"""`proposal.json`: the facts of a proposal, each with the time at which it was set.

Two copies that went apart are joined fact by fact: the later one stands. A merge has happened and
is not taken back by anything later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from octavo.forges.local.stored import (
    Person,
    Unreadable,
    decoded,
    decoded_person,
    encoded,
    is_branch,
    is_commit,
    is_person,
    is_stamp,
    is_text,
)
from octavo.value import Value

Fact = tuple[Any, str]
_STATES = ("open", "closed", "merged")
_MOST_FACTS = 100


def _is_commit_or_empty(value: object) -> bool:
    return value == "" or is_commit(value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


#: The facts that every proposal has. `body` is the blob of `body.md`, `merged` the commit that the
#: base was at after the merge.
_FACTS: Mapping[str, Callable[[object], bool]] = {
    "title": is_text,
    "body": is_commit,
    "draft": _is_flag,
    "state": lambda value: value in _STATES,
    "head": is_commit,
    "merged": _is_commit_or_empty,
    "updated": is_stamp,
}


class Document(Value):
    """One proposal. `uid` is the same wherever it is, whatever its number."""

    uid: str
    author: Person
    created: str
    branch: str
    base: str
    facts: Mapping[str, Fact]

    def __getitem__(self, name: str) -> Any:
        return self.facts[name][0]

    def setting(self, at: str, **values: Any) -> Document:
        """The proposal with some facts changed at a time; those that are as they were stay."""
        changed = {
            name: (value, at)
            for name, value in values.items()
            if name not in self.facts or self[name] != value
        }
        if not changed:
            return self
        return self.replace(facts={**self.facts, **changed, "updated": (at, at)})

    def joined(self, other: Document) -> Document:
        """This proposal with what is later in another copy of it."""
        facts = dict(other.facts)
        for name, fact in self.facts.items():
            theirs = facts.get(name, fact)
            facts[name] = fact if _rank(name, fact) >= _rank(name, theirs) else theirs
        return self.replace(facts=facts)

    def content(self) -> bytes:
        """The file."""
        return encoded(
            {
                "uid": self.uid,
                "author": self.author.to_dict(),
                "created": self.created,
                "branch": self.branch,
                "base": self.base,
                "facts": {name: list(fact) for name, fact in self.facts.items()},
            }
        )


def _rank(name: str, fact: Fact) -> tuple[bool, str, str]:
    value, at = fact
    final = name == "state" and value == "merged"
    return (final, at, json.dumps(value, sort_keys=True))


def read_document(content: bytes) -> Document:
    """The proposal in a file; Unreadable when it is not one."""
    fields = decoded(
        content,
        uid=is_text,
        author=is_person,
        created=is_stamp,
        branch=lambda value: isinstance(value, str) and is_branch(value),
        base=lambda value: isinstance(value, str) and is_branch(value),
        facts=lambda value: isinstance(value, dict) and len(value) <= _MOST_FACTS,
    )
    return Document(
        uid=fields["uid"],
        author=decoded_person(fields["author"]),
        created=fields["created"],
        branch=fields["branch"],
        base=fields["base"],
        facts=_facts(fields["facts"]),
    )


def _facts(found: Mapping[str, object]) -> dict[str, Fact]:
    facts = {name: _fact(name, fact) for name, fact in found.items()}
    for name, check in _FACTS.items():
        if name not in facts or not check(facts[name][0]):
            raise Unreadable(f"its {name} is wrong")
    return facts


def _fact(name: str, fact: object) -> Fact:
    if not isinstance(fact, list) or len(fact) != 2 or not is_stamp(fact[1]):
        raise Unreadable(f"its {name} is wrong")
    return (fact[0], fact[1])
