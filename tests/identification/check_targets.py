"""How well a simulated hexapod and a Delta are identified: numbers of docs/identification.md.

Not part of the suite: `python tests/identification/check_targets.py` from the repository.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))

from recordings import motor_turns, recorded, recorded_delta, rich_motion, states

import gough

RECORDINGS = 5


def too_heavy(robot):
    """The robot as its maker believes it to be, a fifth off in all that bodies weigh."""
    data = robot.to_dict()
    bodies = [(data["platform"], 1.2), (data["leg"]["cylinder"], 0.8), (data["leg"]["piston"], 1.2)]
    for body, factor in bodies:
        body["mass"] *= factor
        body["inertia"] = (factor * np.array(body["inertia"])).tolist()
    data["leg"]["drive"] |= {"rotor_inertia": 4.8e-4, "screw_damping": 8e-4, "efficiency": 0.92}
    return gough.Robot.from_dict(data)


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def lighter(robot):
    """A Delta as its maker believes it to be, a fifth off in all that bodies weigh."""
    data = robot.to_dict()
    for body, factor in ((data["platform"], 1.2), *((body, 0.8) for body in data["bodies"])):
        body["mass"] *= factor
        body["inertia"] = (factor * np.array(body["inertia"])).tolist()
    return gough.Robot.from_dict(data)


def true_numbers(robot, legs):
    """Base parameters by name, with the rotor's inertia where the arm's is."""
    drive = robot.driven[0].drive
    rotor = drive.rotor_inertia * motor_turns(drive) ** 2 + drive.gear_inertia
    base = gough.base_parameters(robot, legs=legs)
    turns = [formula.count("[0].joint_inertia.yy") for formula in base.formulas]
    return {n: v + rotor * k for n, v, k in zip(base.names, base.values, turns, strict=True)}


def delta():
    truth = gough.load("delta")
    wrong, numbers = lighter(truth), true_numbers(truth, "identical")
    _, motion = recorded_delta(truth, 100)
    force = gough.Model(truth).inverse_dynamics(*motion)
    before = rms(gough.Model(wrong).inverse_dynamics(*motion) - force)
    z, errors, mass = [], [], []
    for seed in range(1, RECORDINGS + 1):
        columns, _ = recorded_delta(truth, seed)
        found = gough.identify(wrong, columns, legs="identical")
        z += [(found[name].value - value) / found[name].sigma for name, value in numbers.items()]
        mass.append(found["platform.mass"].value / numbers["platform.mass"] - 1)
        errors.append(rms(gough.Model(found.robot).inverse_dynamics(*motion) - force))
    print(f"delta, {RECORDINGS} recordings of 8 s at 1 kHz:")
    print(
        f"  torque, unseen motion  {rms(force):.2f} N m rms, off by {before:.2f} with wrong priors"
    )
    print(f"  identified             {max(errors):.3f} N m rms off at most")
    print(f"  errors over sigma      {rms(z):.2f} rms")
    print(f"  mass                   {100 * np.abs(mass).max():.2f} % off at most")


def main():
    hexapod()
    delta()


def hexapod():
    truth = gough.load("demo-hexapod")
    wrong = too_heavy(truth)
    _, *places = rich_motion(100, duration=30.0, rate=100.0)
    motion = states(truth.home, *places)
    force = gough.Model(truth).inverse_dynamics(*motion)
    before = rms(gough.Model(wrong).inverse_dynamics(*motion) - force)
    print(f"an unseen motion: {rms(force):.0f} N rms, off by {before:.1f} N with wrong priors")
    for legs in ("identical", "independent"):
        base = gough.base_parameters(truth, legs=legs)
        z, errors, mass, seconds = [], [], [], []
        for seed in range(1, RECORDINGS + 1):
            columns = recorded(truth, seed)
            start = time.process_time()
            found = gough.identify(wrong, columns, legs=legs)
            seconds.append(time.process_time() - start)
            values = np.array([found[name].value for name in base.names])
            z += [(values - base.values) / [found[name].sigma for name in base.names]]
            mass.append(values[0] / base.values[0] - 1)
            errors.append(rms(gough.Model(found.robot).inverse_dynamics(*motion) - force))
        print(f"{legs} legs, {RECORDINGS} recordings of 30 s at 1 kHz:")
        print(f"  condition number       {found.condition:.0f}")
        print(f"  force, unseen motion   {max(errors):.2f} N rms off at most")
        print(f"  errors over sigma      {rms(z):.2f} rms")
        print(f"  mass                   {100 * np.abs(mass).max():.2f} % off at most")
        print(f"  processor time         {min(seconds):.1f} s")


if __name__ == "__main__":
    main()
