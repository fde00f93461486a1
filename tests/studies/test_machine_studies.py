"""Studies of machines that are no hexapods: Delta, 3-RRR, Orthoglide, 6-RSS and others."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from drawings import changed
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism
from scipy.integrate import simpson

import gough
from gough.errors import GoughError
from gough.motion import Motion, MotionError, MotionSamples
from gough.motion.tasks.loads import Constant
from gough.studies.grid_results import GridResults
from gough.studies.reading import Outputs
from gough.studies.run import run
from gough.studies.study import Study

DRAWN = ("delta, ball-ended rods", "orthoglide", "6-RSS", "4-RRR, redundant", "3-RPR")
SWINGS = {
    "delta": {"x": "0.1*sin(2*pi*t)", "z": "-1.1 + 0.08*(1 - cos(3*pi*t))"},
    "planar-3rrr": {"x": "0.03*sin(pi*t)", "yaw": "0.1*sin(2*pi*t)"},
    "orthoglide": {"y": "0.04*sin(2*pi*t)", "z": "0.03*sin(pi*t)"},
    "servo-hexapod-6rss": {"x": "0.01*sin(2*pi*t)", "pitch": "0.05*sin(pi*t)"},
}


@dataclass(frozen=True, eq=False)
class States(Motion):
    """States that follow each other without joining: what a study has at its samples."""

    duration: float
    samples: MotionSamples

    def _at(self, t):
        at = np.rint(t / self.duration * (len(self.samples.pose) - 1)).astype(int)
        return MotionSamples(*(values[at] for values in self.samples))


def data(robot, motion, **changes):
    written = robot if isinstance(robot, str) else robot.to_dict()
    base = {"schema": "gough-study/1", "name": "test", "robot": written, "motion": motion}
    return {**base, "samples": 201, **changes}


def swing(name, **changes):
    return data(name, {"kind": "expression", "duration": 1.3, **SWINGS[name]}, **changes)


def work_on_bodies(found):
    """What actuators do beside what friction in the joints takes [J]."""
    power = found["power"] - found["joint_share"] * found["actuator_speed"]
    return simpson(power.sum(axis=1), x=found.time)


@pytest.fixture(scope="module")
def swung():
    return {name: run(swing(name)) for name in SWINGS}


@pytest.mark.parametrize("name", DRAWN)
def test_a_study_gives_what_pinocchio_gives_at_its_samples(name):
    robot = MACHINES[name](3)
    oracle, rng = PinocchioMechanism(robot), np.random.default_rng(3)
    states = [oracle.random_state(rng, stray=0.05) for _ in range(4)]
    at = MotionSamples(*(np.array([getattr(s, f) for s in states]) for f in MotionSamples._fields))
    push = Constant((3.0, -2.0, 5.0), (0.3, 0.2, -0.1))
    names = ["actuator_position", "actuator_speed", "actuator_acceleration", "force", "energy"]
    asked = {"samples": len(states), "outputs": Outputs(quantities=names)}
    found = run(Study(robot, States(1.0, at), (push,), **asked))
    wrench = np.array([3.0, -2.0, 5.0, 0.3, 0.2, -0.1])
    for k, state in enumerate(states):
        motors = oracle.motors
        np.testing.assert_allclose(
            found["actuator_position"][k], oracle.positions(state), 1e-9, 1e-9
        )
        np.testing.assert_allclose(found["actuator_speed"][k], state.v[motors], 1e-8, 1e-9)
        np.testing.assert_allclose(found["actuator_acceleration"][k], state.a[motors], 1e-7, 1e-8)
        np.testing.assert_allclose(found["force"][k], oracle.efforts(state, wrench), 1e-7, 1e-8)
        np.testing.assert_allclose(found["energy"][k, 0], oracle.energy(state)[0], 1e-9, 1e-10)


@pytest.mark.parametrize("name", SWINGS)
def test_what_the_actuators_put_in_is_what_the_machine_has_more(name, swung):
    found = swung[name]
    work = work_on_bodies(found)
    energy = found["energy"].sum(axis=1)
    assert work == pytest.approx(energy[-1] - energy[0], abs=1e-5 * np.ptp(energy))


@pytest.mark.parametrize("name", SWINGS)
def test_speeds_are_the_rates_of_positions_of_all_joints(name, swung):
    found = swung[name]
    for position, speed in (
        ("actuator_position", "actuator_speed"),
        ("joint_position", "joint_speed"),
    ):
        rate = np.gradient(found[position], found.time, axis=0, edge_order=2)
        scale = np.abs(found[speed]).max()
        np.testing.assert_allclose(rate[2:-2], found[speed][2:-2], atol=3e-3 * scale)


def test_columns_are_named_by_joint_and_have_its_unit(swung):
    delta, glide = swung["delta"].columns(), swung["orthoglide"].columns()
    assert {"force_hip-1 [N m]", "actuator_speed_hip-3 [rad/s]", "power_hip-2 [W]"} <= set(delta)
    names = [a.name for a in gough.load("orthoglide").actuators]
    assert f"force_{names[0]} [N]" in glide
    assert f"actuator_position_{names[2]} [m]" in glide
    turning = [heading for heading in glide if heading.startswith("joint_position_")]
    assert {heading.rsplit("[")[1] for heading in turning} == {"m]", "rad]"}


def test_joints_that_turn_and_joints_that_slide_have_figures_of_their_own(swung):
    summary = swung["orthoglide"].summary
    turning, sliding = (summary[f"peak_joint_speed_{kind}"] for kind in ("rotary", "linear"))
    assert (turning.unit, sliding.unit) == ("rad/s", "m/s")
    speeds, columns = (
        swung["orthoglide"]["joint_speed"],
        swung["orthoglide"].quantity("joint_speed"),
    )
    slides = [unit == "m/s" for unit in columns.units]
    assert sliding.value == np.abs(speeds[:, slides]).max()
    assert turning.value == np.abs(speeds[:, np.invert(slides)]).max()
    assert sliding.place in sliding.labels
    assert summary["peak_force"].unit == "N"


def test_a_gear_motor_turns_so_often_and_carries_rotor_gear_and_load(swung):
    found, robot = swung["delta"], gough.load("delta")
    drive = robot.actuators[0].drive
    n = drive.gear_ratio
    np.testing.assert_allclose(found["motor_speed"], n * found["actuator_speed"], rtol=1e-12)
    inertia = n * (drive.rotor_inertia + drive.gear_inertia / n**2)
    load, speed = found["force"], found["actuator_speed"]
    driving = (load * speed > 0.0) & (np.abs(speed) > 1.0)
    friction = np.sign(speed) * (drive.rotor_friction + drive.gear_friction / n)
    friction += (drive.rotor_damping + drive.gear_damping / n**2) * n * speed
    torque = inertia * found["actuator_acceleration"] + friction + load / (n * drive.efficiency)
    np.testing.assert_allclose(found["motor_torque"][driving], torque[driving], rtol=1e-4)
    np.testing.assert_allclose(
        found["motor_current"], found["motor_torque"] / drive.torque_constant, rtol=1e-9
    )


def test_margins_are_the_distances_to_the_limits_of_each_joint(swung):
    found, robot = swung["delta"], gough.load("delta")
    travel = np.array([a.travel for a in robot.actuators])
    q = found["actuator_position"]
    margin = np.minimum(q - travel[:, 0], travel[:, 1] - q)
    np.testing.assert_allclose(found["travel_margin"], margin)
    assert found.summary["minimum_travel_margin"].value == pytest.approx(margin.min())
    assert found.summary["minimum_travel_margin"].unit == "rad"
    limit = {joint.name: joint.limit for joint in robot.joints if joint.type == "S"}
    names = found.quantity("joint_tilt").axes[0].labels
    tilt = found["joint_tilt"].max(axis=0)
    left = [limit[name] - most for name, most in zip(names, tilt, strict=True)]
    assert found.summary["minimum_tilt_margin"].per_leg == pytest.approx(left)
    assert "joint tilt" in found.limits.checked
    not_stated = ("power", "force bandwidth", "speed bandwidth", "passive joint travel")
    assert found.limits.not_stated == not_stated


def test_what_passes_its_limit_is_named(swung):
    robot = gough.load("delta").to_dict()
    for joint in robot["joints"]:
        if joint.get("driven"):
            joint["range"], joint["max_speed"], joint["max_torque"] = [-0.3, 0.3], 0.5, 1.0
    found = run({**swing("delta"), "robot": robot})
    text = "\n".join(found.warnings)
    for words in ("exceeds its range by", "exceeds its speed by", "exceeds its force by"):
        (line,) = [line for line in found.warnings if words in line]
        assert line.startswith("hip-"), text
    assert "rad/s" in text
    assert found.summary["saturated_time"].value > 0


def test_the_travel_of_a_passive_joint_is_judged():
    robot = MACHINES["3-RRR"](1)
    joints = [changed(j, range=(-0.01, 0.01)) if j.name == "elbow1" else j for j in robot.joints]
    found = run(
        data(
            robot.model_copy(update={"joints": tuple(joints)}),
            {"kind": "line", "displacement": [0.02, 0.01, 0], "duration": 1},
        )
    )
    assert any(words.startswith("elbow1 exceeds its range by") for words in found.warnings)
    assert found.summary["minimum_joint_margin"].place == "elbow1"


@pytest.mark.parametrize("name", SWINGS)
def test_results_come_back_as_they_were_saved(name, swung, tmp_path):
    found = swung[name]
    found.save(tmp_path / "saved")
    again = gough.Results.load(tmp_path / "saved")
    assert again.robot == found.robot
    assert repr(again.summary) == repr(found.summary)  # as NaN is not equal to NaN
    assert list(again.columns()) == list(found.columns())
    for quantity in found:
        np.testing.assert_array_equal(again[quantity], found[quantity])
        assert again.quantity(quantity).axes == found.quantity(quantity).axes
    np.testing.assert_array_equal(run(again.study)["force"], found["force"])


def test_a_grid_varies_what_the_robot_file_says_and_comes_back(tmp_path):
    axes = [
        {"name": "payload", "parameter": "robot.platform.mass", "values": ["0.9 kg", "1.9 kg"]},
        {"name": "rods", "parameter": "robot.leg.links[1].mass", "factors": [1, 2]},
    ]
    grid = run(swing("delta", variations=axes, outputs={"quantities": ["forces"]}))
    assert grid["peak_force"].shape == (2, 2)
    assert (np.diff(grid["peak_force"], axis=0) > 0).all()
    assert (np.diff(grid["peak_force"], axis=1) > 0).all()
    assert "peak_force_hip-2 [N m]" in grid.columns()
    first = run(swing("delta"))
    np.testing.assert_allclose(
        grid.per_leg("peak_force")[0, 0], first.summary["peak_force"].per_leg, rtol=1e-12
    )
    grid.save(tmp_path / "grid")
    again = GridResults.load(tmp_path / "grid")
    assert list(again.columns()) == list(grid.columns())
    np.testing.assert_array_equal(again.per_leg("peak_power"), grid.per_leg("peak_power"))
    grid.plot("peak_force")


def test_the_limits_of_a_joint_can_be_varied():
    robot = gough.load("delta").to_dict()
    place = next(k for k, joint in enumerate(robot["joints"]) if joint["name"] == "hip-2")
    axis = {"parameter": f"robot.joints[{place}].range", "values": [[-2, 2], [-0.1, 2]]}
    grid = run(
        {**swing("delta", variations=[axis | {"labels": ["wide", "narrow"]}]), "robot": robot}
    )
    wide, narrow = grid.per_leg("minimum_travel_margin")
    q = run(swing("delta"))["actuator_position"][:, 1]
    assert wide[1] == pytest.approx(min(q.min() + 2, 2 - q.max()))
    assert narrow[1] == pytest.approx(min(q.min() + 0.1, 2 - q.max()))


def test_a_payload_is_carried_while_it_is_there():
    load = {"kind": "payload", "mass": 2.0, "active": [0.4, 0.8]}
    hold = {"kind": "hold", "duration": 1.0}
    empty, loaded = run(data("delta", hold)), run(data("delta", hold, tasks=[load]))
    change = loaded["force"] - empty["force"]
    during = (loaded.time >= 0.4) & (loaded.time < 0.8)
    np.testing.assert_allclose(change[~during], 0.0, atol=1e-12)
    model, home = gough.Model(gough.load("delta")), np.array(gough.load("delta").home)
    zero = np.zeros(6)
    weight = model.inverse_dynamics(home, zero, zero, np.array([0, 0, -2 * 9.81, 0, 0, 0]))
    expected = weight - model.inverse_dynamics(home, zero, zero, zero)
    np.testing.assert_allclose(change[during], np.tile(expected, (during.sum(), 1)), rtol=1e-9)


@pytest.mark.parametrize(
    ("robot", "motion", "words"),
    [
        (
            "delta",
            {"kind": "rotation", "axis": [0, 0, 1], "angle": 0.2, "duration": 0.35},
            "at t = 0.35 s the motion asks for rz = 0.2 rad, which delta (x y z) cannot do",
        ),
        (
            "planar-3rrr",
            {"kind": "line", "displacement": [0, 0, 0.01], "duration": 1},
            "at t = 1 s the motion asks for z = 0.01 m, which planar-3rrr (x y rz) cannot do",
        ),
        (
            "tripod-3rps",
            {"kind": "line", "displacement": [0.02, 0, 0], "duration": 1},
            "asks for x = 0.02 m, which tripod-3rps (z rx ry) cannot do",
        ),
    ],
)
def test_a_motion_that_leaves_the_freedoms_is_refused_with_time_and_component(robot, motion, words):
    with pytest.raises(MotionError) as refused:
        run(data(robot, motion))
    assert refused.value.key == "motion"
    assert words in refused.value.problem


def test_what_cannot_move_need_not_be_written():
    points = [{"time": 0.0}, {"time": 1.0, "x": 0.02, "yaw": "10 deg"}, {"time": 2.0, "y": -0.01}]
    found = run(data("planar-3rrr", {"kind": "waypoints", "waypoints": points}))
    home = np.array(gough.load("planar-3rrr").home)
    np.testing.assert_allclose(found["pose"][0], home, atol=1e-12)
    np.testing.assert_allclose(found["pose"][-1, :2], [home[0] + 0.02, -0.01], atol=1e-12)
    assert (found["pose"][:, 2] == home[2]).all()


def test_places_that_no_leg_reaches_are_told():
    down = {"kind": "line", "displacement": [0, 0, -0.8], "duration": 1}
    found = run(data("delta", down))
    (words,) = [words for words in found.warnings if "does not reach" in words]
    missing = np.isnan(found["actuator_position"]).any(axis=1)
    assert f"{missing.sum()} of 201 samples" in words
    assert "hip-1, hip-2, hip-3" in words


def test_actuators_that_lose_the_platform_are_found_between_samples():
    robot = MACHINES["3-RRR"](1)
    turn = {"kind": "rotation", "axis": [0, 0, 1], "angle": "100 deg", "duration": 1}
    found = run(data(robot, turn))
    (point,) = found.singularities
    J = gough.Model(robot).actuation_matrix(np.array(point.pose))
    assert point.kind == "crossed"
    assert np.linalg.cond(J) > 1e6
    assert np.isnan(found.summary["peak_force"].value)
    assert found.summary["minimum_determinant"].value == 0.0


def test_a_quantity_that_a_machine_has_not_is_absent_and_says_why():
    asked = {"quantities": ["universal_joint_sine", "forces"]}
    found = run(swing("delta", outputs=asked))
    assert "universal_joint_sine" not in found
    assert any(
        "there is no universal_joint_sine: delta has no extensible legs" in w
        for w in found.warnings
    )


def test_only_hexapods_can_be_balanced():
    with pytest.raises(GoughError, match="delta: a balancing mass is on the cylinder of an"):
        run(swing("delta", balance={"mass": 1.0}))


def test_a_machine_at_rest_is_held_as_its_weights_say():
    robot = gough.load("delta")
    found = run(data("delta", {"kind": "hold", "duration": 1}, analysis="static", samples=2))
    still, zero = np.array(robot.home), np.zeros(6)
    expected = gough.Model(robot).inverse_dynamics(still, zero, zero, zero)
    np.testing.assert_allclose(found["force"][0], expected, rtol=1e-9)


FOLLOWED = {
    "tripod-3rps": {"z": "0.8 + 0.03*sin(2*t)", "roll": "0.2*sin(3*t)", "pitch": "0.25*sin(2*t)"},
    "tricept": {"z": "-1.1 + 0.05*sin(2*t)", "roll": "0.1*sin(2*t)", "pitch": "0.2*sin(3*t)"},
    "five-bar": {"x": "0.02*sin(3*t)", "y": "0.325 + 0.03*sin(2*t)"},
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_a_machine_must_do_besides_follows(name):
    motion = {"kind": "expression", "duration": 1.0, **FOLLOWED[name]}
    asked = {"quantities": ["motion", "forces", "joint_share"]}
    found = run(data(name, motion, samples=1001, outputs=asked))
    t, pose, twist = found.time, found["pose"], found["twist"]
    R = gough.rotation(pose)
    turned = (R[2:] * R[:-2].inv()).as_rotvec() / (2 * t[1])
    moved = (pose[2:, :3] - pose[:-2, :3]) / (2 * t[1])
    np.testing.assert_allclose(twist[1:-1], np.hstack([moved, turned]), atol=3e-6)
    sped = (twist[2:] - twist[:-2]) / (2 * t[1])
    np.testing.assert_allclose(found["acceleration"][1:-1], sped, atol=1e-5)
    work, energy = work_on_bodies(found), found["energy"].sum(axis=1)
    assert work == pytest.approx(energy[-1] - energy[0], rel=1e-8)
    wanted = {"x": 0.02 * np.sin(3 * t), "z": 0.8 + 0.03 * np.sin(2 * t)}
    kept = {"tripod-3rps": "z", "five-bar": "x"}.get(name)
    if kept:
        np.testing.assert_allclose(pose[:, "xyz".index(kept)], wanted[kept], atol=1e-12)


def test_between_waypoints_that_a_machine_can_take_the_rest_follows():
    model = gough.Model(gough.load("tripod-3rps"))
    tilts = [
        gough.pose([0, 0, 0.8], rpy=[0.15, -0.1, 0]),
        gough.pose([0, 0, 0.82], rpy=[-0.1, 0.2, 0]),
    ]
    poses = model.possible_pose(np.array(tilts)).pose
    points = [
        {"time": time, "position": pose[:3].tolist(), "quaternion": pose[3:].tolist()}
        for time, pose in zip([0.0, 1.5], poses, strict=True)
    ]
    motion = {"kind": "waypoints", "waypoints": points}
    asked = {"quantities": ["motion", "forces", "joint_share"]}
    found = run(data("tripod-3rps", motion, outputs=asked))
    np.testing.assert_allclose(found["pose"][[0, -1]], poses, atol=1e-12)
    np.testing.assert_allclose(model.possible_pose(found["pose"]).step, 0.0, atol=1e-9)
    work, energy = work_on_bodies(found), found["energy"].sum(axis=1)
    assert work == pytest.approx(energy[-1] - energy[0], rel=1e-8)
    points[1]["position"][0] += 0.02
    with pytest.raises(MotionError) as refused:
        run(data("tripod-3rps", motion))
    assert refused.value.key == "motion"
    assert "which tripod-3rps (z rx ry) cannot do" in refused.value.problem


def test_what_follows_cannot_be_asked_for_otherwise():
    with pytest.raises(MotionError) as refused:
        run(data("tripod-3rps", {"kind": "expression", "duration": 1, "yaw": "0.1*t**3"}))
    assert refused.value.key == "motion"
    assert "which tripod-3rps (z rx ry) cannot do" in refused.value.problem


def test_the_demo_study_keeps_all_limits_of_its_machine():
    found = run(Path(__file__).parents[2] / "studies" / "delta-pick-and-place.toml")
    assert found.warnings == ()
    moved = found["pose"][:, :3] - found["pose"][0, :3]
    assert np.ptp(moved, axis=0) == pytest.approx([0.305, 0, 0.025], abs=1e-12)
    assert found.limits.not_checked == ()
    assert found.summary["minimum_force_margin"].value > 0


def test_a_limit_of_one_kind_of_joints_is_judged_in_a_machine_with_both():
    robot = MACHINES["3-RPR"](1)
    joints = [changed(j, range=(-0.01, 0.01)) if j.name == "hip1" else j for j in robot.joints]
    robot = robot.model_copy(update={"joints": tuple(joints)})
    found = run(data(robot, {"kind": "line", "displacement": [0.02, 0.01, 0], "duration": 1}))
    assert "passive joint travel" in found.limits.checked
    assert found.summary["minimum_joint_margin_rotary"].unit == "rad"
    assert "minimum_joint_margin_linear" not in found.summary
    assert any(words.startswith("hip1 exceeds its range by") for words in found.warnings)


def test_plots_have_a_panel_for_each_unit_and_a_line_for_each_joint(swung):
    panels = swung["orthoglide"].plot("joint_position")
    labels = [axis.get_ylabel() for axis in panels]
    assert labels == ["joint position [m]", "joint position [rad]"]
    lines = [line.get_label() for axis in panels for line in axis.get_lines()]
    assert set(swung["orthoglide"].quantity("joint_position").axes[0].labels) <= set(lines)
    assert len(swung["delta"].plot("force")) == 1


@pytest.mark.parametrize("name", SWINGS)
def test_shares_by_cause_add_up_to_the_force(name, swung):
    found = swung[name]
    shares = [f"{cause}_share" for cause in ("gravity", "inertia", "velocity", "external", "joint")]
    whole = sum(found[share] for share in shares)
    np.testing.assert_allclose(whole, found["force"], atol=1e-10 * np.abs(found["force"]).max())
    assert found.quantity("gravity_share").units == found.quantity("force").units


def test_the_base_carries_all_weights_of_a_machine_at_rest():
    robot = gough.load("delta")
    found = run(data("delta", {"kind": "hold", "duration": 1}, samples=2))
    axes = gough.Model(robot).reaction_axes(np.array(robot.home)).axes
    names = found.quantity("joint_force").axes[0].labels
    between = {joint.name: joint.between for joint in robot.joints}
    based = [k for k, name in enumerate(names) if between[name][0] == "base"]
    carried = sum(axes[k].T @ found["joint_force"][0, k] for k in based)
    mass = robot.platform.mass + sum(body.mass for body in robot.bodies)
    assert carried == pytest.approx([0, 0, 9.81 * mass], abs=1e-9)
    assert found.summary["peak_joint_force"].place in names
