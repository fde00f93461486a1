"""A tripod that rolls and pitches must also shift and turn: how far, over all its tilts.

A 3-RPS machine has three DoF. `possible_pose` finds the pose with the roll, pitch and height
that were asked for; arrows show where the middle of the platform goes.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough

model = gough.Model(gough.load("tripod-3rps"))
home = np.array(model.robot.home)
tilts = np.radians(np.linspace(-20, 20, 41))
roll, pitch = np.meshgrid(tilts, tilts)
asked = gough.pose(home[:3], rpy=np.stack([roll, pitch, np.zeros_like(roll)], axis=-1))
pose = model.possible_pose(asked).pose  # the same height, roll and pitch; the rest follows
drift = 1e3 * np.linalg.norm(pose[..., :2] - home[:2], axis=-1)
print(f"up to 20 degrees of roll and pitch: the platform shifts by up to {drift.max():.1f} mm")

figure, axis = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
degrees = np.degrees(tilts)
colours = axis.contourf(degrees, degrees, drift, levels=12, cmap="viridis")
shift = pose[::4, ::4, :2] - home[:2]
axis.quiver(degrees[::4], degrees[::4], *np.moveaxis(shift, -1, 0), color="white", width=0.004)
figure.colorbar(colours, label="shift of the platform's middle [mm]")
axis.set(xlabel="roll [deg]", ylabel="pitch [deg]", title="tripod-3rps: parasitic motion")
figure.savefig("tripod_drift.png", dpi=110)
