"""Light or small: machines that do the same task, of which none is better in both.

Radii, height and angles of a hexapod are found for a box of poses and accelerations: with weaker
actuators on a larger base, or with stronger ones on a smaller base. Each is the best of its size.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough
from gough.design import Design, Objective, Requirement, Variable, demands

task = demands.moving(
    demands.box({"x": 0.1, "y": 0.1, "z": 0.1, "roll": 0.1, "pitch": 0.1}),
    acceleration=demands.each_way(3.0, 0.0),
)
design = Design(
    gough.load("demo-hexapod"),
    variables=[
        Variable("symmetric.base_radius", 0.3, 1.0),
        Variable("symmetric.platform_radius", 0.15, 0.8),
        Variable("symmetric.base_angle", 0.05, 1.0),
        Variable("symmetric.platform_angle", 0.05, 1.0),
        Variable("platform.home.position.z", 0.5, 1.5),
    ],
    demands=[task],
    requirements=[Requirement("limits"), Requirement("condition", 20.0)],
    objectives=[Objective("force"), Objective("radius")],
)
front = design.front(9, starts=4)
force, radius = front.objectives.T
print(f"from {force[0]:.0f} N at {radius[0]:.2f} m to {force[-1]:.0f} N at {radius[-1]:.2f} m")

figure = plt.figure(figsize=(9, 3.8), layout="constrained")
left, *places = figure.subplot_mosaic(
    "aabc", per_subplot_kw={"b": {"projection": "3d"}, "c": {"projection": "3d"}}
).values()
left.plot(radius, force, "o-", color="0.7", mfc="tab:blue", mec="tab:blue")
left.set(xlabel="radius of the machine [m]", ylabel="largest actuator force [N]")
left.grid(alpha=0.3)
for axis, k, colour in ((places[0], -1, "tab:red"), (places[1], 0, "tab:green")):
    robot = front[k].robot
    feet = np.array([leg.base for leg in robot.legs])
    tops = np.array([leg.platform for leg in robot.legs]) + robot.home[:3]
    for ring in (feet, tops):
        axis.plot(*np.vstack([ring, ring[:1]]).T, color="black", lw=1.5)
    for foot, top in zip(feet, tops, strict=True):
        axis.plot(*np.array([foot, top]).T, color=colour, lw=2.5)
    axis.set(xlim=(-0.7, 0.7), ylim=(-0.7, 0.7), zlim=(0, 1.1), title=f"{force[k]:.0f} N")
    axis.set_box_aspect((1.4, 1.4, 1.1), zoom=1.55)
    axis.set_axis_off()
    left.plot(radius[k], force[k], "o", color=colour, ms=9)
figure.savefig("light_or_small.png", dpi=110)
