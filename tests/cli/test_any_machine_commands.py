"""Every command for machines of any kind: a Delta, a planar machine, a rotary hexapod."""

import json

import numpy as np
import pytest
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism

from gough.analysis.results import Results
from gough.robot import load, save

MACHINES_OF_THE_LIBRARY = ("delta", "planar-3rrr", "servo-hexapod-6rss")


def plain(gough, *arguments):
    done = gough(*arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("name", MACHINES_OF_THE_LIBRARY)
def test_show_tells_structure_actuators_bodies_and_joints(gough, name):
    robot = load(name)
    text = gough("show", name).out
    assert all(body.name in text for body in robot.bodies)
    assert all(joint.name in text for joint in robot.joints)
    data = plain(gough, "show", name)
    home = data.pop("at_home")
    assert type(robot).from_dict(data) == robot
    assert home["names"] == [actuator.name for actuator in robot.actuators]
    assert set(home["units"]) == {"rad"}
    driven = [joint.home for joint in robot.joints if joint.is_driven]
    np.testing.assert_allclose(home["positions"], driven, atol=1e-12)
    assert home["structure"]["mobility"] == len(robot.platform.moves)


def test_mobility_overconstraint_and_idle_spins_are_those_of_the_textbooks(gough):
    """A planar machine breaks the formula of Chebychev, Grübler and Kutzbach by three a loop."""
    planar = plain(gough, "show", "planar-3rrr")["at_home"]["structure"]
    bodies, hinges = 7, 9
    by_formula = 6 * bodies - 5 * hinges
    assert planar["mobility"] - by_formula == planar["overconstrained"] == 6
    delta = plain(gough, "show", "delta")["at_home"]["structure"]
    by_formula = 6 * 10 - 3 * 5 - 12 * 3
    assert delta["overconstrained"] == 0
    assert by_formula - len(delta["passive_rotations"]) == delta["mobility"] == 3


def test_check_says_the_same_of_a_file_and_what_is_missing_there(gough, tmp_path):
    save(MACHINES["3-RRR"](1), tmp_path / "mine.toml")
    found = plain(gough, "check", tmp_path / "mine.toml")
    assert (found["leg_count"], found["legs"]) == (3, "R*RR")
    assert (found["mass_of_each_leg"], found["mass_of_all_legs"]) == (1, 3)
    assert found["platform_mass"] == 1.2
    structure = found["structure"]
    assert (structure["degrees_of_freedom"], structure["overconstrained"]) == (["x", "y", "rz"], 6)
    assert len(found["notes"]) == 3


def test_robots_lists_freedoms_and_actuators(gough):
    listed = {robot["name"]: robot for robot in plain(gough, "robots")}
    assert listed["delta"]["degrees_of_freedom"] == ["x", "y", "z"]
    assert listed["orthoglide"]["units"] == ["m"] * 3
    assert listed["demo-hexapod"]["legs"] == "6 UPS"


@pytest.mark.parametrize("name", ["delta, ball-ended rods", "3-RRR", "6-RSS"])
def test_ik_gives_the_angles_of_pinocchio_and_fk_the_pose_again(gough, name, tmp_path):
    mechanism = MACHINES[name](3)
    save(mechanism, tmp_path / "machine.json")
    oracle = PinocchioMechanism(mechanism)
    state = oracle.random_state(np.random.default_rng(4), stray=0.1)
    x, y, z, *quaternion = state.pose
    w, i, j, k = quaternion
    yaw = np.arctan2(2 * (w * k + i * j), 1 - 2 * (j * j + k * k))
    pitch = np.arcsin(2 * (w * j - k * i))
    roll = np.arctan2(2 * (w * i + j * k), 1 - 2 * (i * i + j * j))
    pose = ("--position", x, y, z, "--rpy", roll, pitch, yaw)
    at = plain(gough, "pose ik", tmp_path / "machine.json", *pose)
    assert at["names"] == [actuator.name for actuator in mechanism.actuators]
    np.testing.assert_allclose(at["positions"], oracle.positions(state), atol=1e-9)
    back = plain(gough, "pose fk", tmp_path / "machine.json", "--joints", *at["positions"])
    np.testing.assert_allclose(back["pose"], at["pose"], atol=1e-9)
    assert back["status"] == "converged"


def test_angles_may_have_units_and_negative_ones_are_no_options(gough):
    given = ("10 deg", "-0.1", "2deg")
    pose = plain(gough, "pose fk", "delta", "--joints", *given)["pose"]
    same = plain(gough, "pose fk", "delta", "--degrees", "--joints", "10", "-0.1 rad", "2")["pose"]
    np.testing.assert_allclose(same, pose, atol=1e-12)
    shown = gough("pose ik", "delta", "--position", *pose[:3]).out
    rows = [line.split() for line in shown.splitlines() if line.startswith(" hip")]
    assert [row[0] for row in rows] == [f"hip-{k}" for k in (1, 2, 3)]
    assert {row[4] for row in rows} == {"deg"}
    assert [float(row[1]) for row in rows] == pytest.approx([10, np.degrees(-0.1), 2], abs=1e-5)


def test_a_position_outside_the_range_is_called_so(gough):
    at = plain(gough, "pose ik", "delta", "--position", 0, 0, -1.75)
    assert at["within_travel"] == [False] * 3
    assert gough("pose ik", "delta", "--position", 0, 0, -1.75).out.count("outside its range") == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pose fk", "delta"], "missing option '--joints'; see 'gough pose fk --help'"),
        (
            ["pose fk", "delta", "--joints", "1", "1"],
            "requires 3 arguments, one for each of hip-1, hip",
        ),
        (["pose fk", "delta", "--joints", "1 m", "1", "1"], "for '--joints': \"1 m\" is a length"),
        (["pose fk", "delta", "--joints", "1", "--joints", "1"], "given twice"),
        (
            ["pose ik", "delta", "--position", "0", "0", "--rpy", "0", "0", "0"],
            "2 values; expected 3",
        ),
        (["pose ik", "delta", "--position", "--degrees"], "'--position': 0 values; expected 3"),
        (["pose fk", "orthoglide", "--joints", "1", "1 deg", "1"], '"1 deg" is an angle'),
    ],
)
def test_positions_that_do_not_fit_are_refused(gough, arguments, words):
    assert words in gough(*arguments).complaint(2)


