"""Figures that a body can show."""

from __future__ import annotations

from octavo.forges.conformance.bench import Bench, proposed
from octavo.forges.conformance.check import Room

room = Room("attachments")

#: The smallest picture that is one: forges look at what they are given.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f64540"
    "0000000049454e44ae426082"
)


@room.check()
def an_attachment_is_at_its_address(bench: Bench) -> None:
    number = proposed(bench).number
    address = bench.forge.attach(number, "figure.png", PNG, "image/png")
    assert bench.fetch(address) == PNG


@room.check()
def the_same_attachment_is_put_there_once(bench: Bench) -> None:
    number = proposed(bench).number
    first = bench.forge.attach(number, "figure.png", PNG, "image/png")
    written = bench.written()
    assert bench.forge.attach(number, "figure.png", PNG, "image/png") == first
    assert bench.written() == written


@room.check()
def another_content_or_name_is_another_attachment(bench: Bench) -> None:
    number = proposed(bench).number
    other = PNG + b"\0"
    addresses = [
        bench.forge.attach(number, "figure.png", PNG, "image/png"),
        bench.forge.attach(number, "figure.png", other, "image/png"),
        bench.forge.attach(number, "second.png", PNG, "image/png"),
    ]
    assert len(set(addresses)) == 3
    assert [bench.fetch(each) for each in addresses] == [PNG, other, PNG]


@room.check()
def names_of_attachments_may_be_odd(bench: Bench) -> None:
    number = proposed(bench).number
    for name in ('a "quoted" – name\r\n.png', "-leading dash.png", "sub/../folder.png"):
        address = bench.forge.attach(number, name, PNG, "image/png")
        assert bench.fetch(address) == PNG
        assert not set(address) & set(' \r\n"()<>'), address


@room.check()
def many_attachments_are_no_problem(bench: Bench) -> None:
    number = proposed(bench).number
    contents = [PNG + bytes([n]) for n in range(12)]
    addresses = [bench.forge.attach(number, "f.png", each, "image/png") for each in contents]
    assert [bench.fetch(each) for each in addresses] == contents
