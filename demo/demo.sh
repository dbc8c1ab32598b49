#!/usr/bin/env bash
# The main job in a minute: a notebook is created, run, proposed, reviewed, mended and merged, in a
# temporary repository that is its own forge.
set -euo pipefail
cd "$(dirname "$0")/.."
octavo=$PWD/.venv/bin/octavo
bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' dim=$'\033[2m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
show() { printf '%s$ %s%s\n' "$dim" "$*" "$plain"; }
run() { # show a command as one would type it, then run it
  show "octavo $(printf '%s\n' "$@" | sed 's/.* .*/"&"/' | paste -sd ' ')"
  "$octavo" "$@"
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/octavo-demo-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export GIT_CONFIG_GLOBAL=$scratch/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global init.defaultBranch main
git config --global user.name Ada
git config --global user.email ada@example.org
as_ben() { # the same clone, another person
  GIT_AUTHOR_NAME=Ben GIT_AUTHOR_EMAIL=ben@example.org \
    GIT_COMMITTER_NAME=Ben GIT_COMMITTER_EMAIL=ben@example.org "$@"
}

say "1. A repository for notebooks"
git init --quiet "$scratch/fleet"
mkdir "$scratch/fleet/notebooks"
cp notebooks/fleet_health_check.py "$scratch/fleet/notebooks/"
cp -r notebooks/data "$scratch/fleet/notebooks/"
cd "$scratch/fleet"
show "octavo init"
"$octavo" init | tail -n 3
echo 'required-approvals = 1' >>octavo.toml
"$octavo" sync >/dev/null
git add --all && git commit --quiet -m "The fleet's health check"

say "2. Run it: parameters in, typed values out, a record of everything"
run run notebooks/fleet_health_check.py -p memory_threshold 0.95

say "3. An agent changes a cell, and proposes that with evidence that it runs"
run edit notebooks/fleet_health_check.py parameters --replace 'disk_threshold: float = 0.9' 'disk_threshold: float = 0.95'
run propose --quiet notebooks/fleet_health_check.py -m "Alert later"

say "4. A person reviews it, cell by cell"
show 'octavo comment 1 "Is that not too late?" --path notebooks/fleet_health_check.py --cell 1'
as_ben "$octavo" comment 1 "Is that not too late?" --path notebooks/fleet_health_check.py --cell 1
run review 1

say "5. The agent acts on it, and proposes again"
run edit notebooks/fleet_health_check.py parameters --replace 'disk_threshold: float = 0.95' 'disk_threshold: float = 0.92'
run propose --quiet notebooks/fleet_health_check.py -m "Alert a little later"

say "6. Approved and merged"
show octavo approve 1
as_ben "$octavo" approve 1
run merge 1
git log --oneline --graph | head -n 6

say "Try next"
cat <<'EOF'
  .venv/bin/octavo run notebooks/agent_task_system_health.py -p threshold 1.0
  .venv/bin/octavo show last                     look at the executed notebook
  .venv/bin/octavo create "Check the disks"      a notebook from a template
  .venv/bin/octavo read notebooks/fleet_health_check.py --budget 500
  .venv/bin/octavo warm                          make the next runs start at once
  .venv/bin/octavo --help
EOF
