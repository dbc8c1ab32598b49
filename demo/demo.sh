#!/usr/bin/env bash
# The main job in a minute: a run, its scraps, its record, and what a failure looks like.
set -euo pipefail
cd "$(dirname "$0")/.."
octavo=.venv/bin/octavo
bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' dim=$'\033[2m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
show() { printf '%s$ %s%s\n' "$dim" "$*" "$plain"; }

say "1. Run the system health notebook with parameters"
show octavo run notebooks/agent_task_system_health.py -p threshold 1.0 -p hostname forge-vps-01
$octavo run notebooks/agent_task_system_health.py -p threshold 1.0 -p hostname forge-vps-01

say "2. What it handed out"
show octavo scraps last
$octavo scraps last

say "3. What a failing run looks like"
show octavo run demo/failing.py
$octavo run demo/failing.py && exit 1 || true

say "4. The records"
show octavo runs --limit 3
$octavo runs --limit 3

say "Try next"
cat <<'EOF'
  .venv/bin/octavo show last                     look at the executed notebook
  .venv/bin/octavo inspect notebooks/fleet_health_check.py
  .venv/bin/octavo run notebooks/fleet_health_check.py -p disk_threshold 0.8
  .venv/bin/octavo warm                          make the next runs start at once
  .venv/bin/octavo --help
EOF
