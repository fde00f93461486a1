"""Proofs hold at every sampled pose, refutations break a limit, untrue certificates are refused."""

from __future__ import annotations

import json
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import gough
from gough import kinematics
from gough.compiler import Argument, Function, Kernel
from gough.errors import GoughError
from gough.kinematics import Limits, check_proof
from gough.kinematics.proof import certificate, checker
from gough.kinematics.proof import prove as prove_module
from gough.kinematics.proof.bounding import Bounding
from gough.kinematics.proof.mean_value import bounds, taylor_bounds
from gough.kinematics.proof.prove import pose_at
from gough.kinematics.proof.requirements import Required
from gough.model.machines import Machines
from tests.kinematics.test_checker import changes_are_refused_or_true

STROKES = Limits(families=("stroke",))
JOINTS = Limits(families=("stroke", "base joint"))


@pytest.fixture(scope="module")
def hexapod():
    return gough.load("demo-hexapod")


def sampled_margins(robot, found, samples=2000, seed=0):
    """The minimum margin of random poses of a proof's box, corners among them."""
    rng = np.random.default_rng(seed)
    shares = rng.uniform(-1, 1, (samples, 6))
    shares[: samples // 2] = np.sign(shares[: samples // 2])
    poses = pose_at(found.centre, shares * found.halves)
    margins = kinematics.margins(robot, poses, found.required.limits)
    assert not np.isnan(margins).any()
    return margins.min()  # families without a limit are infinite


def test_a_box_is_proved_and_no_sampled_pose_contradicts_it(hexapod):
    found = gough.prove(hexapod, [0.05] * 3, [0.0872] * 3, limits=JOINTS)
    assert found.verdict == "proved"
    assert found.share_undecided == 0
    low, sampled = found.low.min(), sampled_margins(hexapod, found)
    assert 0 <= low <= sampled
    assert low > sampled - 0.2  # bounds are not far below the truth
    rows = found.to_dict()["margins"]
    assert {row["family"] for row in rows} == {"stroke", "base joint"}
    assert "proved for all poses" in found.heading[1]


def test_two_hundred_random_boxes_are_decided_as_sampling_says(hexapod):
    rng = np.random.default_rng(4)
    verdicts = []
    for case in range(200):
        pose = np.array(hexapod.home)
        pose[:3] += rng.uniform(-0.15, 0.15, 3)
        sides = 10 ** rng.uniform(-3, -1.2, 6) * (rng.random(6) < 0.8) + [1e-4, 0, 0, 0, 0, 0]
        found = gough.prove(hexapod, sides[:3], sides[3:], pose=pose, limits=JOINTS, at_most=100)
        sampled = sampled_margins(hexapod, found, 100, seed=case)
        verdicts.append(found.verdict)
        if found.verdict == "proved":
            assert sampled >= found.low.min() >= 0
        if found.verdict == "refuted":
            example = found.counter_example
            assert kinematics.margins(hexapod, example.pose, JOINTS).min() < 0
            assert (np.abs(example.coordinates) <= found.halves).all()
        if sampled < 0:
            assert found.verdict != "proved"
    assert min(verdicts.count("proved"), verdicts.count("refuted")) > 20
    assert verdicts.count("undecided") <= 4


def test_compiled_bounds_hold_values_of_30_digits(hexapod):
    required, machines = Required(JOINTS), Machines(hexapod)
    bounding = Bounding(required, machines, np.array(hexapod.home))
    f = required.function(machines).traced
    points = np.random.default_rng(5).uniform(-0.1, 0.1, (12, 6))
    half = 1e-3
    boxes = bounding.over(np.stack([points - half, points + half], -1), np.arange(6))
    for k, (point, found) in enumerate(zip(points, bounding.at(points), strict=True)):
        given = [*point, *hexapod.home, *point]
        margins = checker._over(f, ([checker.exact(float(x)) for x in given], [], []))
        for j, (low, high) in enumerate(found):
            _, _, value, _ = margins[j]
            assert value.high - value.low < 1e-30 * checker.ONE.low
            assert checker.exact(low).low <= value.low <= value.high <= checker.exact(high).high
            assert high - low < 1e-13
            assert checker.exact(boxes.low[k, j]).low <= value.low
            assert value.high <= checker.exact(boxes.high[k, j]).high


def test_a_refutation_has_a_pose_that_exceeds_the_limit_in_exact_arithmetic(hexapod, tmp_path):
    found = gough.prove(hexapod, [0.2] * 3, [0.1] * 3, limits=JOINTS)
    assert found.verdict == "refuted"
    found.save(tmp_path / "c.json")
    check_proof(tmp_path / "c.json", hexapod)
    shown = " ".join(str(cell) for row in found.tables()[0].rows for cell in row)
    assert "stroke of leg" in shown or "base joint of" in shown


@pytest.fixture(scope="module")
def small(hexapod, tmp_path_factory):
    """A proof of few boxes, and its certificate."""
    found = gough.prove(hexapod, [0.06] * 3, [0.105] * 3, limits=JOINTS)
    path = tmp_path_factory.mktemp("proof") / "certificate.json"
    found.save(path)
    return found, path


def test_the_independent_checker_verifies_a_certificate(hexapod, small):
    found, path = small
    assert found.verdict == "proved"
    checked = check_proof(path, at_most=4)
    assert (checked.boxes, checked.evaluated) == (len(found.proved), min(4, checked.boxes))
    assert checked.verdict == "proved"
    assert "stroke, base joint" in checked.statement


CHANGES = {
    "another robot": lambda c: c | {"fingerprint": "0" * 64},
    "a larger box": lambda c: c | {"halves": [4 * half for half in c["halves"]]},
    "another centre": lambda c: c | {"centre": [0.0, 0.0, 1.09, *c["centre"][3:]]},
    "a box left out": lambda c: c | {"boxes": [c["boxes"][0][:-1]]},
    "a box twice": lambda c: c | {"boxes": [c["boxes"][0] + "+"]},
    "two wholes": lambda c: c | {"boxes": [*c["boxes"], "+"]},
    "an axis that is none": lambda c: c | {"boxes": ["g++"]},
    "another verdict": lambda c: c | {"verdict": "undecided"},
    "an undecided box": lambda c: c | {"boxes": ["?"]},
    "an untrue counter-example": lambda c: (
        c | {"verdict": "refuted", "counter_example": example(0, [0.0] * 6)}
    ),
    "a longer box": lambda c: c | {"halves": [*c["halves"], 0.0]},
    "a side below zero": lambda c: c | {"halves": [-1.0, *c["halves"][1:]]},
    "a longer centre": lambda c: c | {"centre": [*c["centre"], 0.0]},
    "a centre turned twice": lambda c: (
        c | {"centre": [*c["centre"][:3], *(2 * x for x in c["centre"][3:])]}
    ),
    "nothing required": lambda c: c | {"required": c["required"] | {"limits": {"families": []}}},
    "tolerances of no number": lambda c: c | {"tolerances": {"legs[0].bass[0]": 1e-6}},
    "a tolerance below zero": lambda c: c | {"tolerances": {"legs[0].base[0]": -1e-6}},
    "a requirement that is none": lambda c: (
        c | {"verdict": "refuted", "counter_example": example(-1, [1.0] * 6)}
    ),
    "a counter-example of a longer box": lambda c: (
        c | {"verdict": "refuted", "counter_example": example(0, [0.0] * 7)}
    ),
    "a ball beyond its box": lambda c: c | {"required": c["required"] | {"radius": 5.0}},
    "a ball in a corner": lambda c: (
        c | {"required": c["required"] | {"radius": 0.06}, "halves": [0.06, 0.06, 0, *[0.105] * 3]}
    ),
    "signs of two letters": lambda c: c | {"boxes": [["+-"]]},
    "bisections without end": lambda c: c | {"boxes": [1500 * "a" + 1501 * "+"]},
    "a length below zero": lambda c: (
        c | {"required": c["required"] | {"limits": {"characteristic_length": -1.0}}}
    ),
    "a counter-example outside": lambda c: (
        c | {"verdict": "refuted", "counter_example": example(0, [0.5] * 6)}
    ),
}


def example(requirement, coordinates):
    return {"part": 0, "requirement": requirement, "coordinates": coordinates}


@pytest.mark.parametrize("change", CHANGES)
def test_a_certificate_with_a_changed_statement_is_refused(hexapod, small, tmp_path, change):
    content = json.loads(small[1].read_text())
    changed = CHANGES[change](content)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(changed))
    with pytest.raises(GoughError, match="the certificate was changed"):
        check_proof(path, hexapod, at_most=1)
    path.write_text(json.dumps(changed | {"sha256": certificate.digest(changed)}))
    with pytest.raises(GoughError, match="the certificate does not hold"):
        check_proof(path, hexapod, at_most=1)