def test_a_pose_that_cannot_be_taken_is_refused_or_the_nearest_is_said(gough):
    at = plain(gough, "pose ik", "delta", "--rpy", 0, 0.1, 0)
    np.testing.assert_allclose(at["pose"], load("delta").home, atol=1e-12)
    assert "delta moves in x y z only" in at["notes"][0]
    assert "off by 0  0  0 m and 0  5.73  0 deg" in at["notes"][0]
    assert "cannot reach this pose" in gough("pose ik", "delta", "--position", 0, 0, -3).complaint()


def test_a_motion_names_joints_and_gives_the_energy_of_a_lift(gough, tmp_path):
    motion = 'kind="line", displacement=[0,0,0.1], duration=1'
    words = ("delta", "-m", motion, "--samples", 401, "--no-report", "-o", tmp_path / "lift")
    found = plain(gough, "run", *words)
    results = Results.load(tmp_path / "lift")
    assert results.quantity("force").columns[0] == "force_hip-1 [N m]"
    q, force = results["actuator_position"], results["force"]
    done = ((force[1:] + force[:-1]) / 2 * np.diff(q, axis=0)).sum()
    assert done == pytest.approx(found["summary"]["energy_net"]["value"], rel=1e-4)
    assert found["summary"]["peak_force"]["unit"] == "N m"


def test_singularity_tells_all_four_kinds(gough):
    text = gough("pose singularity", "planar-3rrr").out
    for words in ("type 1", "type 2", "passive joints", "constraint"):
        assert words in text
    folded = plain(gough, "pose singularity", "delta", "--position", 0, 0, -1.3)
    assert folded["motors"] == ["hip-1", "hip-2", "hip-3"]
    assert folded["condition"] > 1


def test_fk_speaks_of_actuators_and_not_of_legs(gough):
    shown = gough("pose fk", "delta", "--joints", "-50deg", "-50deg", "-50deg")
    assert "a pose with these positions of the actuators, which are outside their ranges" in (
        f"{shown.out} {shown.err}".replace("\n", " ")
    )
