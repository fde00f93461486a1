"""Proofs of robots that iterate, of poses that no leg reaches."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import cycle, product

import casadi as ca
import numpy as np
import pytest

import gough
from benchmarks.bench_enclosures import measured
from gough import kinematics
from gough.analysis import check_motion_proof
from gough.analysis.proved_motion import MotionSearch, searched_motion
from gough.compiler import Argument
from gough.equations.closure.assembled import assembled
from gough.errors import GoughError
from gough.executors import Processes
from gough.kinematics import Limits, check_proof
from gough.kinematics.proof import certificate, motor_quantities
from gough.kinematics.proof import prove as prove_module
from gough.kinematics.proof.branches import _BisectionTree
from gough.kinematics.proof.implicit import Enclosing, Implicit, _solved
from gough.kinematics.proof.joint_derivatives import JointDerivatives
from gough.kinematics.proof.prove import pose_at
from gough.kinematics.proof.regular_rows import locked_matrices
from gough.kinematics.proof.requirements import Required
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.motion import Quintic, line
from tests.kinematics.test_checker import changes_are_refused_or_true
from tests.kinematics.test_proof import sampled_margins

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
def test_poses_out_of_reach_are_not_proved_by_limits_of_closed_legs(place, tmp_path):
    robot, nothing = gough.load("five-bar"), Limits(families=())
    pose = [*place, *robot.home[2:]]
    assert np.isnan(gough.Model(robot).inverse_kinematics(pose)).any()
    found = gough.prove(robot, [5e-3, 5e-3, 0.0], pose=pose, limits=nothing, at_most=7)
    assert not found.proved
    replace(found, proved=("",), outside=(), undecided=()).save(tmp_path / "c.json")
    with pytest.raises(GoughError, match="closing of legs is not proved"):
        check_proof(tmp_path / "c.json", robot)


def test_a_robot_that_iterates_is_proved_and_checked(tmp_path):
    robot = gough.load("five-bar")
    found = gough.prove(robot, [2e-3, 2e-3, 0.0], limits=MOTORS)
    assert found.verdict == "proved"
    poses = pose_at(found.centre, np.random.default_rng(0).uniform(-1, 1, (500, 6)) * found.halves)
    assert 0 <= found.low.min() <= kinematics.margins(robot, poses, MOTORS).min()
    found.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", robot, at_most=1).evaluated == 1
    changes_are_refused_or_true(tmp_path / "c.json", robot, 8)
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
    check_proof(tmp_path / "d.json", robot, at_most=0)


def test_a_certificate_cannot_hide_its_boxes_behind_many_others(tmp_path):
    """A tree of boxes in place of the way from home, or small boxes beside one that is false."""
    robot = gough.load("tripod-3rps")
    pose = gough.Model(robot).possible_pose(np.add(robot.home, [0, 0, 0.05, 0, 0, 0, 0])).pose
    limits, path = Limits(families=("stroke",)), tmp_path / "c.json"
    gough.prove(robot, [0, 0, 0.01], [0.01, 0.01, 0], pose=pose, limits=limits).save(path)
    content = json.loads(path.read_text())
    tree = "+"
    for _ in range(8):
        tree = f"a{tree}{tree}"
    forged = content | {"halves": [0, 0, 0.04, 0.45, 0.45, 0]}
    for boxes, problem in (
        ([tree, "+"], "boxes of 2 regions; expected 1"),
        ([f"a+{tree}"], "is not proved"),
        ([f"a{tree}+"], "is not proved"),
    ):
        changed = forged | {"boxes": boxes}
        path.write_text(json.dumps(changed | {"sha256": certificate.digest(changed)}))
        with pytest.raises(GoughError, match=problem):
            check_proof(path, at_most=3)


def test_tolerances_of_a_robot_that_iterates_belong_to_its_proof(tmp_path):
    robot = gough.load("five-bar")
    assert Implicit(robot).count
    box = {"position": [1e-3, 1e-3, 0.0], "limits": Limits(families=("stroke",))}
    exact = gough.prove(robot, **box)
    fine, coarse = (gough.prove(robot, **box, tolerances={"joints[*].range": x}) for x in (0.01, 3))
    assert (exact.verdict, fine.verdict, coarse.verdict) == ("proved", "proved", "refuted")
    assert fine.low.min() < exact.low.min()
    for proof in (fine, coarse):  # some numbers are infinite
        proof.save(tmp_path / "c.json")
        assert check_proof(tmp_path / "c.json", robot).verdict == proof.verdict
    numbers = coarse.counter_example.coordinates[: len(coarse.machines.names)]
    assert not np.array_equal(numbers, coarse.machines.values)
    model, pose = gough.Model(robot, parametric=True), coarse.counter_example.pose
    found = kinematics.margins(model, pose, box["limits"], parameters=numbers).min()
    assert found == pytest.approx(coarse.counter_example.margin, abs=1e-9)
    family = Machines(gough.load("h4"), parametric=["leg.links[*].length"])
    with pytest.raises(GoughError, match="changes the geometry"):
        Required(box["limits"]).function(family)


def test_y_of_other_numbers_is_found_by_newtons_method():
    robot = gough.load("five-bar")
    machines, home = Machines(robot, parametric=True), np.array(robot.home)
    x = np.concatenate([machines.values, np.zeros(6)])[None]
    own, free = Enclosing(Machines(robot), home), Enclosing(machines, home)
    np.testing.assert_allclose(free.near(x), own.near(x[:, -6:]), atol=1e-12)


def test_second_derivatives_enclose_all_of_a_box_at_once():
    """Bounds of first derivatives alone take 128 boxes for the first."""
    strokes = Limits(families=("stroke",))
    for name, sides in (("h4", [2e-3, 0.01]), ("quattro", [1e-3, 0.01])):
        robot = gough.load(name)
        box = [sides[0]] * 3, [0.0, 0.0, sides[1]]
        found = gough.prove(robot, *box, limits=strokes)
        assert (found.verdict, found.proved) == ("proved", ("",))
        assert found.low.min() <= sampled_margins(robot, found, 200)
        assert found.low.min() > sampled_margins(robot, found, 200) - 0.01


def test_boxes_on_another_branch_than_home_are_undecided(monkeypatch):
    """A joint of H4 that has turned once more closes all gaps, too."""
    robot, near, strokes = gough.load("h4"), Enclosing.near, Limits(families=("stroke",))
    box = {"position": [5e-3] * 3, "limits": strokes}
    true = gough.prove(robot, **box)
    assert true.verdict == "proved"
    assert len(true.proved) > 1
    assert len(true.faces) == len(true.proved) - 1

    def turned(self, x):
        y = near(self, x)
        y[:, 4] += np.where(x[:, 0] > 0, 2 * np.pi, 0.0)
        return y

    monkeypatch.setattr(Enclosing, "near", turned)
    found = gough.prove(robot, **box)
    assert found.verdict == "undecided"
    assert found.share_undecided == 0.5
    boxes = found.boxes.bounds(found.proved)
    assert (boxes[:, 0, 1] <= 0).all()
    monkeypatch.setattr(Enclosing, "near", lambda self, x: near(self, x) + 2 * np.pi)
    assert not gough.prove(robot, **box).proved  # of one branch, but not of that of home


def test_intervals_of_a_motion_on_another_branch_than_before_are_undecided(monkeypatch):
    robot, near = gough.load("h4"), Enclosing.near
    motion = line(robot.home, [5e-3, 0, 0], Quintic(1.0))

    def proved():
        search = MotionSearch(robot, Required(Limits(families=("stroke",))), motion, ())
        return searched_motion(search, 1000)

    def turned(self, x):
        y = near(self, x)
        away = self.middle[..., 0] + x[:, 0] - robot.home[0]
        y[:, 4] += np.where(away > 2.5e-3, 2 * np.pi, 0.0)
        return y

    assert (found := proved()).verdict == "proved"
    assert set(found.bisections[0].values()) == {"+"}
    monkeypatch.setattr(Enclosing, "near", turned)
    found = proved()
    assert found.verdict == "undecided"
    assert found.proved.max() == found.undecided.min() == 0.5
    monkeypatch.setattr(Enclosing, "near", lambda self, x: near(self, x) + 2 * np.pi)
    assert not len(proved().proved)


def elsewhere(monkeypatch, is_other):
    """The five-bar's other solution, whose platform is turned: that of boxes `is_other` in x."""
    near = Enclosing.near

    def found(self, x):
        y = near(self, x)
        turned = y + [0.0, 0.0, 0.0, 1.455]
        for _ in range(2):
            turned = self._corrected(x, turned)
        assert (np.abs(turned - y).max(-1) > 1).all()
        return np.where(is_other(x)[:, None], turned, y)

    monkeypatch.setattr(Enclosing, "near", found)