def test_files_that_are_no_certificates_are_refused(hexapod, tmp_path):
    for text in ("", "[]", "{}", '{"format": "other"}', 100_000 * "["):
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(GoughError, match=r"no certificate|recursion depth"):
            certificate.read_proof(tmp_path / "x.json", hexapod)
    (tmp_path / "x.json").write_text('{"verdict": "proved", "verdict": "refuted"}')
    with pytest.raises(GoughError, match="verdict: given twice"):
        certificate.read_proof(tmp_path / "x.json", hexapod)
    content = {"format": certificate.FORMAT}
    (tmp_path / "x.json").write_text(json.dumps({**content, "sha256": certificate.digest(content)}))
    with pytest.raises(GoughError, match="the certificate does not hold: it has no entry 'robot'"):
        check_proof(tmp_path / "x.json")
    with pytest.raises(GoughError, match="no such file; expected a certificate"):
        certificate.read_proof(tmp_path / "absent.json", hexapod)


UNREADABLE = {
    "a ball beyond its box": {"required": {"radius": 5.0}},
    "another axis": {"boxes": ["w++"]},
    "a box too many": {"boxes": ["++"]},
    "no code": {"boxes": [None]},
    "tolerances that are none": {"tolerances": ["legs[0].base.x"]},
    "a side that is no number": {"halves": [0.06, 0.06, 0.06, 0.1, 0.1, "?"]},
    "a counter-example without a place": {"counter_example": {"requirement": 0}},
    "a counter-example far away": {"counter_example": example(0, [1e300] * 6)},
    "a counter-example that violates nothing": {"counter_example": example(0, [0.0] * 6)},
}


