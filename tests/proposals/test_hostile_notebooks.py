"""Notebooks that say what a forge would obey: marks, mentions, references, markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.proposals.body import END
from proposals.desks import EDITED, NOTEBOOK, start

pytestmark = pytest.mark.kernel

SAID = "no_such `x` @ben #12 https://evil.example <img src=x> | y\\n```\\n<!-- octavo: end -->"


def test_what_a_notebook_says_is_not_obeyed(tmp_path: Path) -> None:
    desk = start(tmp_path)
    glued = f'glue("@ben|#12", "{SAID}")'
    desk.write(f'{NOTEBOOK}\n# %% bad\n{glued}\nraise ValueError("{SAID}")\n')
    first = desk.propose(message="x", draft=True)
    [told] = [line for line in first.proposal.body.splitlines() if line.startswith("❌")]
    shown = "ValueError: no_such `x` @ben #12 https://evil.example <img src=x> | y"
    assert told.startswith(f"❌ ````{shown}")
    [status] = desk.forge.statuses(first.commit)
    assert status.description.startswith("ValueError: no_such `x` @ben #12")
    again = desk.propose(message="x", draft=True)
    assert again.proposal.body.count(END) == first.proposal.body.count(END)
    desk.write(EDITED)
    mended = desk.propose(message="x")
    assert mended.proposal.body.count(END) == 1 and "evil" not in mended.proposal.body


def test_a_draft_is_one_until_it_is_proposed_without(tmp_path: Path) -> None:
    """Ours becomes ready with `octavo propose`; one that a person made stays a draft."""
    desk = start(tmp_path)
    desk.write(EDITED)
    assert desk.propose(message="x", draft=True).proposal.draft
    assert not desk.propose(message="x").proposal.draft
    desk.forge.update(1, draft=True)
    assert desk.propose(message="x").proposal.draft


def test_a_notebook_does_not_get_to_see_tokens(tmp_path: Path) -> None:
    names = ("GITEA_TOKEN", "GH_TOKEN", "OCTAVO_FORGE_TOKEN")
    desk = start(tmp_path, None, **{name: f"secret-of-{name}" for name in names})
    looking = "import os\nfrom pathlib import Path\n"
    seen = 'glue("seen", "secret-of" in str(dict(os.environ)) + '
    around = 'Path(f"/proc/{os.getppid()}/cmdline").read_text())\n'
    desk.write(f"{EDITED}\n# %%\n{looking}{seen}{around}")
    result = desk.propose(message="x")
    after = result.facts.after
    assert after and after.record and after.record.scraps["seen"] is False
