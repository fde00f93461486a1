"""How fast it can go: the shortest time for moves of many lengths, and what limits each.

Short moves are limited by the actuators' force, long ones by their speed.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough
from gough.motion import Quintic, fastest, line

robot = gough.load("demo-hexapod")
model = gough.Model(robot)
lengths = np.geomspace(0.005, 0.3, 16)
found = [fastest(model, line(robot.home, [a, 0, 0], Quintic(1.0))) for a in lengths]
for length, shortest in zip(lengths[::5], found[::5], strict=True):
    print(f"{1e3 * length:5.0f} mm in {shortest.duration:.3f} s, limited by {shortest.limit}")

figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
times = np.array([shortest.duration for shortest in found])
axis.loglog(1e3 * lengths, times, color="0.7", zorder=0)
for limit, colour in (("force", "tab:red"), ("speed", "tab:blue")):
    those = np.array([shortest.limit == limit for shortest in found])
    axis.loglog(1e3 * lengths[those], times[those], "o", color=colour, label=f"limited by {limit}")
axis.set(
    xlabel="way along x [mm]", ylabel="shortest time [s]", title="demo-hexapod, from rest to rest"
)
axis.grid(alpha=0.3, which="both")
axis.legend(frameon=False)
figure.savefig("fastest.png", dpi=110)
