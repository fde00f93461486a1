"""A driving simulator: what a platform shows of a car that brakes into a bend and speeds up.

Slow accelerations are shown by tilting, fast ones by moving, and the scales are chosen so that
the legs stay 20 mm within their strokes.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough
from gough.motion import GRAVITY, Washout, washed_out
from gough.poses import rotation
from gough.simulation import Scenario, computed_torque, simulate

robot = gough.load("demo-hexapod")
t = np.arange(0, 25, 0.01)


def ramp(begin, end, over=0.5):
    """From 0 to 1 at `begin` and back at `end` [s]."""
    return np.clip((t - begin) / over, 0, 1) - np.clip((t - end) / over, 0, 1)


# The vehicle: it brakes, goes round a bend, and speeds up again (x ahead, y to the left, z up).
specific_force = np.stack(
    [-4.0 * ramp(2, 6) + 2.5 * ramp(14, 19), 3.0 * ramp(7, 13), np.full_like(t, GRAVITY)], axis=-1
)
rate = np.stack([np.zeros_like(t), np.zeros_like(t), 0.25 * ramp(7, 13)], axis=-1)

motion = washed_out(robot, t, specific_force, rate, Washout(force_scale=0.5), margin=0.02)
print(f"{robot.name}: {motion.scale:.1%} of the wanted scales fit into the strokes")

results = simulate(Scenario(robot, computed_torque(900, 60), motion, every=10))
felt = rotation(results["pose"]).inv().apply(results["acceleration"][:, :3] + [0, 0, GRAVITY])
print(f"largest error of the platform: {np.abs(results['pose_error'][:, :3]).max() * 1e6:.1f} um")
print(f"least way to an end stop: {results['stroke_margin'].min() * 1e3:.1f} mm")
print(f"largest force of a leg: {np.abs(results['force']).max():.0f} N")
for warning in results.warnings:
    print("warning:", warning)

figure, axes = plt.subplots(3, 1, figsize=(8, 9), sharex=True, layout="constrained")
shown = motion.scale * 0.5
for k, (name, color) in enumerate((("ahead", "tab:blue"), ("to the left", "tab:orange"))):
    axes[0].plot(t, shown * specific_force[:, k], "--", color=color, lw=1, label=f"car, {name}")
    axes[0].plot(results.time, felt[:, k], color=color, label=f"felt, {name}")
axes[0].set_ylabel("specific force [m/s²]")
axes[0].set_title(f"Car, scaled by {shown:.2f}, and platform of {robot.name}")
axes[1].plot(results.time, 1e3 * (results["pose"][:, :3] - robot.home[:3]))
axes[1].set_ylabel("travel [mm]")
axes[1].legend(("x", "y", "z"), loc="upper right")
axes[2].plot(results.time, 1e3 * results["leg_length"])
for end in robot.legs[0].stroke:
    axes[2].axhline(1e3 * end, color="black", lw=1, ls=":")
axes[2].set_ylabel("leg lengths [mm]")
axes[2].set_xlabel("time [s]")
axes[0].legend(loc="upper right", fontsize="small")
for axis in axes:
    axis.grid(alpha=0.3)
figure.savefig("washout.png", dpi=110)