@pytest.mark.parametrize("change", UNREADABLE)
def test_certificates_that_state_nonsense_are_not_carried_on(hexapod, small, tmp_path, change):
    content = json.loads(small[1].read_text())
    changed = content | UNREADABLE[change]
    changed["required"] = content["required"] | changed["required"]
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(changed | {"sha256": certificate.digest(changed)}))
    with pytest.raises(GoughError, match="the certificate does not hold"):
        certificate.read_proof(path, hexapod)


def test_what_refutes_is_evaluated_again_however_few_boxes_are(hexapod, small, tmp_path):
    content = json.loads(small[1].read_text()) | {"verdict": "refuted", "boxes": ["-"]}
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(content | {"sha256": certificate.digest(content)}))
    with pytest.raises(GoughError, match="no requirement is violated everywhere"):
        check_proof(path, hexapod, at_most=0)


def test_what_is_verified_of_a_condition_number_has_its_length(hexapod, tmp_path):
    limits = Limits(families=(), max_condition=6.0, characteristic_length=0.5)
    gough.prove(hexapod, [1e-3] * 3, limits=limits).save(tmp_path / "c.json")
    statement = check_proof(tmp_path / "c.json", hexapod).statement
    assert "condition number at most 6, rotations by 0.5 m" in statement


def test_what_is_verified_are_limits_that_the_robot_states(tmp_path):
    robot = gough.load("planar-3rrr")
    joints = tuple(joint.model_copy(update={"range": None}) for joint in robot.joints)
    free = robot.model_copy(update={"joints": joints})
    for one, stated in ((robot, "; assembly, range; "), (free, "; assembly; ")):
        gough.prove(one, [1e-3, 1e-3, 0], limits=STROKES).save(tmp_path / "c.json")
        assert stated in check_proof(tmp_path / "c.json", one).statement


def test_regions_are_stated_with_nine_digits(hexapod, tmp_path):
    found = gough.prove(hexapod, [0.01, 0.01, 0.0123456], [0.05, 0, 0], limits=STROKES)
    found.save(tmp_path / "c.json")
    for words in (found.heading[1], check_proof(tmp_path / "c.json", hexapod).statement):
        assert "± 0.01  0.01  0.0123456 m with ± 2.86478898  0  0 deg" in words


def test_an_undecided_proof_is_carried_on_from_its_certificate(hexapod, small, tmp_path):
    first = gough.prove(hexapod, [0.06] * 3, [0.105] * 3, limits=JOINTS, at_most=2)
    assert first.verdict == "undecided"
    assert 0 < first.share_undecided <= 1
    first.save(tmp_path / "part.json")
    again = kinematics.read_proof(tmp_path / "part.json", hexapod)
    done = kinematics.carried_on(again)
    assert done.verdict == "proved"
    assert sorted(done.proved) == sorted(small[0].proved)