@pytest.mark.parametrize(
    ("is_other", "match"),
    [
        (lambda x: x[:, 0] > 0, "different solutions"),
        (lambda x: x[:, 0] == x[:, 0], "begins with another solution than home"),
        (lambda x: (x[:, 0] > -5e-4) & (x[:, 1] > 5e-4), "different solutions"),
    ],
)
def test_the_checker_refuses_boxes_with_another_assembly_than_home(
    is_other, match, monkeypatch, tmp_path
):
    """All requirements hold there, but a robot cannot go there without a singularity."""
    robot, path = gough.load("five-bar"), tmp_path / "c.json"
    found = gough.prove(robot, [2e-3, 2e-3, 0.0], limits=Limits(families=()))
    proved = tuple(a + b for a in ("a", "A") for b in ("b", "B"))
    replace(found, proved=proved).save(path)
    assert check_proof(path, robot).evaluated == 4
    elsewhere(monkeypatch, is_other)
    with pytest.raises(GoughError, match=match):
        check_proof(path, robot)


def test_the_checker_follows_home_to_boxes_elsewhere(monkeypatch, tmp_path):
    robot, path = gough.load("five-bar"), tmp_path / "c.json"
    pose = np.array(robot.home) + [0.03, -0.02, 0, 0, 0, 0, 0]
    found = gough.prove(robot, [1e-3, 1e-3, 0.0], pose=pose, limits=Limits(families=()))
    found.save(path)
    content = json.loads(path.read_text())
    assert check_proof(path, robot).verdict == "proved"
    assert len(certificate._claims(certificate._of_box(content, robot), proved=True)) == 2
    elsewhere(monkeypatch, lambda x: x[:, 0] > -0.01)  # steps from the middle of the box
    with pytest.raises(GoughError, match="different solutions"):
        check_proof(path, robot)


