"""Singularities and workspaces: kernels against NumPy and LAPACK, poses per second, volumes."""

from __future__ import annotations

from time import perf_counter

import numpy as np

import gough
from benchmarks.measure import Report, best_times
from gough.compiler import kernel_of
from gough.kinematics.singularity.singularity import (
    default_length,
    determinant,
    measure_function,
)
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, margin_kernel
from gough.kinematics.workspace.workspace import constant_orientation_workspace

N = 100_000


def random_poses(robot):
    rng = np.random.default_rng(0)
    position = np.array(robot.home[:3]) + rng.uniform(-0.2, 0.2, (N, 3))
    return gough.pose(position, rotation_vector=rng.uniform(-0.4, 0.4, (N, 3)))


def singularity_against_lapack(report, model, poses):
    """From poses to determinants, and to singular values, vectors, screw and distance."""
    machines, length = model.machines, default_length(model.robot)
    det = determinant(machines)
    all_measures = kernel_of(measure_function, machines, length)
    scale = np.array([1.0] * 3 + [length] * 3)
    few = poses[: N // 10]
    by_lapack, ours = np.linalg.det(model.jacobian(few)), det(few)
    assert np.abs(ours - by_lapack).max() < 1e-13, "determinants differ"
    values = np.linalg.svd(model.jacobian(few) / scale, compute_uv=False)
    assert np.abs(all_measures(few).singular_values - values).max() < 1e-13, "values differ"
    quick, slow, everything, svd = best_times(
        lambda: det(few, threads=1),
        lambda: np.linalg.det(model.jacobian(few, threads=1)),
        lambda: all_measures(few, threads=1),
        lambda: np.linalg.svd(model.jacobian(few, threads=1) / scale),
    )
    nano = 1e9 / len(few)
    report.at_least("det J, against numpy.linalg.det", slow / quick, 8, f"{quick * nano:.0f} ns")
    report.at_least(
        "all measures of a singularity, against numpy.linalg.svd alone",
        svd / everything,
        2,
        f"{everything * nano:.0f} ns",
    )


def numpy_margins(robot, pose, det_home):
    """Every limit by vectorised NumPy; angles as differences of cosines, which is quicker."""
    leg = robot.legs[0]
    base, b = (np.array([getattr(g, end) for g in robot.legs]) for end in ("base", "platform"))
    R = gough.rotation(pose).as_matrix()
    lever = b @ R.swapaxes(1, 2)
    span = pose[:, None, :3] + lever - base
    l = np.linalg.norm(span, axis=2)
    s = span / l[..., None]
    home = np.array(robot.home[:3]) + b - base
    s_home = home / np.linalg.norm(home, axis=1, keepdims=True)
    in_base = np.einsum("nik,ik->ni", s, s_home) - np.cos(leg.base_joint_limit)
    in_platform = np.einsum("nki,nki->nk", s_home @ R.swapaxes(1, 2), s)
    i, j = np.triu_indices(6, 1)
    gap = numpy_segment_distance(base[i], span[:, i], base[j], span[:, j]) - 2 * leg.radius
    J = np.concatenate([s, np.cross(lever, s)], axis=2)
    margins = (
        np.minimum(l - leg.stroke[0], leg.stroke[1] - l).min(1),
        in_base.min(1),
        (in_platform - np.cos(leg.platform_joint_limit)).min(1),
        gap.min(1),
        np.linalg.det(J) / det_home,
    )
    return np.stack(margins, 1)


def numpy_segment_distance(p, u, q, v):
    w = p - q
    uu, vv, uv, uw, vw = ((a * b).sum(-1) for a, b in ((u, u), (v, v), (u, v), (u, w), (v, w)))
    start = np.clip((uv * vw - uw * vv) / (uu * vv - uv * uv), 0, 1)
    t = np.clip((uv * start + vw) / vv, 0, 1)
    s = np.clip((uv * t - uw) / uu, 0, 1)
    return np.linalg.norm(w + s[..., None] * u - t[..., None] * v, axis=-1)


def margins_against_numpy(report, model, poses):
    robot = model.robot
    kernel = margin_kernel(robot, ALL_LIMITS)
    bounded = margin_kernel(robot, Limits(max_condition=10.0))
    det_home = float(determinant(model.machines)(robot.home))
    same = (kernel(poses) >= 0) == (numpy_margins(robot, poses, det_home) >= 0)
    assert same.all(), "NumPy finds other poses reachable"
    one, two, condition, slow = best_times(
        lambda: kernel(poses, threads=1),
        lambda: kernel(poses, threads=2),
        lambda: bounded(poses, threads=1),
        lambda: numpy_margins(robot, poses, det_home),
    )
    nano = f"{one / N * 1e9:.0f} ns"
    report.at_least(
        "margins of all limits, poses a second and core over 10^6", N / one / 1e6, 1, nano
    )
    report.at_least(
        "the same with a bound on the condition number", N / condition / 1e6, 1,
        f"{condition / N * 1e9:.0f} ns",
    )  # fmt: skip
    report.at_least("margins of all limits, against NumPy", slow / one, 10)
    report.fact("margins, two threads against one", f"{one / two:.2f}x")


def volumes(report, model):
    constant_orientation_workspace(model, tolerance=0.5)  # compiles
    start = perf_counter()
    rays = constant_orientation_workspace(model)
    by_rays = perf_counter() - start
    report.at_most("a workspace with boundary and volume by rays", by_rays, 10, "s")
    report.fact("  its volume", f"{rays.volume:.6f} ± {rays.volume_error:.6f} m³ (95 %)")


def proofs(report, robot):
    """All limits in every pose of a box of six dimensions, without and with tolerances."""
    box = [0.05] * 3, np.radians([5.0] * 3)
    numbers = dict.fromkeys(("legs[*].base", "legs[*].platform", "legs[*].length_offset"), 50e-6)
    for words, tolerances, most in (("", {}, 20), (", 42 numbers ± 50 µm", numbers, 60)):
        gough.prove(robot, *box, tolerances=tolerances, at_most=1)  # compiles
        start = perf_counter()
        found = gough.prove(robot, *box, tolerances=tolerances)
        seconds = perf_counter() - start
        assert found.verdict == "proved", found.verdict
        named = f"all limits proved, ± 50 mm and ± 5°{words}"
        report.at_most(named, seconds, most, "s", f"{len(found.proved)} boxes")


def run() -> None:
    """Measure and print."""
    model = gough.Model(gough.load("demo-hexapod"))
    poses = random_poses(model.robot)
    report = Report("Singularities and workspaces, demo-hexapod")
    singularity_against_lapack(report, model, poses)
    margins_against_numpy(report, model, poses)
    volumes(report, model)
    proofs(report, model.robot)
    report.show()