def test_an_interrupt_keeps_what_is_known(hexapod, monkeypatch):
    calls = []

    def interrupted(self, boxes, varied, real=prove_module.Bounding.over):
        calls.append(len(boxes))
        if len(calls) > 1:
            raise KeyboardInterrupt
        return real(self, boxes, varied)

    monkeypatch.setattr(prove_module.Bounding, "over", interrupted)
    found = gough.prove(hexapod, [0.06] * 3, [0.105] * 3, limits=JOINTS)
    assert found.verdict == "undecided"
    assert found.share_undecided == 1


@pytest.mark.parametrize("place", ["_axes", "_example", "_widths"])
def test_an_interrupt_anywhere_leaves_no_box_out(hexapod, monkeypatch, place):
    calls = []

    def interrupted(self, *args, real=getattr(prove_module.ProofSearch, place)):
        calls.append(args)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return real(self, *args)

    monkeypatch.setattr(prove_module, "_BATCH", 1)
    monkeypatch.setattr(prove_module.ProofSearch, place, interrupted)
    found = gough.prove(hexapod, [0.06] * 3, [0.105] * 3, limits=JOINTS)
    assert found.verdict == "undecided"
    with pytest.raises(GoughError, match="do not fill the whole"):
        replace(found, undecided=found.undecided[1:])


def test_a_refutation_is_read_and_carried_on_as_it_was(hexapod, tmp_path):
    found = gough.prove(hexapod, [0.3] * 3, limits=STROKES)
    found.save(tmp_path / "c.json")
    again = kinematics.read_proof(tmp_path / "c.json", hexapod)
    assert again.counter_example.margin == found.counter_example.margin < 0
    assert kinematics.carried_on(again).counter_example is again.counter_example


def test_a_proof_that_is_read_has_its_margins(hexapod, small):
    again = kinematics.read_proof(small[1], hexapod)
    assert (again.low == small[0].low).all()
    assert again.verdict == "proved"


@pytest.mark.parametrize(("code", "verdict"), [("+", "proved"), ("a+-", "refuted")])
def test_boxes_that_a_certificate_calls_proved_are_proved_again(hexapod, tmp_path, code, verdict):
    path = tmp_path / "c.json"
    found = gough.prove(hexapod, [0.06] * 3, [0.105] * 3, limits=JOINTS, at_most=1)
    found.save(path)
    content = json.loads(path.read_text()) | {"boxes": [code], "verdict": verdict}
    path.write_text(json.dumps(content | {"sha256": certificate.digest(content)}))
    again = kinematics.read_proof(path, hexapod)
    assert again.verdict == "undecided"
    assert not again.outside


def test_tolerances_belong_to_the_proof_and_to_its_counter_examples(hexapod, tmp_path):
    box = {"position": [0.0, 0.0, 0.05], "limits": STROKES}
    pattern = "legs[*].base"
    fine = gough.prove(hexapod, **box, tolerances={pattern: 50e-6})
    assert fine.verdict == "proved"
    assert len(fine.tolerances) == 18
    exact = gough.prove(hexapod, **box)
    assert fine.low.min() < exact.low.min()
    coarse = gough.prove(hexapod, **box, tolerances={pattern: 0.2})
    assert coarse.verdict == "refuted"
    numbers = coarse.counter_example.coordinates[: len(coarse.machines.names)]
    model, pose = gough.Model(hexapod, parametric=True), coarse.counter_example.pose
    assert kinematics.margins(model, pose, STROKES, parameters=numbers).min() < 0
    for found in (fine, coarse):
        found.save(tmp_path / "c.json")
        check_proof(tmp_path / "c.json", hexapod, at_most=2)
        changes_are_refused_or_true(tmp_path / "c.json", hexapod, 8)


def test_the_volume_of_a_workspace_is_bounded_from_both_sides(hexapod):
    found = gough.prove(hexapod, [0.0, 0.4, 0.3], limits=STROKES, volume=True, at_most=4000)
    low, high = found.measure
    rng = np.random.default_rng(0)
    poses = np.tile(hexapod.home, (40_000, 1))
    poses[:, 1:3] += rng.uniform(-1, 1, (len(poses), 2)) * [0.4, 0.3]
    inside = (kinematics.margins(hexapod, poses, STROKES)[:, 0] >= 0).mean() * 0.8 * 0.6
    assert low < inside + 0.01
    assert inside - 0.01 < high
    assert high - low < 0.05 * high


