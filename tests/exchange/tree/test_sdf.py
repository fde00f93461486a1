"""Machines as SDF: files of the form that SDF 1.9 prescribes, in which our efforts are found."""

import xml.etree.ElementTree as ET

import pytest
from exported_machines import EXPORTED, assert_efforts_agree, machine, motors, spins
from oracles.sdf_machine import read_sdf

import gough
from gough.exchange import machine_export

READ = [name for name in EXPORTED if name != "3-UPU"]
"""All but the one with loops that universal joints close, which the reader cannot cut."""
FORM = {
    "sdf": {"model"},
    "model": {"link", "joint"},
    "link": {"pose", "inertial", "visual"},
    "inertial": {"pose", "mass", "inertia"},
    "inertia": {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"},
    "visual": {"pose", "geometry", "material"},
    "geometry": {"cylinder", "capsule"},
    "cylinder": {"radius", "length"},
    "capsule": {"radius", "length"},
    "material": {"ambient", "diffuse"},
    "joint": {"pose", "parent", "child", "axis", "axis2"},
    "axis": {"xyz", "limit", "dynamics"},
    "axis2": {"xyz", "limit", "dynamics"},
    "limit": {"lower", "upper", "effort", "velocity", "stiffness"},
    "dynamics": {"damping", "friction", "spring_stiffness", "spring_reference"},
}
"""What may be in what, of the specification (sdformat.org/spec, 1.9)."""
AXES = {"fixed": 0, "ball": 0, "revolute": 1, "prismatic": 1, "universal": 2}


@pytest.mark.parametrize("name", READ)
def test_a_reader_of_its_own_finds_our_efforts(name):
    robot = machine(name)
    text = machine_export(robot, "sdf").text
    assert_efforts_agree(robot, read_sdf(text, robot.gravity, motors(robot), spins(robot)))


@pytest.mark.parametrize("name", EXPORTED)
def test_a_file_has_the_form_that_is_prescribed(name):
    root = ET.fromstring(machine_export(machine(name), "sdf").text)
    assert (root.tag, root.get("version")) == ("sdf", "1.9")
    for element in root.iter():
        assert {child.tag for child in element} <= FORM.get(element.tag, set())
    model = root.find("model")
    links = [link.get("name") for link in model.findall("link")]
    joints = [joint.get("name") for joint in model.findall("joint")]
    assert len(set(links + joints)) == len(links) + len(joints)
    for joint in model.findall("joint"):
        assert {joint.find("parent").text, joint.find("child").text} <= {*links, "world"}
        assert len(joint.findall("axis") + joint.findall("axis2")) == AXES[joint.get("type")]


def test_a_spring_of_constant_torque_is_said_to_be_left_out():
    data = gough.load("five-bar").to_dict()
    data["joints"][0]["spring"] = {"torque": 0.7}
    export = machine_export(gough.Robot.from_dict(data), "sdf")
    name = data["joints"][0]["name"]
    assert f"not simulated: springs without stiffness, {name}" in export.remarks
    assert "spring_" not in export.text.partition("<!-- robot")[0]
