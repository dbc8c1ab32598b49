# %% [markdown]
# # A run that fails
#
# The third cell divides by the number of hosts that answered; none did.

# %% tags=["parameters"]
hosts: list[str] = ["forge-vps-01", "forge-vps-02"]  # whom to ask

# %%
answers: dict[str, float] = {}
for host in hosts:
    print(f"{host}: no answer")

# %%
mean = sum(answers.values()) / len(answers)

# %%
print("this cell is not run")