def test_the_largest_proved_box_is_just_smaller_than_one_that_is_not(hexapod):
    found = kinematics.maximum_box(hexapod, [0.3] * 3, limits=STROKES, tolerance=0.05)
    assert 0 < found.scale < found.not_proved <= found.scale * 1.06
    assert found.proof.verdict == "proved"


def test_balls_of_positions_are_proved_where_their_boxes_are_not(hexapod, tmp_path):
    radius = 0.16
    found, beyond = (gough.prove(hexapod, r, limits=STROKES) for r in (radius, 0.22))
    assert gough.prove(hexapod, [radius] * 3, limits=STROKES).verdict == "refuted"
    ways = np.random.default_rng(0).standard_normal((20_000, 3))
    ways *= radius / np.linalg.norm(ways, axis=-1, keepdims=True)
    poses = np.tile(hexapod.home, (len(ways), 1))
    poses[:, :3] += ways
    assert 0 <= found.low.min() <= kinematics.margins(hexapod, poses, STROKES).min()
    assert beyond.verdict == "refuted"
    assert np.linalg.norm(beyond.counter_example.coordinates[:3]) <= 0.22
    for proof in (found, beyond):
        proof.save(tmp_path / "c.json")
        assert check_proof(tmp_path / "c.json", hexapod, at_most=3).verdict == proof.verdict
        changes_are_refused_or_true(tmp_path / "c.json", hexapod, 4)
    low, high = found.measure
    assert low <= 4 / 3 * np.pi * radius**3 <= high < low * (1 + 1e-9)


def test_the_maximum_ball_is_just_smaller_than_one_that_is_not_proved(hexapod):
    found = kinematics.maximum_box(hexapod, 0.5, limits=STROKES, tolerance=0.1)
    assert 0.34 < found.scale < found.not_proved < 0.43


def test_balls_without_a_radius_are_refused(hexapod):
    for radius in (0, -1.0, np.nan, True, "5cm", 10**400):
        with pytest.raises(GoughError, match="three numbers, or the radius of a ball, above 0"):
            gough.prove(hexapod, radius, limits=STROKES)


def test_a_certificate_of_a_ball_does_not_hold_for_a_larger_one(hexapod, tmp_path):
    found = gough.prove(hexapod, 0.17, limits=STROKES)
    found.save(tmp_path / "c.json")
    assert len(found.proved) > 1
    content = json.loads((tmp_path / "c.json").read_text())
    content["required"]["radius"], content["halves"] = 0.3, [0.3, 0.3, 0.3, 0.0, 0.0, 0.0]
    (tmp_path / "c.json").write_text(json.dumps(content | {"sha256": certificate.digest(content)}))
    with pytest.raises(GoughError, match="is not proved"):
        check_proof(tmp_path / "c.json", hexapod)
    outside = gough.prove(hexapod, 0.3, limits=STROKES)
    outside.save(tmp_path / "c.json")
    content = json.loads((tmp_path / "c.json").read_text())
    content["counter_example"]["coordinates"][:3] = [0.29, 0.29, 0.29]  # beyond the ball
    (tmp_path / "c.json").write_text(json.dumps(content | {"sha256": certificate.digest(content)}))
    with pytest.raises(GoughError, match="no requirement is violated"):
        check_proof(tmp_path / "c.json", hexapod)


def test_a_ball_of_a_planar_robot_is_a_disc_and_none_is_of_robots_that_iterate():
    found = gough.prove(gough.load("planar-3rrr"), 0.01, [0.0, 0.0, 0.05])
    assert found.verdict == "proved"
    assert found.measure[0] == pytest.approx(np.pi * 0.01**2 * 0.1, rel=1e-6)
    with pytest.raises(GoughError, match="legs in closed form only; expected a position of three"):
        gough.prove(gough.load("h4"), 0.01)


