# %% [markdown]
# # Fleet health check
#
# Reads the daily metrics of all hosts from a file, keeps a range of dates, and compares every host
# with the thresholds. The cells marked `NBVAL_CHECK_OUTPUT` are the critical ones: with the same
# data their output must not change.

# %% tags=["parameters"]
metrics_path: str = "data/fleet_metrics.csv"  # daily metrics, one row a host and day
start_date: str = "2026-04-01"  # first day, inclusive
end_date: str = "2026-04-06"  # last day, inclusive
load_threshold: float = 0.9  # load per core
memory_threshold: float = 0.9  # share of memory in use
disk_threshold: float = 0.9  # share of disk in use
agent_id: str = "fleet-agent"  # who asks; goes into the report

# %% tags=["scraps"]
health_score: float  # [0..1 share] hosts without an alert
alert_count: int  # [0.. alerts] resources of hosts above a threshold
alerts: list[dict[str, object]]  # host, resource and worst value of each alert
agent_id: str  # who asked

# %% [markdown]
# ## Read

# %%
import csv
from collections import defaultdict
from pathlib import Path

# Papermill runs a notebook in the folder of its caller, others in that of the notebook.
from_above = Path("notebooks", metrics_path)
with open(from_above if from_above.exists() else metrics_path, newline="") as file:
    rows = [row for row in csv.DictReader(file) if start_date <= row["date"] <= end_date]
hosts = sorted({row["host"] for row in rows})
days = sorted({row["date"] for row in rows})

# %%
# NBVAL_CHECK_OUTPUT
print(f"{len(rows)} rows, {len(hosts)} hosts, {len(days)} days")

# %% [markdown]
# ## Compare
#
# A host that passes a threshold on any day of the range has an alert for that resource.

# %%
thresholds = {"load": load_threshold, "memory": memory_threshold, "disk": disk_threshold}
worst: dict[str, dict[str, float]] = defaultdict(dict)
for row in rows:
    for resource in thresholds:
        worst[row["host"]][resource] = max(
            worst[row["host"]].get(resource, 0.0), float(row[resource])
        )
exceeded = [
    (host, resource, worst[host][resource])
    for host in hosts
    for resource, threshold in thresholds.items()
    if worst[host][resource] > threshold
]

# %%
# NBVAL_CHECK_OUTPUT
for host in hosts:
    figures = "  ".join(f"{resource} {worst[host][resource]:.2f}" for resource in thresholds)
    marks = [resource for name, resource, _ in exceeded if name == host]
    print(f"{host:<14} {figures}  {'ALERT ' + ', '.join(marks) if marks else 'ok'}")

# %% [markdown]
# ## Hand out

# %%
# NBVAL_CHECK_OUTPUT
healthy = len(hosts) - len({host for host, _, _ in exceeded})
health_score = round(healthy / len(hosts), 3) if hosts else 0.0
print(f"health score {health_score}, {len(exceeded)} alerts")

# %%
from octavo_runtime import glue

glue("health_score", health_score)
glue("alert_count", len(exceeded))
glue("alerts", [{"host": host, "resource": name, "worst": value} for host, name, value in exceeded])
glue("agent_id", agent_id)
