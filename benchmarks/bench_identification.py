"""Identification: how well a simulated machine is known, whether sigmas are honest, how long.

A demo-hexapod with drives that rub is recorded for 30 s at 1 kHz: lengths in steps of 1 um, efforts
with 7.5 N of noise at the legs. The file that identification starts from is a fifth off in all that
bodies weigh. A Delta, as far off, has angles in steps of 10 urad and 0.1 N m of noise at the hips.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "samples"))

from recordings import motor_turns, recorded, recorded_delta, rich_motion, states

import gough
from benchmarks.measure import Report
from gough.motion import Payload

RECORDINGS = 5
RANDOM = "random motions"
"""Not made to show what the machine weighs: no aim."""
LAG = 0.0023
HARMONICS = 12
"""Of the exciting motion: up to 1.2 Hz."""
CARRIED = Payload(20.0, (0.05, -0.08, 0.25), (0.3, 0.4, 0.5))
CONSTANTS = (0.93, 1.05, 1.1, 0.97, 0.9, 1.02)
"""The motors' torque constants, over what the file says."""


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


def with_constants(robot, constants):
    """The robot whose motors have torque constants of their own [N m/A]."""
    data = robot.to_dict()
    shared = data.pop("leg")
    data["legs"] = [
        shared | leg | {"drive": shared["drive"] | {"torque_constant": float(constant)}}
        for leg, constant in zip(data["legs"], constants, strict=True)
    ]
    return gough.Robot.from_dict(data)


def written(columns, seed):
    """A recording as a machine may write it: one in a hundred samples dropped, and two gaps."""
    rng = np.random.default_rng(seed)
    rows = rng.random(len(columns["t [s]"])) > 0.01
    rows[9000:9120] = rows[20000:20400] = False
    return {name: values[rows] for name, values in columns.items()}


def unseen(robot):
    """Poses, twists and accelerations of a motion that no recording has."""
    return states(robot.home, *rich_motion(100, duration=30.0, rate=100.0)[1:])


def identified(report, name, truth, wrong, recordings, legs, lag=0.0):
    """What recordings tell, beside the truth."""
    motion = unseen(truth)
    force = gough.Model(truth).inverse_dynamics(*motion)
    base = gough.base_parameters(truth, legs=legs)
    z, errors, mass, seconds, late = [], [], [], [], []
    for columns in recordings:
        start = process_time()
        found = gough.identify(wrong, columns, legs=legs, drives=legs)
        seconds.append(process_time() - start)
        values = np.array([found[name].value for name in base.names])
        z += [(values - base.values) / [found[name].sigma for name in base.names]]
        mass.append(values[0] / base.values[0] - 1)
        errors.append(rms(gough.Model(found.robot).inverse_dynamics(*motion) - force))
        late.append((found.lag.value - lag) / found.lag.sigma)
    report.fact(f"{name}, {legs} legs", f"condition number {found.condition:.0f}")
    if name == RANDOM:
        report.fact("  force on an unseen motion, worst", f"{max(errors):.4g} N rms")
    else:
        report.at_most("  force on an unseen motion, worst", max(errors), 0.3, "N rms")
    report.at_most("  mass, worst", 100 * float(np.abs(mass).max()), 0.3, "%")
    report.at_most("  errors over sigma, rms", rms(z), 1.3, "")
    report.fact("  lag, the same", f"{rms(late):.2f}")
    report.at_most("  processor time, median", float(np.median(seconds)), 5, "s")


def gains(report, truth, wrong):
    """Torque constants by currents without and with a known payload."""
    real = [
        factor * leg.drive.torque_constant
        for factor, leg in zip(CONSTANTS, truth.legs, strict=True)
    ]
    other = with_constants(truth, real)
    z, errors = [], []
    for seed in range(1, RECORDINGS + 1):
        found = gough.identify(
            wrong,
            recorded(other, seed, measured="motor_current"),
            loaded=recorded(CARRIED.carried_by(other), seed + 50, measured="motor_current"),
            payload=CARRIED,
            legs="identical",
            drives="identical",
        )
        each = [found[f"actuators[{k}].torque_constant"] for k in range(len(real))]
        z += [(p.value - K) / p.sigma for p, K in zip(each, real, strict=True)]
        errors += [p.value / K - 1 for p, K in zip(each, real, strict=True)]
    report.at_most("torque constants, worst", 100 * float(np.abs(errors).max()), 0.3, "%")
    report.at_most("  errors over sigma, rms", rms(z), 1.3, "")


