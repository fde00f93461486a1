"""The first steps: a published machine, its legs along a motion, a million poses.

`Model` turns a robot's file into compiled functions of NumPy arrays: leg lengths, their speeds
and the Jacobian along a helix [Kalani 2016, case 1], and then a million poses in some
milliseconds.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import gough

robot = gough.load("kalani-2016")
model = gough.Model(robot)
home = np.array(robot.home)


def condition(J):
    """Condition number of the Jacobian; rotations are scaled by the platform's radius [m]."""
    radius = max(np.linalg.norm(leg.platform) for leg in robot.legs)
    return np.linalg.cond(J / np.repeat([1.0, radius], 3))


print(f"{robot.name}: {robot.reference}\n")
print("at home")
print("  leg lengths [m]      ", model.inverse_kinematics(home).round(4))
print(f"  condition of J        {condition(model.jacobian(home)):.3f}\n")

t = np.linspace(0, np.pi, 81)
positions = np.stack([0.1 * np.cos(2 * t), 0.1 * np.sin(2 * t), 1 + 0.01 * t], axis=-1)
velocities = np.stack([-0.2 * np.sin(2 * t), 0.2 * np.cos(2 * t), np.full_like(t, 0.01)], axis=-1)
poses = gough.pose(positions)
twists = np.concatenate([velocities, np.zeros_like(velocities)], axis=-1)
lengths = model.inverse_kinematics(poses)
rates = model.joint_velocity(poses, twists)
conditions = condition(model.jacobian(poses))

print("along a helix of 0.1 m radius (Kalani 2016, case 1)")
print("  t [s]   leg lengths [m]                                    fastest [m/s]  condition")
for row in list(zip(t, lengths, np.abs(rates).max(axis=-1), conditions, strict=True))[::10]:
    print(f"  {row[0]:5.3f}  ", "  ".join(f"{l:.4f}" for l in row[1]), end="")
    print(f"  {row[2]:13.4f}  {row[3]:9.3f}")

n = 1_000_000
rng = np.random.default_rng(0)
many = gough.pose(
    home[:3] + rng.uniform(-0.1, 0.1, (n, 3)), rotation_vector=rng.uniform(-0.3, 0.3, (n, 3))
)
out = np.empty((n, len(robot.legs)))
model.inverse_kinematics(many, out=out)  # the first call touches the memory
start = perf_counter()
model.inverse_kinematics(many, out=out)
elapsed = perf_counter() - start
print(f"\na million poses: {elapsed * 1e3:.1f} ms, {elapsed / n * 1e9:.1f} ns a pose")

figure, (ways, speeds) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
ways.plot(t, lengths, label=[f"leg {k}" for k in range(1, 1 + len(robot.legs))])
ways.set(xlabel="time [s]", ylabel="leg length [m]", title="along the helix")
speeds.plot(t, rates)
speeds.set(xlabel="time [s]", ylabel="speed of the legs [m/s]")
ways.legend(frameon=False, fontsize="small", ncols=3, loc="upper center")
for axis in (ways, speeds):
    axis.grid(alpha=0.3)
figure.savefig("first_steps.png", dpi=110)