def test_the_checker_compares_intervals_of_a_motion(monkeypatch, tmp_path):
    robot, near, path = gough.load("h4"), Enclosing.near, tmp_path / "c.json"
    motion = line(robot.home, [5e-3, 0, 0], Quintic(1.0))
    strokes = Limits(families=("stroke",))
    search = MotionSearch(robot, Required(strokes), motion, ())
    found = searched_motion(search, 1000)
    found.save(path)
    middle, turn = len(found.proved) // 2 - 1, cycle(range(len(found.proved)))
    monkeypatch.setattr(certificate.random, "expovariate", lambda _: abs(next(turn) - middle))
    assert check_motion_proof(path, robot, motion, at_most=2).evaluated == 2
    for limit, match in ((2.5e-3, "that touch have different solutions"), (-1.0, "than home")):

        def turned(self, x, limit=limit):
            y = near(self, x)
            away = self.middle[..., 0] + x[:, 0] - robot.home[0]
            y[:, 4] += np.where(away > limit, 2 * np.pi, 0.0)
            return y

        monkeypatch.setattr(Enclosing, "near", turned)
        with pytest.raises(GoughError, match=match):
            check_motion_proof(path, robot, motion, at_most=2)


def test_a_way_leads_from_home_to_boxes_elsewhere():
    robot = gough.load("five-bar")
    pose = np.array(robot.home) + [0.03, -0.02, 0, 0, 0, 0, 0]
    found = gough.prove(robot, [0.01, 0.01, 0.0], pose=pose, limits=Limits(families=("stroke",)))
    assert found.verdict == "proved"
    ((path, way),) = found.from_home
    np.testing.assert_allclose(way[0][:2], [-0.03, 0.02], atol=1e-12)
    (low, high), end = np.moveaxis(found.boxes.bounds([path])[0], -1, 0), np.array(way[-1])
    assert ((low <= end) & (end <= high)).all()


