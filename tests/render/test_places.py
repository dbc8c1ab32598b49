"""Paths as people see them."""

from __future__ import annotations

from octavo.render.places import near_path


def test_a_path_below_the_current_folder_is_short() -> None:
    assert near_path("/p/notebooks/nb.py", "/p") == "notebooks/nb.py"
    assert near_path("/elsewhere/nb.py", "/p") == "/elsewhere/nb.py"


def test_a_name_cannot_speak_to_the_terminal() -> None:
    assert near_path("/p/\x1b[2J\x1b]0;title\x07nb.py", "/p") == "nb.py"


def test_a_name_has_no_line_of_its_own() -> None:
    """Which a runner of a CI could take for a command."""
    for end in ("\n", "\r", "\r\n", "\x85", "\u2028"):
        shown = near_path(f"/p/x{end}::add-path::/evil/nb.py", "/p")
        assert len(shown.splitlines()) == 1
        assert not shown.startswith("::")