def test_speeds_are_proved_for_all_twists(hexapod):
    limits = Limits(families=("stroke",))
    slow = gough.prove(hexapod, [0.02] * 3, twist=[0.1] * 3 + [0.1] * 3, limits=limits)
    assert slow.verdict == "proved"
    fast = gough.prove(hexapod, [0.02] * 3, twist=[0.4] * 3 + [0.4] * 3, limits=limits)
    assert fast.verdict == "refuted"
    assert fast.counter_example.limit.family == "speed"
    twist = fast.counter_example.coordinates[6:12]
    speed = gough.Model(hexapod).joint_velocity(fast.counter_example.pose, twist)
    assert np.abs(speed).max() > hexapod.actuators[0].max_speed


def test_planar_robots_are_proved_and_checked(tmp_path):
    robot = gough.load("planar-3rrr")
    limits = Limits(families=("stroke", "singularity"))
    found = gough.prove(robot, [0.01, 0.01, 0.0], [0.0, 0.0, 0.05], limits=limits)
    assert found.verdict == "proved"
    assert found.low.min() <= sampled_margins(robot, found, 200)
    found.save(tmp_path / "c.json")
    check_proof(tmp_path / "c.json", robot, at_most=1)


def test_bounds_of_kernels_enclose_samples(hexapod):
    model = gough.Model(hexapod)
    half = np.array([0.02, 0.03, 0.01, 0.05, 0.02, 0.04])
    found = model.over("joint_velocity", half[:3], half[3:], twist=[[-0.1, 0.2]] * 6)
    rng = np.random.default_rng(1)
    steps, twists = rng.uniform(-1, 1, (500, 6)) * half, rng.uniform(-0.1, 0.2, (500, 6))
    poses = pose_at(np.array(hexapod.home), steps)
    values = model.joint_velocity(poses, twists)
    assert ((found[:, 0] <= values) & (values <= found[:, 1])).all()
    lengths = model.over("inverse_kinematics", half[:3], half[3:])
    values = model.inverse_kinematics(poses)
    assert ((lengths[:, 0] <= values) & (values <= lengths[:, 1])).all()
    width = lengths[:, 1] - lengths[:, 0]
    assert (width < 2 * (values.max(0) - values.min(0))).all()
    parts = model.over("inverse_kinematics", half[:3], half[3:], halvings=1)
    assert ((parts[:, 0] <= values) & (values <= parts[:, 1])).all()
    assert (parts[:, 1] - parts[:, 0] < width).all()
    with pytest.raises(GoughError, match="halvings is -1; expected a whole number from 0 to 3"):
        model.over("inverse_kinematics", half[:3], halvings=-1)


def test_bounds_of_order_2_enclose_values_that_jump():
    def equation(x, middle, *along):
        y = ca.vertcat(ca.sign(x) + middle, ca.floor(9 * x), x < 0.1, ca.sin(x), ca.fabs(x))
        return ca.jtimes(y, x, along[0]) if along else y

    inputs = [Argument(name, (1,)) for name in ("x", "middle", "along")]
    kernel, second = (
        Kernel(Function.from_equation("f", equation, given, [Argument("y", (5,))]), boxes=["x"])
        for given in (inputs[:2], inputs)
    )
    boxes, middle, x = np.array([[[-1.0, 1.5]], [[0.1, 0.4]]]), np.zeros((1, 2)), np.arange(1)
    slopes = bounds(kernel, boxes, [middle], x, states=1).slopes
    low, high = taylor_bounds(kernel, second, boxes, slopes, [middle], x)
    for box, below, above in zip(boxes, low, high, strict=True):
        each = [equation(ca.DM(x), ca.DM(0)) for x in np.linspace(*box[0], 50)]
        values = np.array(ca.horzcat(*each))
        assert ((values.min(1) >= below) | np.isnan(below)).all()
        assert ((values.max(1) <= above) | np.isnan(above)).all()
    np.testing.assert_array_equal(np.isfinite(low), [[0, 0, 0, 1, 0], [1, 0, 1, 1, 1]])


def test_tolerances_of_maxima_count(hexapod):
    box = {"position": [1e-3, 0.0, 0.0], "twist": [0.01] * 6, "limits": STROKES}
    exact = gough.prove(hexapod, **box)
    loose = gough.prove(hexapod, **box, tolerances={"legs[*].max_speed": 0.49})
    assert exact.verdict == "proved"
    assert loose.verdict == "refuted"
    assert loose.counter_example.limit.family == "speed"