def test_locked_rows_are_singular_where_the_jacobian_is():
    """det of rows with locked motors = det of the rows by joints · det J, over those at home."""
    robot = gough.load("h4")
    machines, home, rng = Machines(robot), np.array(robot.home), np.random.default_rng(1)
    steps = np.concatenate(
        [np.zeros((1, 6)), rng.uniform(-0.03, 0.03, (6, 6)) * [1, 1, 1, 0, 0, 5]]
    )
    enclosing = Enclosing(machines, home)
    y = enclosing.near(steps)
    sizes = tuple(Required().regular(Machines(robot)))
    M, K = locked_matrices(machines, sizes)(steps, home, y)
    _, alone = enclosing._directions(np.arange(0), np.zeros((len(y), 0, y.shape[1])))
    A = enclosing._slopes(*(np.stack([x, x], -1) for x in (steps, y)), *alone)[0].mean(-1)
    poses = pose_at(home, steps)

    def determinants(machine, pose):
        at = assembled(machine, pose)
        return ca.vertcat(ca.det(at.J), ca.det(at.constraint_matrix))

    sides = machines.kernel("sides", determinants, [POSE], [Argument("det", (2,))])(poses).T
    for rows, side in zip((M, K), sides, strict=True):
        found = np.linalg.det(rows) / np.linalg.det(A)
        np.testing.assert_allclose(found / found[0], side / side[0], rtol=1e-6)
        assert np.ptp(side / side[0]) > 1e-3


def test_singularities_of_legs_that_iterate_are_excluded(tmp_path):
    robot = gough.load("h4")
    found = gough.prove(robot, [5e-3] * 3, [0.0, 0.0, 0.02], limits=MOTORS)
    assert found.verdict == "proved"
    assert len(found.proved) <= 40
    assert 0 < found.low.min() <= sampled_margins(robot, found, 200)
    small = gough.prove(robot, [2e-4] * 3, limits=MOTORS)
    small.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", robot).evaluated == 1


KINDS = {
    "delta": [0.5, 0.5, 0.4, 0, 0, 0],
    "planar-3rrr": [0.15, 0.15, 0, 0, 0, 0.5],
    "five-bar": [0.15, 0.15, 0, 0, 0, 0],
    "h4": [0.01, 0.01, 0.01, 0, 0, 0.05],
}


def test_random_boxes_of_all_kinds_are_decided_as_samples_say(tmp_path):
    """Samples never contradict a proof; a counter-example violates its limit in exact numbers."""
    rng, verdicts = np.random.default_rng(7), []
    for name, scale in KINDS.items():
        robot = gough.load(name)
        for _ in range(12):
            pose = pose_at(np.array(robot.home), rng.uniform(-1, 1, 6) * scale)
            half = 10 ** rng.uniform(-2, 0, 6) * scale / 2
            found = gough.prove(robot, half[:3], half[3:], pose=pose, limits=MOTORS, at_most=60)
            poses = pose_at(found.centre, rng.uniform(-1, 1, (100, 6)) * found.halves)
            sampled = np.nan_to_num(kinematics.margins(robot, poses, MOTORS), nan=-1.0).min()
            verdicts.append((name, found.verdict))
            if found.verdict == "proved":
                assert sampled >= found.low.min() >= 0
            if sampled < 0:
                assert found.verdict != "proved"
            if found.counter_example is not None:
                found.save(tmp_path / "c.json")
                check_proof(tmp_path / "c.json", robot, at_most=0)
    count = Counter(verdicts)
    assert all(count[name, "proved"] >= 1 for name in KINDS)
    assert all(count[name, "refuted"] >= 1 for name in ("delta", "planar-3rrr", "five-bar"))


def test_faces_compare_all_parts_that_touch():
    """Boxes in a row are compared one after the other; parts that are not proved are left out."""
    boxes = prove_module.Boxes(np.array([[-1.0, 1.0], [0.0, 1.0]]), (0, 1))
    row = _BisectionTree(boxes, ["a", "Aa", "AA"], []).faces()
    assert {(a, b) for a, b, _ in row} == {("a", "Aa"), ("Aa", "AA")}
    corner = _BisectionTree(boxes, ["ab", "AB"], ["aB", "Ab"]).faces()
    assert [(a, b, p.tolist()) for a, b, p in corner] == [("AB", "ab", [0.0, 0.5])]
    apart = _BisectionTree(boxes, ["aa", "AA"], ["aA", "Aa"]).faces()
    assert not list(apart)


