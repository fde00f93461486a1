"""How near a hexapod is to a singularity, at ninety thousand poses in one call.

Kernels broadcast as NumPy does: a grid of poses gives a grid of Jacobians. Turned by 90 degrees
this machine is singular at every height; the black lines are conditions of 5, 10 and 100.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough

robot = gough.load("demo-hexapod")
model = gough.Model(robot)
size = max(np.linalg.norm(leg.platform) for leg in robot.legs)  # [m], to compare turns with ways
yaw, height = np.meshgrid(np.radians(np.linspace(-110, 110, 300)), np.linspace(0.5, 1.3, 300))
places = np.stack([np.zeros_like(yaw), np.zeros_like(yaw), height], axis=-1)
turns = np.stack([np.zeros_like(yaw), np.zeros_like(yaw), yaw], axis=-1)
J = model.jacobian(gough.pose(places, rpy=turns))  # (300, 300, legs, 6)
condition = np.linalg.cond(J / np.repeat([1.0, size], 3))
print(f"condition of J at {condition.size} poses: {condition.min():.2f} at best")
print(f"condition below 100 at {(condition < 100).mean():.1%} of them")

figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
colours = axis.pcolormesh(
    np.degrees(yaw), height, np.log10(condition), cmap="magma_r", vmax=3, rasterized=True
)
axis.contour(
    np.degrees(yaw), height, condition, levels=[5, 10, 100], colors="black", linewidths=0.6
)
figure.colorbar(colours, label="log₁₀ of the condition of J")
axis.set(xlabel="yaw [deg]", ylabel="height [m]", title="demo-hexapod turns about z")
figure.savefig("singularity_map.png", dpi=110)
