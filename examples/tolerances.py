"""How exact a hexapod must be built: twenty thousand machines with joints 0.1 mm out of place.

A parametric model takes the machine's numbers as an argument, one set for each sample, so that
many machines are one call.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough

family = gough.Model(gough.load("demo-hexapod"), parametric=True)
nominal = gough.Model(family.robot)
pose = gough.pose([0.1, 0, 1.0], rpy=[0, 8, 0], degrees=True)

machines = np.tile(family.parameters, (20_000, 1))
names = enumerate(family.parameter_names)
joints = [
    k for k, name in names if name.startswith("legs") and (".base." in name or ".platform." in name)
]
rng = np.random.default_rng(1)
machines[:, joints] += rng.normal(0, 0.1e-3, (len(machines), len(joints)))

wrong = family.inverse_kinematics(machines, pose) - nominal.inverse_kinematics(pose)
step = np.linalg.solve(
    nominal.jacobian(pose), -wrong.T
).T  # where the platform goes, to first order
way, turn = np.linalg.norm(step[:, :3], axis=1), np.linalg.norm(step[:, 3:], axis=1)
print(f"{len(joints)} coordinates of joints, each off by 0.1 mm (standard deviation)")
for share in (50, 95):
    print(f"{share} % of the machines are off by less than", end=" ")
    print(
        f"{1e3 * np.percentile(way, share):.3f} mm and {1e3 * np.percentile(turn, share):.3f} mrad"
    )

figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
axis.hist(1e3 * way, bins=80, color="tab:blue", alpha=0.8)
axis.axvline(1e3 * np.percentile(way, 95), color="black", ls=":", label="95 %")
axis.set(xlabel="error of the platform's place [mm]", ylabel="machines", title="demo-hexapod")
axis.legend(frameon=False)
figure.savefig("tolerances.png", dpi=110)
