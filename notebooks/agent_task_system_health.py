# %% [markdown]
# # System health
#
# Looks at load, memory and disk of this machine, compares each with a threshold, and hands out
# a score and the number of alerts. An agent runs it with
# `octavo run notebooks/agent_task_system_health.py -p threshold 0.9 -p hostname NAME`
# and reads the scraps `health_score` and `alert_count`.

# %% tags=["parameters"]
threshold: float = 0.9  # share of a resource in use from which it counts as an alert
hostname: str = "localhost"  # the name to report under
disk_path: str = "/"  # the file system to look at

# %% tags=["scraps"]
health_score: float  # [0..1 share] mean of what is left of each resource
alert_count: int  # [0..3 alerts] resources above the threshold

# %% [markdown]
# ## Measure
#
# Everything comes from the standard library and from `/proc`, so that the notebook runs on a bare
# machine. Each figure is the share in use: 0 is idle, 1 is full.

# %%
import os
import shutil


def memory_in_use() -> float:
    """Share of the memory that is not available to new programs."""
    fields = {}
    with open("/proc/meminfo") as file:
        for line in file:
            name, _, rest = line.partition(":")
            fields[name] = int(rest.split()[0])
    return 1 - fields["MemAvailable"] / fields["MemTotal"]


disk = shutil.disk_usage(disk_path)
usage = {
    "load": os.getloadavg()[0] / (os.cpu_count() or 1),
    "memory": memory_in_use(),
    "disk": disk.used / disk.total,
}
for resource, share in usage.items():
    print(f"{hostname}  {resource:<7} {share:7.1%}")

# %% [markdown]
# ## Compare
#
# A resource above the threshold is an alert. The score is the mean of what is left of each
# resource, so that one full disk does not hide behind two idle ones.

# %%
alerts = {resource: share for resource, share in usage.items() if share > threshold}
health_score = round(sum(max(0.0, 1 - share) for share in usage.values()) / len(usage), 3)
for resource, share in alerts.items():
    print(f"ALERT {hostname}: {resource} at {share:.1%}, threshold {threshold:.0%}")
if not alerts:
    print(f"{hostname}: nothing above {threshold:.0%}")

# %% [markdown]
# ## Chart

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 2.2))
colours = ["#c0392b" if resource in alerts else "#2e86ab" for resource in usage]
axes.barh(list(usage), list(usage.values()), color=colours)
axes.axvline(threshold, color="#555555", linestyle="--", linewidth=1)
axes.set_xlim(0, max(1.0, *usage.values(), threshold))
axes.set_xlabel("share in use")
axes.set_title(f"{hostname}: health {health_score}")
figure.tight_layout()
plt.show()

# %% [markdown]
# ## Hand out
#
# What follows is what the caller decides by.

# %%
from octavo_runtime import glue

glue("health_score", health_score)
glue("alert_count", len(alerts))