def test_forces_are_those_of_all_that_the_file_states(tmp_path):
    robot = gough.load("delta")  # with friction in its joints
    box = {"twist": 1.0, "wrench": [10.0] * 3 + [0.0] * 3, "limits": STROKES}
    held = gough.prove(robot, [5e-3] * 3, acceleration=98.1, **box)  # 10 g in every direction
    bounding = Bounding(held.required, Machines(robot), np.array(robot.home))
    state = 0.1 * np.arange(1.0, 19.0).reshape(3, 6) * [1, 1, 1, 0, 0, 0]
    found = bounding.at(np.concatenate([np.zeros(6), *state])[None])[0]
    model, most = gough.Model(robot), [actuator.max_force for actuator in robot.actuators]
    margins = 1 - np.abs(model.actuator_force(robot.home, *state)) / most
    np.testing.assert_allclose(found[-len(most) :].T, [margins, margins], rtol=1e-9)
    rigid = np.abs(model.inverse_dynamics(robot.home, *state)) / most
    assert not np.allclose(margins, 1 - rigid, rtol=1e-4)
    assert held.verdict == "proved"
    draw, still = np.random.default_rng(0), np.zeros((10_000, 3))
    sizes, a, w, x = 10 ** draw.uniform(-4, 0, (10_000, 1)), *draw.normal(size=(3, 10_000, 3))
    v, a = (
        size * y / np.linalg.norm(y, axis=1, keepdims=True) for size, y in ((sizes, x), (98.1, a))
    )
    poses = np.tile(robot.home, (10_000, 1))
    poses[:, :3] += 5e-3 * np.sign(x[::-1])
    loads = (np.concatenate([y, still], axis=1) for y in (v, a, 10 * np.sign(w)))
    sampled = (1 - np.abs(model.actuator_force(poses, *loads)) / most).min(axis=0)
    assert (held.low[-len(most) :] <= sampled).all()
    assert (sampled <= held.low[-len(most) :] + 0.12).all()
    held.save(tmp_path / "c.json")
    check_proof(tmp_path / "c.json", robot)
    changes_are_refused_or_true(tmp_path / "c.json", robot, 8)
    heavy = gough.prove(robot, [5e-3] * 3, acceleration=150.0, **box)
    assert heavy.counter_example.limit.family == "force"
    assert np.linalg.norm(heavy.counter_example.coordinates[12:15]) <= 150.0
    heavy.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", robot).verdict == "refuted"


def test_clearance_and_platform_joints_are_proved_and_checked(hexapod, tmp_path):
    limits = Limits(families=("platform joint", "clearance"))
    bare = [leg.model_copy(update={"radius": None}) for leg in hexapod.legs[2:]]
    robot = hexapod.model_copy(update={"legs": (*hexapod.legs[:2], *bare)})
    found = gough.prove(robot, [0.02] * 3, [0.02] * 3, limits=limits)
    assert found.verdict == "proved"
    assert [row.kind for row in found.required.rows(robot)] == [*["angle"] * 6, "gap"]
    assert found.low.min() <= sampled_margins(robot, found, 100)
    found.save(tmp_path / "c.json")
    check_proof(tmp_path / "c.json", robot, at_most=1)


def test_a_bound_of_the_condition_number_is_proved_or_refuted_as_sampling_says(tmp_path):
    robot = gough.load("delta")
    model, side, rng = gough.Model(robot), 0.02, np.random.default_rng(3)
    poses = pose_at(np.array(robot.home), rng.uniform(-side, side, (2000, 6)) * [1, 1, 1, 0, 0, 0])
    most = model.singularity(poses).condition.max()
    for factor, verdict in ((1.05, "proved"), (0.99, "refuted")):
        limits = Limits(families=("singularity",), max_condition=float(factor * most))
        found = gough.prove(robot, [side] * 3, limits=limits)
        assert found.verdict == verdict
        found.save(tmp_path / "c.json")
        check_proof(tmp_path / "c.json", robot, at_most=1)
        changes_are_refused_or_true(tmp_path / "c.json", robot, 8)
        if verdict == "proved":
            content = json.loads((tmp_path / "c.json").read_text())
            content["required"]["limits"]["max_condition"] = 0.5 * most
            content |= {"sha256": certificate.digest(content)}
            (tmp_path / "d.json").write_text(json.dumps(content))
            with pytest.raises(GoughError, match="does not hold"):
                check_proof(tmp_path / "d.json", robot, at_most=1)
    example = found.counter_example
    assert example.limit.family == "condition number"
    condition = model.singularity(example.pose).condition
    assert example.margin == pytest.approx(1 - condition / limits.max_condition, abs=1e-9)


