"""Proofs of robots that iterate, of poses that no leg reaches, of areas in closed form."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest

import gough
from benchmarks.bench_enclosures import measured
from gough import kinematics
from gough.errors import GoughError
from gough.executors import Threads
from gough.kinematics import Limits
from gough.kinematics.proof import prove as prove_module
from gough.kinematics.proof.implicit import Enclosing, Implicit, _solved
from gough.kinematics.proof.prove import pose_at
from gough.model.machines import Machines
from tests.kinematics.test_proof import checker

MOTORS = Limits(families=("stroke", "singularity"))


@pytest.mark.parametrize(
    ("name", "half"),
    [
        ("five-bar", [1e-3, 1e-3, 0, 0, 0, 0]),  # its orientation follows from x and y
        ("h4", [3e-4, 3e-4, 3e-4, 0, 0, 1e-3]),  # two legs of seven joints without a closed form
    ],
)
def test_an_enclosure_holds_the_solutions_of_sampled_poses(name, half):
    robot, half, rng = gough.load(name), np.array(half), np.random.default_rng(0)
    machines, home, varied = Machines(robot), np.array(robot.home), np.flatnonzero(half)
    middle = rng.uniform(-5, 5, (4, 6)) * half
    boxes = np.stack([middle - half, middle + half], -1)
    found = Enclosing(machines, home).over(boxes, varied)
    assert np.isfinite(found.box).all()
    steps = boxes[:, None, :, 0] + rng.random((4, 300, 6)) * np.diff(boxes)[:, None, :, 0]
    y = _solved(machines)(steps, home)
    low, high = np.moveaxis(found.box[:, None], -1, 0)
    assert ((low - 1e-12 <= y) & (y <= high + 1e-12)).all()  # samples are rounded
    width, true = np.diff(found.box)[..., 0], np.ptp(y, axis=1)
    assert (width <= 4 * true + 1e-9).all()
    change = (
        (y[:, 1:] - y[:, :1])
        - np.einsum(  # by the mean-value theorem, within the slopes
            "nvy,nsv->nsy", found.tilt, (steps[:, 1:] - steps[:, :1])[..., varied]
        )
    )
    most = np.einsum(
        "nvy,nsv->nsy",
        np.abs(found.slopes).max(-1),
        np.abs(steps[:, 1:] - steps[:, :1])[..., varied],
    )
    assert (np.abs(change) <= most + 1e-12).all()


def test_a_box_is_unknown_where_no_or_no_single_solution_is_proved():
    robot = gough.load("five-bar")
    enclosing = Enclosing(Machines(robot), np.array(robot.home))
    far, wide = np.array([5.0, 0, 0, 0, 0, 0]), np.array([0.1, 0.1, 0, 0, 0, 0])
    boxes = np.stack([np.stack([far, far + wide], -1), np.stack([-wide, wide], -1)])
    assert np.isnan(enclosing.over(boxes, np.arange(2)).box).all()


@pytest.mark.parametrize("place", [(0.25, 0.35), (0.2, 0.45)])
def test_poses_out_of_reach_are_not_proved_by_limits_of_closed_legs(place, tmp_path, monkeypatch):
    robot, nothing = gough.load("five-bar"), Limits(families=())
    pose = [*place, *robot.home[2:]]
    assert np.isnan(gough.Model(robot).inverse_kinematics(pose)).any()
    found = gough.prove(robot, [5e-3, 5e-3, 0.0], pose=pose, limits=nothing, at_most=7)
    assert not found.proved
    replace(found, proved=("",), outside=(), undecided=()).save(tmp_path / "c.json")
    monkeypatch.setattr(checker, "_DEEPEST", 1)
    with pytest.raises(GoughError, match="box '' is not proved"):
        checker.check_proof(tmp_path / "c.json", robot)


def test_a_robot_that_iterates_is_proved_and_checked(tmp_path):
    robot = gough.load("five-bar")
    found = gough.prove(robot, [2e-3, 2e-3, 0.0], limits=MOTORS)
    assert found.verdict == "proved"
    poses = pose_at(found.centre, np.random.default_rng(0).uniform(-1, 1, (500, 6)) * found.halves)
    assert 0 <= found.low.min() <= kinematics.margins(robot, poses, MOTORS).min()
    found.save(tmp_path / "c.json")
    assert checker.check_proof(tmp_path / "c.json", robot, at_most=1)[1] == 1
    model = gough.Model(robot)
    low, high = model.over("inverse_kinematics", [1e-3, 1e-3, 0.0]).T
    q = model.inverse_kinematics(kinematics.possible_pose(robot, poses).pose)
    q = q[np.abs(poses - robot.home)[:, :2].max(-1) < 1e-3]
    assert len(q) > 50
    assert ((low <= q) & (q <= high)).all()
    assert (high - low < 1.6 * np.ptp(q, axis=0)).all()
    refuted = gough.prove(robot, [0.5, 0.5, 0.0], limits=MOTORS)
    assert refuted.verdict == "refuted"
    assert not kinematics.margins(robot, refuted.counter_example.pose, MOTORS).min() >= 0
    refuted.save(tmp_path / "d.json")
    checker.check_proof(tmp_path / "d.json", robot, at_most=0)


def test_tolerances_of_a_robot_that_iterates_are_refused():
    robot = gough.load("five-bar")
    assert Implicit(robot).count
    with pytest.raises(GoughError, match="closed form"):
        gough.prove(robot, [1e-3, 0.0, 0.0], limits=MOTORS, tolerances={"*": 1e-5})


def area_of_annuli(centres, low, high):
    """Area of the intersection of annuli, by Green's theorem along the arcs of its boundary."""

    def inside(p):
        away = np.linalg.norm(p - centres, axis=1)
        return ((low - 1e-9 <= away) & (away <= high + 1e-9)).all()

    circles = [(c, r, sign) for c, a, b in zip(centres, low, high, strict=True)
               for r, sign in ((b, 1), (a, -1)) if r > 0]  # fmt: skip
    cuts = [[0.0] for _ in circles]
    for (i, (p, r, _)), (j, (q, s, _)) in combinations(enumerate(circles), 2):
        d = np.linalg.norm(q - p)
        if abs(r - s) < d < r + s:
            for a, b, one, other, k in ((p, q, r, s, i), (q, p, s, r, j)):
                turn = np.arccos((d * d + one * one - other * other) / (2 * d * one))
                at = np.arctan2(*(b - a)[::-1])
                cuts[k] += [(at - turn) % (2 * np.pi), (at + turn) % (2 * np.pi)]
    area = 0.0
    for (c, r, sign), angles in zip(circles, cuts, strict=True):
        ends = [*sorted(angles), 2 * np.pi]
        for a, b in pairwise(ends):
            if inside(c + r * np.array([np.cos((a + b) / 2), np.sin((a + b) / 2)])):
                chord = c[0] * (np.sin(b) - np.sin(a)) - c[1] * (np.cos(b) - np.cos(a))
                area += sign * (r * r * (b - a) + r * chord) / 2
    return area


