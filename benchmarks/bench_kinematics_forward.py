"""Forward kinematics: warm starts in batches, paths, the neural start, and what home can reach."""

from __future__ import annotations

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from scipy.spatial.transform import Rotation

import gough
from benchmarks.measure import Report, best_times, repeated
from gough.compiler.native.machine_code import host
from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.forward.kernel import Status
from gough.kinematics.forward.neural import network, neural_start
from gough.kinematics.model import Model
from gough.kinematics.samples import random_poses
from gough.kinematics.singularity.singularity import singularity
from gough.kinematics.size import machine_size
from gough.poses import displace, distance

N = 100_000
ROBOTS = ("kalani-2016", "demo-hexapod", "bingul-2012", "baiges-1996", "dietmaier-1998")
DISTANCES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
MICRO = 1e6
DEGREE = np.radians(1)


def displaced(robot, poses, way, angle, rng):
    """Poses moved by `way` machine sizes and turned by `angle` [rad], in random directions."""
    u, w = rng.normal(size=(2, len(poses), 3))
    u, w = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (u, w))
    return displace(poses, np.concatenate([way * machine_size(robot) * u, angle * w], -1))


def numpy_newton(model, q, guess, steps):
    """The same iteration by vectorised NumPy: so many steps for all."""
    platform = np.array([leg.platform for leg in model.robot.legs])
    base = np.array([leg.base for leg in model.robot.legs])
    position, attitude = guess[:, :3].copy(), gough.rotation(guess)
    for _ in range(steps):
        b = platform @ attitude.as_matrix().swapaxes(1, 2)
        span = position[:, None] + b - base
        length = np.sqrt((span**2).sum(-1))
        s = span / length[..., None]
        J = np.concatenate([s, np.cross(b, s)], -1)
        step = np.linalg.solve(J, (q - length)[..., None])[..., 0]
        position += step[:, :3]
        attitude = Rotation.from_rotvec(step[:, 3:]) * attitude
    return gough.pose(position, rotation=attitude)


def warm_starts(report):
    """From 1e-2 of the machine's size and one degree away.

    Nearer than that to a singularity two solutions are equally near: no method can know which.
    """
    rng = np.random.default_rng(0)
    for name in ROBOTS:
        model = Model(gough.load(name))
        true = random_poses(model, N, rng)
        q, guess = model.inverse_kinematics(true), displaced(model.robot, true, 1e-2, DEGREE, rng)
        clear = singularity(model, true).distance > 0.03 * machine_size(model.robot)
        for method in ("newton", "third-order"):
            found = forward_kinematics(model, q, guess, method=method)
            right = distance(found.pose, true, machine_size(model.robot)) < 1e-10
            (one,) = best_times(
                lambda m=model, a=q, g=guess, k=method: forward_kinematics(
                    m, a, g, method=k, threads=1
                ),
                seconds=0.7,
            )
            steps = f"{found.iterations.mean():.2f} steps, at most {found.iterations.max()}"
            report.at_most(f"{name}, {method}, one core", one / N * MICRO, 1, "us", steps)
            lost, near = int((~right & clear).sum()), ~right & ~clear
            report.at_most("  poses not found", lost, 0, f"of {clear.sum()}")
            if not clear.all():
                told = (
                    f"{near.sum()} of {(~clear).sum()}; flagged: {(near & ~found.converged).sum()}"
                )
                report.fact("  and nearer than 0.03 to a singularity", told)


def against_numpy(report):
    rng, count = np.random.default_rng(1), 10_000
    model = Model(gough.load("kalani-2016"))
    true = random_poses(model, count, rng)
    q, guess = (
        model.inverse_kinematics(true),
        displaced(model.robot, true, 1e-2, DEGREE, rng),
    )
    by_numpy = numpy_newton(model, q, guess, 4)
    assert distance(by_numpy, true, machine_size(model.robot)).max() < 1e-12
    fast, slow = best_times(
        lambda: forward_kinematics(model, q, guess, threads=1),
        lambda: numpy_newton(model, q, guess, 4),
    )
    detail = f"NumPy {slow / count * MICRO:.2f} us"
    report.at_least("kalani-2016: against vectorised NumPy, four steps", slow / fast, 10, detail)
    many, more = np.tile(q, (20, 1)), np.tile(guess, (20, 1))
    one, two = best_times(
        lambda: forward_kinematics(model, many, more, threads=1),
        lambda: forward_kinematics(model, many, more, threads=2),
    )
    report.fact("  two threads against one", f"{one / two:.2f}x")
    call, lone = best_times(
        repeated(lambda: model.inverse_kinematics(true[0])),
        repeated(lambda: forward_kinematics(model, q[0], guess[0])),
    )
    report.fact("  inverse kinematics, one call", f"{call / 2000 * MICRO:.1f} us")
    report.fact("  forward kinematics, one call", f"{lone / 2000 * MICRO:.1f} us")