def test_maxima_that_a_file_does_not_state_have_no_tolerance(hexapod, tmp_path):
    found = gough.prove(hexapod, [1e-3, 0, 0], limits=STROKES, tolerances={"legs[*].*": 1e-9})
    assert "legs[0].max_force" in found.tolerances
    assert "legs[0].max_power" not in found.tolerances
    found.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", hexapod).verdict == "proved"
    with pytest.raises(GoughError, match="max_power"):
        gough.prove(hexapod, [1e-3, 0, 0], tolerances={"legs[0].max_power": 1.0})


@pytest.mark.parametrize("most", [np.inf, 10**400, True, "8", 1.0])
def test_a_maximum_condition_number_is_a_finite_number_above_1(most):
    with pytest.raises(GoughError, match=r"max_condition is .*; expected"):
        Limits(max_condition=most)


@pytest.mark.parametrize("given", [{"limits": "stroke"}, {"tolerances": [1e-5]}])
def test_arguments_of_another_kind_are_refused_by_their_names(hexapod, given):
    with pytest.raises(GoughError, match=f"{next(iter(given))} is .*; expected"):
        gough.prove(hexapod, [0.01] * 3, **given)


def test_bad_requests_are_refused(hexapod):
    bare = gough.load("baiges-1996")
    for given in ("twist", "acceleration", "wrench"):
        with pytest.raises(GoughError, match=r"leg 1 has no maximum (speed|force)"):
            gough.prove(bare, [0.01] * 3, **{given: [1e6] * 6})
    moving = gough.Model(hexapod, moving_base=True)
    with pytest.raises(GoughError, match="a base at rest"):
        gough.prove(moving, [0.01] * 3, wrench=[1.0] * 6)
    with pytest.raises(GoughError, match="a base at rest"):
        moving.over("inverse_dynamics", [0.01] * 3)
    with pytest.raises(GoughError, match="tolerance of legs"):
        gough.prove(hexapod, [0.1] * 3, tolerances={"legs[*].base": True})
    with pytest.raises(GoughError, match="lower and upper bounds in this order"):
        gough.Model(hexapod).over("joint_velocity", [0.1] * 3, twist=[[0.1, -0.1]] * 6)
    with pytest.raises(GoughError, match="twist is"):
        gough.prove(hexapod, [0.1] * 3, twist=[1.0, 2.0])
    with pytest.raises(GoughError, match="a box without sides"):
        gough.prove(hexapod)
    with pytest.raises(GoughError, match="tolerance of legs"):
        gough.prove(hexapod, [0.1] * 3, tolerances={"legs[*].base": -1.0})
    with pytest.raises(GoughError, match="no limit is stated"):
        gough.prove(hexapod, [0.1] * 3, limits=Limits(families=()))
    with pytest.raises(GoughError, match="no input"):
        gough.Model(hexapod).over("inverse_kinematics", [0.1] * 3, twist=[0.0] * 6)
    with pytest.raises(GoughError, match="twist is not an array of numbers: 'fast'"):
        gough.Model(hexapod).over("joint_velocity", [0.1] * 3, twist="fast")
    with pytest.raises(GoughError, match="a quaternion is zero"):
        gough.prove(hexapod, [0.1] * 3, pose=[0.0] * 7)
    with pytest.raises(GoughError, match="at_most is 'a'; expected a whole number, 0 or more"):
        gough.prove(hexapod, [0.1] * 3, limits=JOINTS, at_most="a")
    with pytest.raises(GoughError, match=r"position is -0\.1; expected three numbers, or the rad"):
        kinematics.maximum_box(hexapod, -0.1)


def test_a_pose_may_have_a_rounded_quaternion(hexapod, tmp_path):
    pose = [0.0, 0.0, 0.99, 0.999, 0.0436, 0.0, 0.0]
    found = gough.prove(hexapod, [0.01] * 3, pose=pose, limits=STROKES)
    found.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", hexapod, at_most=1).verdict == "proved"


def test_one_number_is_the_maximum_in_every_direction_as_an_array_too(hexapod):
    found = gough.prove(hexapod, [0.01] * 3, limits=STROKES, twist=np.array(0.1))
    assert found.required.balls == (("twist", 0.1),)