def test_areas_of_annuli_are_those_of_simple_cases():
    ring = np.zeros((1, 2)), np.array([1.0]), np.array([2.0])
    assert area_of_annuli(*ring) == pytest.approx(3 * np.pi)
    lens = np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros(2), np.ones(2)
    assert area_of_annuli(*lens) == pytest.approx(2 * np.pi / 3 - np.sqrt(3) / 2)


def test_the_workspace_of_a_planar_3rrr_is_bounded_from_both_sides(tmp_path):
    """Without limits the origin is in three annuli, of the sum and difference of two links."""
    robot = gough.load("planar-3rrr")
    found = gough.prove(robot, [0.3, 0.3, 0.0], limits=Limits(families=()), volume=True,
                        at_most=1500)  # fmt: skip
    low, high = found.measure
    turns = 2 * np.pi / 3 * np.arange(3)
    centres = (0.35 - 0.09) * np.stack([np.cos(turns), np.sin(turns)], -1)  # base less platform
    area = area_of_annuli(centres, np.full(3, 0.26 - 0.2), np.full(3, 0.26 + 0.2))
    assert low < area < high
    assert high - low < 0.1 * area
    assert found.counter_example.limit.family == "assembly"
    assert np.isnan(kinematics.margins(robot, found.counter_example.pose)).all()
    found.save(tmp_path / "c.json")
    assert checker.check_proof(tmp_path / "c.json", robot, at_most=6)[1] == 6


@pytest.mark.parametrize("name", ["inverse_kinematics", "joint_velocity"])
def test_no_sampled_point_is_outside_of_bounds_of_kernels(name):
    found = measured(gough.Model(gough.load("demo-hexapod")), name, boxes=20, points=200)
    assert (found.outside, found.unknown) == (0, 0)
    assert 1 <= found.median <= 4


def test_workers_share_a_proof_and_give_the_same_certificate(tmp_path, monkeypatch):
    robot, box = gough.load("planar-3rrr"), {"position": [0.3, 0.3, 0.0], "at_most": 300}
    monkeypatch.setattr(prove_module, "_TOGETHER", 7)
    alone = gough.prove(robot, **box, limits=Limits(families=()), volume=True)
    with Threads(2) as workers:
        shared = gough.prove(
            robot, **box, limits=Limits(families=()), volume=True, executor=workers
        )
    for name, proof in (("alone", alone), ("shared", shared)):
        proof.save(tmp_path / name)
    assert (tmp_path / "alone").read_text() == (tmp_path / "shared").read_text()
    np.testing.assert_array_equal(alone.low, shared.low)
    job = partial(prove_module._bounded, shared.required, shared.machines, shared.centre)
    (found,) = pickle.loads(pickle.dumps(job))(np.arange(2), [shared.boxes.whole[None]])
    assert found.low.shape == (1, 3)
