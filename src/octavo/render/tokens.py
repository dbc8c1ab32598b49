"""How much a text costs a language model, estimated without its tokenizer.

Every byte has a weight by its class, in 25ths of a token. The weight of a text is the sum of the
weights of its parts, so a budget can be given out piece by piece.
"""

from __future__ import annotations

#: How finely weights are measured.
PARTS = 25

_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
_DIGITS = b"0123456789"
_SPACE = b" "
_BREAKS = b"\n\r\t"
_OTHERS = bytes(range(128, 256))
#: What is none of these is a sign.
_CLASSES = ((_LOWER, 7), (_SPACE, 4), (_UPPER, 14), (_DIGITS, 20), (_BREAKS, 25), (_OTHERS, 15))
_SIGN = 18


def weight(text: str) -> int:
    """What a text weighs, in 25ths of a token."""
    left = text.encode("utf-8", "surrogatepass")
    total = 0
    for members, each in _CLASSES:
        rest = left.translate(None, members)
        total += (len(left) - len(rest)) * each
        left = rest
    return total + len(left) * _SIGN


def tokens(text: str) -> int:
    """About as many tokens as a model would count, rather more than fewer."""
    return in_tokens(weight(text))


def in_tokens(weighed: int) -> int:
    """A weight as whole tokens."""
    return -(-weighed // PARTS)
