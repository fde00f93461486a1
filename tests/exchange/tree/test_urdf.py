"""Machines as URDF: well-formed trees, in which Pinocchio finds our efforts."""

import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pinocchio as pin
import pytest
import yaml
from exported_machines import (
    EXPORTED,
    assert_efforts_agree,
    frames_meet,
    from_mjcf,
    from_urdf,
    machine,
    motors,
    random_hexapod,
    spins,
)
from oracles.pinocchio_loops import Closure, PinocchioLoops

import gough
from gough.exchange import machine_export


@pytest.mark.parametrize("name", EXPORTED)
def test_pinocchio_finds_our_efforts(name):
    robot = machine(name)
    assert_efforts_agree(robot, from_urdf(robot))


@pytest.mark.parametrize(("seed", "kind"), [(1, "UPS"), (2, "SPS"), (3, "UPS")])
def test_pinocchio_finds_our_efforts_for_random_hexapods(seed, kind, tmp_path):
    robot = random_hexapod(seed, kind)
    assert_efforts_agree(robot, from_urdf(robot))
    assert_efforts_agree(robot, from_mjcf(robot, tmp_path))


@pytest.mark.parametrize("name", EXPORTED)
def test_a_file_is_one_tree_with_names_of_their_own(name):
    root = ET.fromstring(machine_export(machine(name), "urdf").text)
    links = [link.get("name") for link in root.findall("link")]
    joints = [joint.get("name") for joint in root.findall("joint")]
    assert max(Counter(links + joints).values()) == 1
    children = [joint.find("child").get("link") for joint in root.findall("joint")]
    parents = {joint.find("parent").get("link") for joint in root.findall("joint")}
    assert sorted([*children, "base"]) == sorted(links)
    assert parents <= set(links)


@pytest.mark.parametrize("name", ["delta", "planar-3rrr", "3-UPU"])
def test_loops_of_urdf_plus_say_the_same(name):
    robot = machine(name)
    (text,) = machine_export(robot, "urdf", loops=True).texts.values()
    model = pin.buildModelFromXML(text)
    model.gravity.linear = np.array(robot.gravity)
    closures = []
    for loop in ET.fromstring(text).findall("loop"):
        ends = [loop.find(end).get("link") for end in ("predecessor", "successor")]
        welded = loop.get("type") == "fixed"
        closures.append(frames_meet(model, ends, welded))
        if not welded:
            assert loop.get("type") == "continuous"
            axis = np.array(loop.find("axis").get("xyz").split(), dtype=float)
            closures.append(along(closures[-1], axis))
    driven = [model.joints[model.getJointId(motor)].idx_v for motor in motors(robot)]
    oracle = PinocchioLoops(model, closures, driven, "platform", spins(robot))
    assert_efforts_agree(robot, oracle, states=1)


def along(closure, axis):
    """Return the closure of the points that are one metre further on an axis of both frames."""
    step = pin.SE3(np.eye(3), axis)
    return Closure(closure.joints, tuple(place * step for place in closure.places), False)


def test_limits_count_from_home_and_say_all_that_motors_can():
    robot = gough.load("delta")
    hip = robot.joints[0]
    joint = ET.fromstring(machine_export(robot, "urdf").text).find("joint[@name='hip-1']")
    limit = {key: float(value) for key, value in joint.find("limit").attrib.items()}
    lower, upper = hip.range
    assert limit["lower"] + hip.home == pytest.approx(lower, rel=1e-15)
    assert limit["upper"] + hip.home == pytest.approx(upper, rel=1e-15)
    assert limit["effort"] == hip.max_torque
    assert limit["velocity"] == hip.max_speed
    assert float(joint.find("dynamics").get("damping")) == hip.damping


def test_the_file_beside_it_has_the_keys_of_gepettos_loader_alone():
    robot = gough.load("demo-hexapod")
    said = yaml.safe_load([*machine_export(robot, "urdf").texts.values()][1])
    assert {*said} == {"closed_loop", "type", "name_mot", "joint_name", "joint_type"}
    assert said["name_mot"] == motors(robot)


def test_no_position_shows_the_rounding_of_a_difference():
    link = ET.fromstring(machine_export(gough.load("h4"), "urdf").text).find("link[@name='half-1']")
    assert 0.12 - 0.16 != -0.04
    assert "-0.04" in link.find("inertial/origin").get("xyz").split()