def lighter(delta):
    """A Delta as its maker believes it to be, a fifth off in all that bodies weigh."""
    data = delta.to_dict()
    for body, factor in ((data["platform"], 1.2), *((body, 0.8) for body in data["bodies"])):
        body["mass"] *= factor
        body["inertia"] = (factor * np.array(body["inertia"])).tolist()
    return gough.Robot.from_dict(data)


def with_rotors(delta):
    """Base parameters of identical legs by name, with the rotor's inertia where the arm's is."""
    drive = delta.driven[0].drive
    rotor = drive.rotor_inertia * motor_turns(drive) ** 2 + drive.gear_inertia
    base = gough.base_parameters(delta, legs="identical")
    turns = [formula.count("[0].joint_inertia.yy") for formula in base.formulas]
    return {n: v + rotor * k for n, v, k in zip(base.names, base.values, turns, strict=True)}


def of_delta(report):
    """What recordings of a Delta tell, beside the truth: of efforts in time, and late."""
    truth = gough.load("delta")
    wrong, numbers = lighter(truth), with_rotors(truth)
    _, motion = recorded_delta(truth, 100)
    force, by_file = (gough.Model(r).inverse_dynamics(*motion) for r in (truth, wrong))
    report.fact("a Delta, 8 s: torque on an unseen motion", f"{rms(force):.2f} N m rms")
    report.fact("  off by the file", f"{rms(by_file - force):.2f} N m")
    for name, lag in (("in time", 0.0), ("late", LAG)):
        z, errors, mass, late = [], [], [], []
        for seed in range(1, RECORDINGS + 1):
            columns, _ = recorded_delta(truth, seed, lag=lag)
            found = gough.identify(wrong, columns, legs="identical", drives="identical")
            z += [(found[name].value - v) / found[name].sigma for name, v in numbers.items()]
            mass.append(found["platform.mass"].value / numbers["platform.mass"] - 1)
            errors.append(rms(gough.Model(found.robot).inverse_dynamics(*motion) - force))
            late.append((found.lag.value - lag) / found.lag.sigma)
        report.at_most(f"  {name}: torque, worst", max(errors), 0.05, "N m rms")
        report.at_most("  mass, worst", 100 * float(np.abs(mass).max()), 0.3, "%")
        report.at_most("  errors over sigma, rms", rms(z), 1.3, "")
        report.fact("  lag, the same", f"{rms(late):.2f}")


def run():
    report = Report("Identification: simulated demo-hexapods, 30 s at 1 kHz, and Deltas")
    truth = gough.load("demo-hexapod")
    wrong = too_heavy(truth)
    force, by_file = (gough.Model(r).inverse_dynamics(*unseen(truth)) for r in (truth, wrong))
    report.fact("force on an unseen motion", f"{rms(force):.0f} N rms")
    report.fact(
        "  off by the file that identification starts from", f"{rms(by_file - force):.1f} N"
    )
    seeds = range(1, RECORDINGS + 1)
    exciting = gough.excitation(truth, harmonics=HARMONICS)

    def excited(t):
        samples = exciting(np.mod(t, exciting.duration))
        return samples.pose, samples.twist, samples.acceleration

    plain = [recorded(truth, seed) for seed in seeds]
    best = [recorded(truth, seed, motion=excited) for seed in seeds]
    late = [written(recorded(truth, seed, lag=LAG), seed) for seed in seeds]
    for legs in ("identical", "independent"):
        identified(report, RANDOM, truth, wrong, plain, legs)
        identified(report, "an exciting motion", truth, wrong, best, legs)
    identified(report, "late, with gaps", truth, wrong, late, "identical", LAG)
    gains(report, truth, wrong)
    of_delta(report)
    report.show()
