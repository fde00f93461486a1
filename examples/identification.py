"""From an exciting motion to a robot file that is true: a Delta that weighs more than it says.

The machine is simulated, with all that makes recordings hard: it is not what the file says, a PID
follows the motion with errors, joints and gears rub, encoders have steps and currents are noisy.
A validation motion, which the estimate did not see, shows the error before and after.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough
from gough.motion import expression
from gough.report import write_report
from gough.simulation import Sensors, force_commanded, place_poles, real_plant

STEP, NOISE = 2e-5, 0.05  # of an encoder [rad], of a current [A]

robot = gough.load("delta")  # as its file says
truth = robot.replace(
    {
        "platform.mass": 1.15,
        "leg.links[0].mass": 1.25,
        "leg.links[1].mass": 0.2,
        "leg.motor.friction": 0.7,
        "leg.motor.drive.rotor_inertia": 1.8e-4,
    }
)
exciting = gough.excitation(robot, legs="identical", duration=6, harmonics=4, starts=1)
unseen = expression(4, x="0.2*sin(3*t)", y="0.2*sin(4.4*t)", z="-1.05 + 0.1*sin(6*t)")
print(f"exciting: condition number {exciting.condition:.0f}, least margin {exciting.margin:.2g}")

model, plant = gough.Model(robot), force_commanded(real_plant(truth))
controller = place_poles(model, "joint-pid", frequency=8, integral_rate=8)
noise = np.random.default_rng(0)


def recorded(motion):
    """What encoders and amplifiers tell of a motion: a simulation's columns, less exact."""
    columns = gough.simulate(
        gough.Scenario(
            model,
            controller,
            motion,
            plant=plant,
            sensors=Sensors(resolution=STEP),
            quantities=("legs",),
        )
    ).columns()
    for name, values in columns.items():
        if name.startswith("actuator_position_hip"):
            columns[name] = STEP * np.round(values / STEP)
        if name.startswith("motor_current"):
            columns[name] = values + NOISE * noise.standard_normal(len(values))
    return columns


alike = {"legs": "identical", "drives": "identical"}
found = gough.identify(robot, recorded(exciting), **alike, validation=recorded(unseen))
gough.save(found.robot, "identification.toml")
write_report(found, "identification.html")
mass = found["platform.mass"]
true = gough.base_parameters(truth, legs="identical").values[0]
print(f"{mass.formula}: by the file {mass.prior:.3f} kg, {mass.value:.3f} found, {true:.3f} true")
check = found.validation
print(f"unseen motion: {check.rms_before:.2f} N m rms not explained before, {check.rms:.2f} after")

figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
axis.plot(check.time, check.measured[:, 0], color="0.8", label="measured")
for label, predicted in (("before", check.before), ("after", check.predicted)):
    axis.plot(check.time, (check.measured - predicted)[:, 0], label=f"not explained {label}")
axis.set(xlabel="time [s]", ylabel="torque of hip 1 [N m]", title="delta, a motion not seen before")
axis.grid(alpha=0.3)
axis.set_ylim(top=2.5)
axis.legend(frameon=False, loc="upper center", ncols=3)
figure.savefig("identification.png", dpi=110)