@pytest.mark.parametrize(
    ("robot", "name", "order", "halvings"),
    [
        ("demo-hexapod", "joint_velocity", 1, 0),
        ("demo-hexapod", "forward_dynamics", 1, 0),  # which solves equations of a mass matrix
        ("demo-hexapod", "force_decomposition", 2, 0),  # with derivatives of such equations
        ("planar-3rrr", "inverse_dynamics", 1, 0),  # of J
        ("planar-3rrr", "joint_mass_matrix", 2, 0),
        ("planar-3rrr", "reactions", 1, 0),  # by speeds with bounds of their own
        ("planar-3rrr", "load_range", 1, 0),  # with planes that hardly feel the wrench
        ("dietmaier-1998", "wrench_margin", 1, 0),  # by normals of solutions, not of minors
        ("delta", "reactions", 1, 0),  # with dry friction of its motors
        ("delta", "actuator_force", 1, 0),
        ("five-bar", "actuator_force", 1, 0),  # of closures, which iterate
        ("quattro", "actuator_force", 1, 0),  # of legs with eleven joints, which iterate
        ("h4", "joint_acceleration", 1, 0),
        ("h4", "coriolis_matrix", 1, 1),
        ("tricept", "body_frames", 2, 0),  # of a platform whose other coordinates follow
    ],
)
def test_no_sampled_point_is_outside_of_bounds_of_kernels(robot, name, order, halvings):
    boxes = 6 if halvings else 20  # each is cut into many
    found = measured(gough.Model(gough.load(robot)), {name: (order, halvings)}, boxes, 200)[name]
    assert (found.outside, found.unknown) == (0, 0)
    assert 1 <= found.median <= 4
    if order == 2 or robot == "delta":
        assert found.narrow == found.counted


def test_positions_are_followed_where_iteration_from_home_finds_none():
    robot = gough.load("belt-scara")
    x, machines = np.array([[0.0405, -0.045, 0, 0, 0, 0]]), Machines(robot)
    assert np.isnan(_solved(machines)(x, np.array(robot.home))).any()
    enclosing = Enclosing(machines, np.array(robot.home))
    box = x[..., None] + 1e-4 * np.array([-1.0, 1.0]) * (x != 0)[..., None]
    found = enclosing.over(box, np.arange(2))
    assert np.isfinite(found.box).all()
    np.testing.assert_allclose(enclosing._gaps(*(np.stack([a, a], -1) for a in (x, found.near))),
                               0, atol=1e-12)  # fmt: skip


def test_poses_of_a_motion_that_iteration_does_not_reach_have_no_positions():
    robot = gough.load("h4")
    poses = np.array(robot.home) + np.array([[0.0], [3.0]]) * np.eye(7)[0]
    y = Enclosing(Machines(robot), poses).near(np.zeros((2, 6)))
    assert np.isfinite(y).all(-1).tolist() == [True, False]


@pytest.mark.parametrize("kernel", ["jacobian_rate", "body_jacobians"])
def test_derivatives_by_the_pose_of_legs_that_iterate_have_no_bounds(kernel):
    # joint positions of these legs are coordinates of a box, which do not follow another pose
    model = gough.Model(gough.load("ankle-2spu"))
    with pytest.raises(GoughError, match=f"{kernel} has no bounds .* derivatives by the pose"):
        model.over(kernel, rotation=[1e-3, 0.0, 0.0])


