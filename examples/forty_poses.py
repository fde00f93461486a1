"""One machine, one set of leg lengths, forty ways to assemble it [Dietmaier 1998], all proved.

Forward kinematics has up to forty answers. `assembly_modes` finds all of them, and certifies that
each exists and none is missing.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough
from gough.poses import transform

model = gough.Model(gough.load("dietmaier-1998"))
lengths = [1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]
modes = model.assembly_modes(lengths)
print(modes)

joints = np.array([leg.platform for leg in model.robot.legs])
feet = np.array([leg.base for leg in model.robot.legs])
corners = transform(modes.poses[:, None], joints)  # (poses, joints, xyz)
figure = plt.figure(figsize=(7, 5.6), layout="constrained")
axis = figure.add_subplot(projection="3d")
for k, platform in enumerate(corners):
    around = np.vstack([platform, platform[:1]])
    axis.plot(*around.T, color=plt.cm.viridis(k / len(corners)), lw=0.7)
axis.plot(*np.vstack([feet, feet[:1]]).T, color="black", lw=2.5)
axis.set(xlabel="x", ylabel="y", zlabel="z")
axis.set_title(f"{len(modes.poses)} platforms over one base (black), with the same six legs")
axis.set_aspect("equal")
figure.savefig("forty_poses.png", dpi=110)
