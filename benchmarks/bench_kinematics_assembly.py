"""Assembly modes: how often all forty are found, how long it takes, and how long NumPy takes."""

from __future__ import annotations

from time import process_time

import numpy as np
from rich.progress import track
from scipy.spatial.transform import Rotation

from benchmarks import numpy_paths
from benchmarks.measure import Report, best_times
from benchmarks.published.comparison import cpu_time
from gough.kinematics.assembly import geometry
from gough.kinematics.assembly.geometry import (
    GENERIC_SQUARES,
    generic_section,
    geometry_of,
)
from gough.kinematics.assembly.kernels import length_paths, pairs, section_paths, turned_to
from gough.kinematics.assembly.modes import assembly_modes
from gough.kinematics.assembly.solutions import ATTEMPTS, follow, refine, same
from gough.kinematics.model import Model
from gough.robot import Robot

MACHINES = 10_000
FEW = 12


def random_machine(rng):
    """A general machine, one of its poses (7,), and the leg lengths there."""
    base, platform = rng.uniform(-1, 1, (2, 6, 3))
    position, rotation = rng.uniform(-2, 2, 3), Rotation.random(random_state=rng)
    q = np.linalg.norm(position + rotation.apply(platform) - base, axis=1)
    joints = zip(base.tolist(), platform.tolist(), strict=True)
    robot = Robot.from_dict(
        {
            "schema": "gough/1",
            "name": "random",
            "platform": {"mass": 1, "inertia": [1, 1, 1], "home": {"position": [0, 0, 9]}},
            "leg": {"kind": "SPS"},
            "legs": [{"base": a, "platform": b} for a, b in joints],
        }
    )
    return robot, np.concatenate([position, rotation.as_quat(scalar_first=True)]), q


def forget():
    geometry._geometry.cache_clear()


def is_among(pose, poses):
    turn = np.abs(poses[:, 3:] @ pose[3:])
    return ((np.abs(poses[:, :3] - pose[:3]).max(1) < 1e-6) & (turn > 1 - 1e-9)).any()


def many_machines(report):
    """All of them found, the pose that made the lengths among them, certified; median times."""
    rng = np.random.default_rng(2024)
    all_found = with_pose = poses = certified = complete = lost = 0
    worst, new, known = 0.0, [], []
    assembly_modes(Model(random_machine(rng)[0]), random_machine(rng)[2] * 0 + 2.0)  # compile
    for _ in track(range(MACHINES), "random machines", transient=True):
        robot, pose, q = random_machine(rng)
        model = Model(robot)
        forget()
        start = process_time()
        found = assembly_modes(model, q)
        middle = process_time()
        assembly_modes(model, q)
        known.append(process_time() - middle)
        new.append(middle - start)
        all_found += found.n_complex == 40
        with_pose += is_among(pose, found.poses)
        poses, certified = poses + len(found), certified + int(found.certified.sum())
        complete, lost = complete + found.complete, lost + found.n_lost
        worst = max(worst, float(found.residual.max() / q.max()))
    without, missing = MACHINES - all_found, MACHINES - with_pose
    report.fact("random general machines", f"{MACHINES}")
    report.at_most("fewer than 40 complex solutions", without, 1e-4 * MACHINES, "machines")
    report.at_most("the pose that made the lengths is missing", missing, 0, "machines")
    report.at_most("largest residual over longest leg", worst, 1e-12, "")
    report.fact("paths lost", f"{lost} of {40 * MACHINES}")
    report.fact("real poses certified", f"{certified} of {poses}")
    report.fact("proved complete", f"{complete} of {MACHINES}")
    for what, spent in (("new", new), ("known", known)):
        report.fact(f"{what} geometry, CPU time, median", f"{np.median(spent) * 1e3:.2f} ms")


def least_times(report):
    """Minimum CPU times of one call, which others at work disturb less: means of few machines."""
    rng = np.random.default_rng(2024)
    new, known = [], []
    for _ in range(FEW):
        robot, _, q = random_machine(rng)
        model = Model(robot)

        def anew(model=model, q=q):
            forget()
            return assembly_modes(model, q)

        new.append(cpu_time(anew, 60))
        known.append(cpu_time(lambda model=model, q=q: assembly_modes(model, q), 60))
    for what, spent, most in (("new", new, 1.5), ("known", known, 0.6)):
        title = f"{what} geometry, CPU time, minimum of 60 calls, mean of {FEW} machines"
        report.at_most(title, np.mean(spent) * 1e3, most, "ms")


def against_numpy(report):
    """The paths alone, compiled and as vectorised NumPy; both must arrive at the same points."""
    robot, _, q = random_machine(np.random.default_rng(7))
    ends = ([getattr(leg, end) for leg in robot.legs] for end in ("base", "platform"))
    machine, section = geometry_of(*ends), generic_section().coefficients
    generic, wanted = (
        machine.mixing @ machine.conditions(squares)[0]
        for squares in (GENERIC_SQUARES, (q / machine.unit) ** 2)
    )
    turned = turned_to(section, generic.real) @ generic
    care = ATTEMPTS[0]
    for what, kernel, points, first, last, rows in (
        ("generic section to a machine", section_paths(), generic_section().points, section, turned,
         (section.real, turned.real)),
        ("a machine to other lengths", length_paths(), machine.start.points, generic, wanted,
         (generic.real,)),
    ):  # fmt: skip
        parameters = (*rows, pairs(first[:, 0]), pairs(last[:, 0]))
        forms = [numpy_paths.forms(c) for c in (first, last)]
        compiled = follow(kernel, points, parameters, care)
        plain, arrived = numpy_paths.follow(*forms, points, care.tolerance)
        assert arrived.all(), "NumPy has lost a path"
        found = [refine(x, last, np.abs(last)).points for x in (compiled.points, plain)]
        assert np.diag(same(*found)).all(), "NumPy gets something else"
        fast, slow = best_times(
            lambda k=kernel, p=points, m=parameters: follow(k, p, m, care),
            lambda f=forms, p=points: numpy_paths.follow(*f, p, care.tolerance),
        )
        detail = f"{slow / fast:.1f} times as fast as NumPy's {slow * 1e3:.1f} ms"
        steps = f"{compiled.steps.mean():.0f} steps each"
        report.fact(f"40 paths, {what}, {steps}", f"{fast * 1e3:.2f} ms, {detail}")


def run():
    report = Report("Assembly modes, one core")
    against_numpy(report)
    least_times(report)
    many_machines(report)
    report.show()
