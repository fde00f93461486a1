"""Designs whose requirements are proved in all poses of their boxes, against sampled poses."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.design import (
    Design,
    Objective,
    Requirement,
    Variable,
    demand_of_study,
    demands,
    proved,
    search,
)
from gough.design.proved import proofs
from gough.kinematics import margins
from gough.motion import Quintic, line, sequence

TWISTED = {"x": 0.025, "roll": 0.12, "yaw": 0.55}
ANGLES = (
    Variable("symmetric.base_angle", 0.2, 1.8),
    Variable("symmetric.platform_angle", 0.2, 1.8),
    Variable("platform.home.position.z", 0.8, 1.2),
)


def strokes(bound=0.0):
    return [Requirement("limits.stroke", bound)]


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


def poses_in(robot, ranges, count=20_000):
    half = np.array([ranges.get(axis, 0.0) for axis in demands.AXES])
    offset = np.clip(np.random.default_rng(0).uniform(-1.5, 1.5, (count, 6)), -1, 1) * half
    return gough.pose(np.array(robot.home)[:3] + offset[:, :3], rpy=offset[:, 3:])


def stroke_margin(robot):
    return margins(gough.Model(robot), poses_in(robot, TWISTED))[:, 0].min()


def twisted(robot, **options):
    """A design of minimum strokes: their ends are reached between the corners of its box."""
    numbers = [Variable(f"symmetric.{name}_angle", 0.02, 2.0) for name in ("base", "platform")]
    numbers.append(Variable("leg.stroke.shortest", 0.5, 1.3))
    numbers.append(Variable("leg.stroke.longest", 0.6, 1.6))
    goals = [Objective("leg.stroke.longest"), Objective("leg.stroke.shortest", maximise=True)]
    asked = [*strokes(), Requirement("condition", 5.0)]
    return Design(robot, numbers, [demands.box(TWISTED, points=2)], asked, goals, **options)


def test_a_design_that_fails_between_lattice_points_is_refuted_and_repaired(robot, monkeypatch):
    monkeypatch.setattr(search, "worst_between", lambda *_: [])  # nobody looks between them
    alone = twisted(robot).optimise(starts=1)
    assert min(one.slack for one in alone.requirements) >= 0  # of the states that it knows
    assert alone.requirements[0].proof is None
    assert stroke_margin(alone.robot) < -0.01
    with monkeypatch.context() as fewer:  # a condition of 5.0 in a corner stays undecided
        fewer.setattr(proved, "AT_MOST", 2000)
        (verdict, _), states = proofs(alone.problem, alone.solved.x)
    assert verdict.verdict == "refuted"
    assert verdict.slack < 0
    (at_pose,) = margins(gough.Model(alone.robot), verdict.pose[None])[:, 0]
    assert at_pose == pytest.approx(verdict.slack, abs=1e-9)
    joined = alone.problem.joined(states).evaluated(alone.solved.x[None]).slack
    assert joined.min() == pytest.approx(verdict.slack, abs=1e-9)

    repaired = twisted(robot, prove=True).optimise(starts=1)
    one = repaired.requirements[0]
    assert one.proof.verdict == "proved"
    assert 0 <= one.proof.slack <= stroke_margin(repaired.robot)
    assert repaired.to_dict()["requirements"][0]["proof"]["verdict"] == "proved"
    shown = [cell.value for cell in repaired.requirement_table().rows[0].cells]
    (text,) = (one for one in map(str, shown) if one.startswith("proved"))
    assert 0.99 * one.proof.slack <= float(text.removeprefix("proved ≥ ")) <= one.proof.slack
    assert str(verdict).startswith(f"refuted by {-verdict.slack:.3g} at x y z ")


def test_forces_speeds_and_powers_are_proved_in_each_state_of_motion(robot):
    states = {"twist": [[0.2, 0, 0, 0, 0, 0]], "acceleration": [[0, 0, 4.0, 0, 0, 0]]}
    box = {"x": 0.05, "z": 0.03, "pitch": 0.1}
    demand = demands.moving(demands.box(box, points=2), **states)
    model, poses = gough.Model(robot), poses_in(robot, box)
    still = np.zeros(6)
    each = [(still, still), (states["twist"][0], still), (still, states["acceleration"][0])]
    force = np.array([model.actuator_force(poses, *one) for one in each])
    speed = np.array([model.joint_velocity(poses, one[0]) for one in each])
    peaks = {
        "force": np.abs(force).max(),
        "speed": np.abs(speed).max(),
        "power": (force * speed).max(),
    }
    for shares in ((1.01, 1.01, 0.99), (0.99, 0.99, 1.01)):
        bounds = [share * peak for share, peak in zip(shares, peaks.values(), strict=True)]
        asked = [Requirement(name, bound) for name, bound in zip(peaks, bounds, strict=True)]
        problem = Design(robot, ANGLES, [demand], asked).problem
        found, states_found = proofs(problem, problem.space.stated)
        for one, share in zip(found, shares, strict=True):
            assert one.verdict == ("proved" if share > 1 else "refuted")
            slack = (share - 1) / share
            assert one.slack <= slack + 1e-9 if share > 1 else one.slack < 0
        assert states_found


def test_radius_height_position_and_condition_are_proved(robot):
    box = {"x": 0.05, "yaw": 0.2}
    poses, model = poses_in(robot, box), gough.Model(robot)
    centers = model.joint_centers(poses)
    peaks = {
        "position": model.inverse_kinematics(poses).max(),
        "radius": np.linalg.norm(centers[..., :2], axis=-1).max(),
        "height": centers[..., 2].max(),
        "condition": model.singularity(poses).condition.max(),
    }
    asked = [Requirement(name, 1.02 * peak) for name, peak in peaks.items()]
    problem = Design(robot, ANGLES, [demands.box(box)], asked).problem
    found, _ = proofs(problem, problem.space.stated)
    assert [one.verdict for one in found] == ["proved"] * 4
    low = [replace(one, bound=0.98 * peaks[one.measure]) for one in asked]
    problem = Design(robot, ANGLES, [demands.box(box)], low).problem
    found, states = proofs(problem, problem.space.stated)
    assert [one.verdict for one in found] == ["refuted"] * 4
    assert len(states) == 4


def test_what_has_no_bounds_is_listed_as_not_proved(robot):
    data = robot.to_dict()
    for leg in data["legs"]:
        leg["connector"] = {"stiffness": 1e7}
    asked = [Requirement("stiffness", 1e3), *strokes()]
    design = Design(
        gough.Robot.from_dict(data),
        ANGLES[2:],
        [demands.box({"x": 0.02}, points=2)],
        asked,
        prove=True,
    )
    found = {one.name: one.proof.verdict for one in design.optimise(starts=1).requirements}
    assert found == {"stiffness": "not proved", "stroke": "proved"}


def test_a_box_away_from_home_that_the_reach_scales_is_proved_as_it_lies(robot):
    box = demands.box({"x": (0.02, 0.06), "yaw": (-0.1, 0.3)}, points=2)
    reach = Variable("reach", 0.5, 3.0)
    goal = [Objective("reach", maximise=True)]
    found = Design(robot, [reach], [box], strokes(), goal, prove=True).optimise(starts=1)
    assert found.requirements[0].proof.verdict == "proved"
    factor, rng = found.variables["reach"], np.random.default_rng(1)
    x, yaw = rng.uniform(0.02, 0.06, 5000) * factor, rng.uniform(-0.1, 0.3, 5000) * factor
    place = np.array(robot.home)[:3] + np.outer(x, [1, 0, 0])
    poses = gough.pose(place, rpy=np.outer(yaw, [0, 0, 1]))
    sampled = margins(gough.Model(robot), poses)[:, 0].min()
    assert 0 <= found.requirements[0].proof.slack <= sampled < 0.01


@pytest.mark.parametrize("measure", ["speed", "limits.stroke"])
def test_a_motion_is_proved_between_its_samples(robot, measure):
    motion = there_and_back(robot)
    time = np.linspace(0, 2, 4001)
    at, model = motion(time), gough.Model(robot)
    peak = np.abs(model.joint_velocity(at.pose, at.twist)).max()
    if measure != "speed":
        peak = margins(model, at.pose)[:, 0].min()
    demand = demand_of_study(gough.Study(robot, motion), "move", 3)  # at rest in the same pose
    for share, verdict in ((1.02, "proved"), (0.98, "refuted")):
        bound = share * peak if measure == "speed" else peak / share
        problem = Design(robot, ANGLES, [demand], [Requirement(measure, bound)]).problem
        assert problem.evaluated(problem.space.stated[None]).slack.min() >= 0
        (found,), states = proofs(problem, problem.space.stated)
        assert found.verdict == verdict
        if verdict == "refuted":
            joined = problem.joined(states).evaluated(problem.space.stated[None])
            assert joined.slack.min() == pytest.approx(found.slack, abs=1e-9)


def there_and_back(robot):
    """A motion of two seconds that is at home, at rest, at its beginning, middle and end."""
    way = [0.08, 0.0, 0.05]
    away = np.array([*(np.array(robot.home)[:3] + way), *np.array(robot.home)[3:]])
    go, back = line(robot.home, way, Quintic(0.5)), line(away, [-x for x in way], Quintic(0.5))
    return sequence(go, back, go, back)


def test_a_motion_with_states_added_is_not_proved(robot):
    demand = demand_of_study(gough.Study(robot, there_and_back(robot)), "move", 3)
    more = demands.moving(demand, twist=[[0.1, 0, 0, 0, 0, 0]])
    problem = Design(robot, ANGLES, [more], [Requirement("speed", 10.0)]).problem
    (found,), _ = proofs(problem, problem.space.stated)
    assert found.verdict == "not proved"


def test_every_pose_and_every_bound_is_proved_apart():
    robot = gough.load("demo-hexapod")
    ends = [Variable("leg.stroke.shortest", 0.5, 1.3), Variable("leg.stroke.longest", 0.6, 1.6)]
    home, far = np.array(robot.home), np.array(robot.home) + [0, 0, 0.9, 0, 0, 0, 0]
    asked = [Requirement("limits.stroke"), Requirement("limits.stroke", 0.9)]
    asked += [Requirement("condition", 2.0), Requirement("condition", 50.0)]
    x = np.array([0.6, 1.55])
    for demand in (demands.of_poses([home, far]), demands.box({"x": 0.02}, points=2)):
        goal = [Objective("leg.stroke.longest")]
        problem = gough.Design(robot, ends, [demand], asked, goal, prove=True).problem
        (slack,) = problem.evaluated(x[None]).slack
        for own, proof in zip(slack, proofs(problem, x)[0], strict=True):
            assert proof.verdict == ("proved" if own > 0 else "refuted")
            assert proof.slack is None or proof.slack <= own + 1e-9