@pytest.mark.parametrize("name", ["h4", "quattro"])
def test_derivatives_of_joint_positions_are_enclosed_with_their_slopes(name):
    robot, rng = gough.load(name), np.random.default_rng(0)
    half, varied = np.array([3e-4, 3e-4, 3e-4, 0, 0, 1e-3]), np.array([0, 1, 2, 5])
    bounded, count = JointDerivatives(Machines(robot), np.array(robot.home)), 0
    middle = rng.uniform(-20, 20, 6) * half
    box = np.stack([middle - half, middle + half], -1)[None]
    (found,), (narrow,) = ([x] for x in bounded.over(box, varied))
    steps = middle + rng.uniform(-1, 1, (20, 6)) * half

    def at(x):
        thin = bounded.over(np.stack([x, x], -1), varied[:0])[0].box
        assert np.diff(thin).max() < 1e-5
        return thin.mean(-1)

    each, count = at(steps), bounded.count
    assert ((found.box[..., 0] - 1e-5 <= each) & (each <= found.box[..., 1] + 1e-5)).all()
    for number, axis in enumerate(varied):
        h = 1e-4 * np.eye(6)[axis]
        change, (low, high) = (at(steps + h) - at(steps - h)) / 2e-4, found.slopes[0, number].T
        size = 1e-4 * (1 + np.abs(change))
        assert ((low - size <= change) & (change <= high + size))[:, : 7 * count].all()
        first = at(middle[None])[:, count * (1 + axis) : count * (2 + axis)]
        turns = change[:, :count].mean(0)  # z is that of the machine
        np.testing.assert_allclose(first[0], turns, atol=0.02 * np.abs(first).max())
    assert np.isfinite(narrow.box).all()


def wrist():
    """A ball in the middle, and three legs without a closed form, whose hinges are oblique."""
    joints = ["R*", {"type": "R", "axis": [0.2, 1, 0.1]}, {"type": "R", "axis": [0.1, -0.2, 1]}]
    leg = {
        "joints": [*joints, "S"],
        "base": [0.25, 0, 0],
        "platform": [0.11, 0.04, 0],
        "axis": [-0.1, 1, 0.2],
        "links": [
            {"name": "arm", "end": [0.45, 0, 0.08], "mass": 0.6, "center_of_mass": [0.02, 0, 0.09]},
            {"name": "bend", "end": [0.4, 0.1, 0.17], "mass": 0.2, "center_of_mass": [0, 0.02, 0]},
            {"name": "rod", "mass": 0.1, "center_of_mass": [0, 0.01, 0.1]},
        ],
    }
    return {
        "schema": "gough/2",
        "name": "wrist",
        "platform": {
            "mass": 2,
            "center_of_mass": [0.02, -0.01, 0.03],
            "inertia": [0.01, 0.012, 0.02],
            "home": {"position": [0, 0, 0.45]},
            "moves": ["rx", "ry", "rz"],
        },
        "leg": leg,
        "legs": [{}],
        "pattern": {"copies": 3},
        "joints": [{"name": "ball", "type": "S", "between": ["base", "platform"],
                    "at": [0, 0, 0.45]}],
    }  # fmt: skip


def test_derivatives_of_joint_positions_follow_turns_about_all_axes():
    """Displacements count from where steps have turned the platform: these do not commute."""
    robot, axes = gough.Robot.from_dict(wrist()), np.arange(3, 6)
    bounded = JointDerivatives(Machines(robot), np.array(robot.home))
    middle = np.array([0.0, 0.0, 0.0, -0.19, 0.12, 0.16])

    def at(x):
        return bounded.over(np.stack([x, x], -1)[None], axes[:0])[0].box[0].mean(-1)

    found = bounded.over(np.stack([middle, middle], -1)[None], axes)[0].slopes[0]
    assert np.diff(found).max() < 1e-6
    for slopes, unit in zip(found.mean(-1), np.eye(6)[axes], strict=True):
        near, far = (at(middle + h * unit) - at(middle - h * unit) for h in (1e-3, 2e-3))
        np.testing.assert_allclose(slopes, (8 * near - far) / 0.012, atol=1e-8)


@pytest.mark.parametrize("name", ["joint_acceleration", "inverse_dynamics", "reactions"])
def test_no_sampled_point_is_outside_of_bounds_where_all_axes_turn(name):
    found = measured(gough.Model(gough.Robot.from_dict(wrist())), {name: (1, 0)}, 10, 100)[name]
    assert (found.outside, found.unknown) == (0, 0)
    assert found.counted
    assert 1 <= found.median <= 1.5