def paths(report):
    """The path of Kalani's study, finely sampled."""
    model, samples = Model(gough.load("kalani-2016")), 20_000
    phase = np.sin(2 * np.linspace(0, 4, samples))[:, None]
    true = gough.pose([0, 0, 1] + phase * [0.1, 0.2, 0.2], rpy=phase * [0.25, 0.15, 0.25])
    q = model.inverse_kinematics(true)
    found = forward_kinematics(model, q, along=True)
    assert distance(found.pose, true, machine_size(model.robot)).max() < 1e-12

    def loop():
        guess = None
        for k in range(1000):
            guess = forward_kinematics(model, q[k], guess).pose

    side_by_side = np.repeat(q[None, :2000], 64, 0)
    alone, together, python = best_times(
        lambda: forward_kinematics(model, q, along=True),
        lambda: forward_kinematics(model, side_by_side, along=True),
        loop,
    )
    one, loops = alone / samples, python / 1000
    report.fact("along one path, one sample", f"{one * MICRO:.2f} us")
    report.fact("along 64 paths, one sample", f"{together / 128_000 * MICRO:.2f} us")
    report.at_least("along one path against a loop of calls", loops / one, 5)


def neural_starts(report):
    model = Model(gough.load("kalani-2016"))
    network(model.robot, progress=True)
    true = random_poses(model, N, np.random.default_rng(2))
    q = model.inverse_kinematics(true)
    start = neural_start(model.robot)
    times = best_times(
        lambda: start(q, threads=1),
        *(
            lambda g=guess, m=method: forward_kinematics(model, q, g, method=m, threads=1)
            for guess in ("home", "neural")
            for method in ("newton", "third-order")
        ),
        seconds=0.7,
    )
    network_time, newton, third, hybrid, modified = (t / N * MICRO for t in times)
    report.fact("kalani-2016: the network alone", f"{network_time:.3f} us")
    report.fact("  home + Newton, home + third order", f"{newton:.3f} us, {third:.3f} us")
    report.fact("  neural + Newton, neural + third order", f"{hybrid:.3f} us, {modified:.3f} us")


def from_home():
    """Which poses plain Newton finds from home, by their distance."""
    table = Table(
        title="Forward kinematics from home, by distance (machine sizes and radians): % of the "
        "poses\non home's side of det J = 0 (another: a solution, but not the pose looked for)",
        box=box.SIMPLE_HEAD,
        title_justify="left",
    )
    columns = "robot,distance,on home's side,right,another: flagged,another: not flagged,none,steps"
    for k, column in enumerate(columns.split(",")):
        table.add_column(column, justify="right" if k else "left")
    for name in ROBOTS:
        model, rng = Model(gough.load(name)), np.random.default_rng(3)
        home = np.tile(model.robot.home, (N, 1))
        home_side = np.linalg.det(model.jacobian(home[0]))
        for away in DISTANCES:
            true = displaced(model.robot, home, away, away, rng)
            same = np.linalg.det(model.jacobian(true)) * home_side > 0
            true = true[same]
            found = forward_kinematics(model, model.inverse_kinematics(true))
            right = distance(found.pose, true, machine_size(model.robot)) < 1e-6
            given = ~np.isnan(found.pose).any(-1)
            flagged = found.status == Status.OTHER_ASPECT
            shares = (right, given & ~right & flagged, given & ~right & ~flagged, ~given)
            table.add_row(
                name if away == DISTANCES[0] else "",
                f"{away:g}",
                f"{100 * same.mean():.1f}",
                *(f"{100 * share.mean():.3f}" for share in shares),
                f"{found.iterations.mean():.1f}",
            )
    Console(width=120).print(table)


def run():
    report = Report(f"Forward kinematics: {host().cpu}, {host().lanes} lanes")
    warm_starts(report)
    against_numpy(report)
    paths(report)
    neural_starts(report)
    report.show()
    from_home()
