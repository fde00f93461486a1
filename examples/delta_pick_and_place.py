"""A Delta picks and places: the Adept cycle of 25, 305 and 25 mm, and the torques it takes.

A study is a dictionary here, as it would be a file. The cycle is as fast as 60 m/s² allow; the
second and third hip do the same, as the way lies in the plane of the first.
"""

import matplotlib.pyplot as plt

import gough

study = {
    "schema": "gough-study/1",
    "name": "pick and place",
    "robot": "delta",
    "rate": "1 kHz",
    "motion": {
        "kind": "adept-cycle",
        "start": {"x": "-152.5 mm"},
        "max_acceleration": "60 m/s^2",
    },
    "tasks": [{"kind": "payload", "mass": "0.5 kg"}],
}
results = gough.run(study)
torque = results.summary["peak_force"]
print(f"one cycle takes {results.time[-1]:.3f} s, {60 / results.time[-1]:.0f} a minute")
print(f"largest torque: {torque.value:.1f} N m, {torque.place} at {torque.time:.3f} s")
print(f"left of the motors' torque: {results.summary['minimum_force_margin'].value:.0%}")

figure, (way, efforts) = plt.subplots(
    2, 1, figsize=(7.5, 4.6), height_ratios=[1, 3], layout="constrained"
)
x, z = 1e3 * results["pose"][:, [0, 2]].T
way.plot(x, z, color="tab:blue")
way.set(xlabel="x [mm]", ylabel="z [mm]", title="way of the platform", aspect="equal")
for motor, effort in zip(results.robot.actuators, results["force"].T, strict=True):
    efforts.plot(results.time, effort, label=motor.name)
efforts.set(xlabel="time [s]", ylabel="torque [N m]", title="there and back")
efforts.legend(frameon=False)
for axis in (way, efforts):
    axis.grid(alpha=0.3)
figure.savefig("delta_pick_and_place.png", dpi=110)