@pytest.mark.parametrize("name", ["inverse_kinematics", "is_singular"])
def test_no_output_has_bounds_where_one_leg_may_not_close(name):
    """The other leg has positions there; but the kernels have no value, or say singular."""
    model = gough.Model(gough.load("five-bar"))
    centre, half = np.array([-0.1314, 0.4148, 0, 1, 0, 0, 0]), np.array([2e-3, 2e-3, 0, 0, 0, 0])
    poses = model.possible_pose(pose_at(centre, np.array([half, -half]))).pose
    assert np.isnan(model.inverse_kinematics(poses)).all(-1).tolist() == [True, False]
    assert model.is_singular(poses).tolist() == [1, 0]
    assert np.isinf(model.over(name, half[:3], pose=centre)).all()


def test_workers_share_a_proof_and_give_the_same_certificate(tmp_path, monkeypatch):
    robot, box = gough.load("planar-3rrr"), {"position": [0.3, 0.3, 0.0], "at_most": 300}
    monkeypatch.setattr(prove_module, "_TOGETHER", 7)
    alone = gough.prove(robot, **box, limits=Limits(families=()), volume=True)
    with Processes(2) as workers:
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


def test_speeds_and_torques_are_those_of_motions_that_the_platform_can_do(tmp_path):
    """The orientation of a five-bar follows from x and y, and so do its rates: by differences."""
    robot, side, speed, fast = gough.load("five-bar"), 5e-3, 1.5, 20.0
    twist, acceleration = [speed, speed, 0, 0, 0, 0], [fast, fast, 0, 0, 0, 0]
    centre = np.array(robot.home) + [0.05, 0.05, 0, 0, 0, 0, 0]
    found = gough.prove(robot, [side, side, 0], pose=centre, limits=Limits(families=()),
                        twist=twist, acceleration=acceleration)  # fmt: skip
    model, rng, e, n = gough.Model(robot), np.random.default_rng(0), 1e-4, 4000
    signs = rng.choice([-1.0, 1.0], (n, 2)), rng.choice([-1.0, 1.0], (n, 2))
    start = np.tile(centre, (n, 1))
    start[:, :2] += rng.uniform(-side, side, (n, 2))
    before, at, after = (start.copy() for _ in range(3))
    for pose, t in ((before, -e), (after, e)):
        pose[:, :2] += speed * signs[0] * t + fast * signs[1] * t**2 / 2
    before, at, after = (model.possible_pose(pose).pose for pose in (before, at, after))
    q = [model.inverse_kinematics(pose) for pose in (before, after)]
    back, on = (gough.poses.difference(pose, at) for pose in (before, after))
    torques = model.actuator_force(at, (on - back) / (2 * e), (on + back) / e**2)
    sizes = [(np.abs(q[1] - q[0]) / (2 * e)).max(0), np.abs(torques).max(0)]
    most = [[a.max_speed for a in robot.actuators], [a.max_force for a in robot.actuators]]
    margins = np.ravel(1 - np.divide(sizes, most))
    rows = [row.family in ("speed", "force") for row in found.required.rows(robot)]
    assert (found.low[rows] <= margins + 1e-6).all()
    assert (found.low[rows] > margins - [0.05, 0.05, 0.45, 0.45]).all()
    found.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", robot, at_most=1).verdict == "proved"


def test_the_size_of_a_polynomial_counts_each_of_its_coefficients():
    x, at = ca.SX.sym("x", 6), np.array([0.5, -0.2, 0.3, 0.0, 0.1, -0.4])
    signs = np.array(list(product([-1.0, 0.0, 1.0], repeat=6))).T
    for of, reached in (
        (3 + 2 * x[0] - 7 * x[1] ** 2 + x[0] * x[2], True),
        (x[0] ** 2 - 5 * x[1] ** 2 - 0.1, True),
        (1 + x[0] * x[1] + x[1] * x[2] - x[0] * x[2], False),
    ):
        most = float(ca.Function("most", [x], [motor_quantities._quadratic_size(of, x)])(at))
        values = np.abs(np.array(ca.Function("of", [x], [of])(signs * np.abs(at)[:, None])))
        assert values.max() <= most + 1e-15
        assert (values.max() == pytest.approx(most, rel=1e-14)) == reached
    other = ca.sin(x[0]) + x[1] ** 3
    alone = ca.Function("alone", [x], [motor_quantities._quadratic_size(other, x)])
    assert float(alone(at)) == abs(np.sin(at[0]) + at[1] ** 3)
