"""The first steps with Gough: a published machine, its legs along a motion, a million poses."""

from time import perf_counter

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

t = np.linspace(0, np.pi, 9)
positions = np.stack([0.1 * np.cos(2 * t), 0.1 * np.sin(2 * t), 1 + 0.01 * t], axis=-1)
velocities = np.stack([-0.2 * np.sin(2 * t), 0.2 * np.cos(2 * t), np.full_like(t, 0.01)], axis=-1)
poses = gough.pose(positions)
twists = np.concatenate([velocities, np.zeros_like(velocities)], axis=-1)
lengths = model.inverse_kinematics(poses)
rates = model.joint_velocity(poses, twists)
conditions = condition(model.jacobian(poses))

print("along a helix of 0.1 m radius (Kalani 2016, case 1)")
print("  t [s]   leg lengths [m]                                    fastest [m/s]  condition")
for row in zip(t, lengths, np.abs(rates).max(axis=-1), conditions, strict=True):
    print(f"  {row[0]:5.3f}  ", "  ".join(f"{l:.4f}" for l in row[1]), end="")
    print(f"  {row[2]:13.4f}  {row[3]:9.3f}")

n = 1_000_000
rng = np.random.default_rng(0)
many = gough.pose(
    home[:3] + rng.uniform(-0.1, 0.1, (n, 3)), rotation_vector=rng.uniform(-0.3, 0.3, (n, 3))
)
out = np.empty((n, 6))
model.inverse_kinematics(many, out=out)  # the first call touches the memory
start = perf_counter()
model.inverse_kinematics(many, out=out)
elapsed = perf_counter() - start
print(f"\na million poses: {elapsed * 1e3:.1f} ms, {elapsed / n * 1e9:.1f} ns a pose")
