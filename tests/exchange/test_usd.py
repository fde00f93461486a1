"""Machines as USD: what UsdPhysics has of them, and back from there without Gough's own comment."""

import re
import sys

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

import gough
from gough.errors import GoughError, InputError
from gough.exchange import export_machine, imported, machine_export
from gough.exchange.tree.usd import _joint_frame
from gough.robot.home.configuration import ORIGIN, HomeJoint

SINGLE = 3e-7
"""Rounding of numbers of 32 bits, in a machine's efforts."""


def stage_of(robot):
    layer = Sdf.Layer.CreateAnonymous(".usda")
    assert layer.ImportFromString(machine_export(robot, "usd").text)
    return Usd.Stage.Open(layer)


def joint_of(stage, name):
    (found,) = (prim for prim in stage.Traverse() if prim.GetDisplayName() == name)
    return found


def by_others(path):
    """The file without the robot in its comment."""
    path.write_text(path.read_text().split("# <!-- robot")[0])
    return path


@pytest.mark.parametrize("name", ["planar-3rrr", "delta"])
def test_a_machine_comes_back(name, tmp_path):
    data = gough.load(name).to_dict()
    for joint in data["joints"]:
        joint.pop("drive", None)  # whose rotor would come back as an armature
    robot = gough.Robot.from_dict(data)
    (path, *_) = export_machine(robot, tmp_path, "usd")
    assert imported(path).robot == robot
    found = imported(by_others(path)).robot
    assert [a.name for a in found.actuators] == [a.name for a in robot.actuators]
    for ours, theirs in zip(robot.actuators, found.actuators, strict=True):
        for key in ("travel", "max_force", "max_speed"):
            np.testing.assert_allclose(getattr(theirs, key), getattr(ours, key), rtol=1e-6)
    model, pose = gough.Model(robot), np.array(robot.home)
    T, rng = model.twist_basis(pose), np.random.default_rng(0)
    motion = pose, T @ rng.standard_normal(T.shape[1]), np.zeros(6), rng.standard_normal(6)
    efforts = model.inverse_dynamics(*motion)
    again = gough.Model(found).inverse_dynamics(*motion)
    np.testing.assert_allclose(again, efforts, rtol=0, atol=SINGLE * np.abs(efforts).max())


def test_an_overconstrained_machine_of_single_precision_stays_at_home(tmp_path):
    """Its rotations have 7 digits: loops stay 5e-10 open, wherever its joints are."""
    robot = gough.load("quattro")
    (path, *_) = export_machine(robot, tmp_path, "usd")
    found = imported(by_others(path))
    np.testing.assert_allclose(found.robot.home, robot.home, atol=1e-7)
    assert found.robot.platform.moves == robot.platform.moves
    assert any(line.startswith("Its loops agree to") for line in found.assumed)


def test_a_file_is_read_by_a_process_of_its_own(tmp_path):
    robot = gough.load("five-bar")
    (path, *_) = export_machine(robot, tmp_path, "usd")
    found = imported(by_others(path)).robot
    assert [a.name for a in found.actuators] == [a.name for a in robot.actuators]


def test_bodies_weigh_what_they_do_and_loops_are_excluded_from_the_articulation():
    robot = gough.load("delta")
    stage = stage_of(robot)
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    bodies = [prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
    masses = {
        prim.GetDisplayName(): UsdPhysics.MassAPI(prim).GetMassAttr().Get() for prim in bodies
    }
    expected = {body.name: body.mass for body in robot.bodies} | {"platform": robot.platform.mass}
    assert masses == pytest.approx(expected, rel=1e-6)
    joints = [UsdPhysics.Joint(prim) for prim in stage.Traverse() if prim.IsA(UsdPhysics.Joint)]
    cut = [joint for joint in joints if joint.GetExcludeFromArticulationAttr().Get()]
    assert len(joints) == len(robot.joints)
    assert len(cut) == len(joints) - len(bodies)  # all others are a tree


def test_ranges_drives_rotors_and_friction_are_in_degrees():
    robot = gough.load("planar-3rrr")
    hip, wrist = (next(j for j in robot.joints if j.name == name) for name in ("hip-1", "wrist-2"))
    stage = stage_of(robot)
    prim = joint_of(stage, "hip-1")
    joint, drive = UsdPhysics.RevoluteJoint(prim), UsdPhysics.DriveAPI(prim, "angular")
    limits = joint.GetLowerLimitAttr().Get(), joint.GetUpperLimitAttr().Get()
    np.testing.assert_allclose(limits, np.degrees(hip.range), rtol=1e-6)
    np.testing.assert_allclose(drive.GetMaxForceAttr().Get(), hip.max_torque)
    rotor = hip.drive.gear_ratio**2 * hip.drive.rotor_inertia + hip.drive.gear_inertia
    armature = prim.GetAttribute("physxJointAxis:angular:armature").Get()
    np.testing.assert_allclose(armature, rotor, rtol=1e-6)
    limited = UsdPhysics.RevoluteJoint(joint_of(stage, "wrist-2"))
    assert limited.GetExcludeFromArticulationAttr().Get()
    np.testing.assert_allclose(limited.GetUpperLimitAttr().Get(), np.degrees(wrist.range[1]))


def test_meshes_have_their_triangles_and_names_any_letters(tmp_path):
    (tmp_path / "plate.obj").write_text("v 0 0 0\nv 1 0 0.5\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n")
    data = gough.load("five-bar").to_dict() | {"name": 'five "bär"'}
    data["platform"]["mesh"] = {"file": str(tmp_path / "plate.obj"), "unit": "mm"}
    stage = stage_of(gough.Robot.from_dict(data))
    assert stage.GetDefaultPrim().GetDisplayName() == 'five "bär"'
    mesh = UsdGeom.Mesh(stage.GetDefaultPrim().GetPrimAtPath("platform/mesh_1"))
    corners = np.array(mesh.GetPointsAttr().Get())[mesh.GetFaceVertexIndicesAttr().Get()]
    assert list(mesh.GetFaceVertexCountsAttr().Get()) == [3, 3]
    expected = [[[0, 0, 0], [1, 0, 0.5], [0, 1, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]]]
    np.testing.assert_allclose(corners.reshape(2, 3, 3), 1e-3 * np.array(expected), rtol=1e-6)


def test_springs_and_cylindrical_joints_come_back(tmp_path):
    data = gough.load("five-bar").to_dict()
    passive = next(joint for joint in data["joints"] if not joint.get("driven"))
    passive |= {"stiffness": 3.0, "damping": 0.2}
    (path, *_) = export_machine(gough.Robot.from_dict(data), tmp_path, "usd")
    found = imported(by_others(path)).robot
    again = next(joint for joint in found.joints if joint.name == passive["name"])
    np.testing.assert_allclose([again.stiffness, again.damping], [3.0, 0.2], rtol=1e-6)


def test_other_units_are_metres_and_kilograms(tmp_path):
    (path, *_) = export_machine(gough.load("five-bar"), tmp_path, "usd")
    inches = by_others(path).read_text().replace("metersPerUnit = 1", "metersPerUnit = 0.0254")
    path.write_text(inches)
    found = imported(path).robot
    near, far = (np.ptp([j.at for j in r.joints], axis=0) for r in (found, gough.load("five-bar")))
    np.testing.assert_allclose(near, 0.0254 * far, atol=1e-7)


def test_mimics_become_couplings(tmp_path):
    """The right hip follows the left one: position + gearing · the other's + offset [deg] = 0."""
    (path, *_) = export_machine(gough.load("five-bar"), tmp_path, "usd")
    text = by_others(path).read_text()
    at = joint_of(Usd.Stage.Open(str(path)), "hip-left").GetPath()
    mimic = f"""float physxMimicJoint:rotX:gearing = 0.5
        float physxMimicJoint:rotX:offset = 3
        float physxMimicJoint:rotX:naturalFrequency = 25
        rel physxMimicJoint:rotX:referenceJoint = <{at}>
        """
    before, name, after = text.partition('"hip_right"')
    after = after.replace("= [", '= ["PhysxMimicJointAPI:rotX", ', 1).replace(
        "{\n", "{\n" + mimic, 1
    )
    path.write_text(before + name + after)
    found = imported(path, motors=["hip-left"])
    (coupling,) = found.robot.couplings
    assert (coupling.joints, coupling.weights) == (("hip-right", "hip-left"), (1.0, 0.5))
    home = {joint.name: joint.home for joint in found.robot.joints}
    assert home["hip-right"] + 0.5 * home["hip-left"] == pytest.approx(-np.radians(3), abs=1e-9)
    assert "compliance of mimics of hip-right" in found.left_out
    path.write_text((before + name + after).replace("gearing = 0.5", "gearing"))
    found = imported(path)
    assert not found.robot.couplings
    assert "PhysxMimicJointAPI of hip-right" in found.left_out


def test_what_of_other_files_is_left_out(tmp_path):
    """Inertias of shapes, ranges with one end, drives without force, mimics, older numbers."""
    (path, *_) = export_machine(gough.load("five-bar"), tmp_path, "usd")
    text = re.sub(r".*physics:(diagonalInertia|centerOfMass).*\n", "", by_others(path).read_text())
    text = text.replace("physxJointAxis:angular:armature", "physxJoint:armature")
    before, name, after = text.partition('"elbow_right"')
    after = after.replace("= [", '= ["PhysicsDriveAPI:angular", "PhysxMimicJointAPI:rotX", ', 1)
    after = after.replace("{\n", "{\nfloat drive:angular:physics:maxForce = 0\n", 1)
    after = re.sub("float physics:upperLimit = .*", "", after, count=1)
    others = 'def PhysicsFixedJoint "weld" {\nbool physics:jointEnabled = 0\n}\n'
    others += 'def Xform "fan" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {\n'
    path.write_text(f"{before}{name}{after}{others}bool physics:kinematicEnabled = 1\n}}\n")
    found = imported(path)
    assert [joint.name for joint in found.robot.driven] == ["hip-left", "hip-right"]
    assert found.robot.driven[0].armature > 0.0
    for line in (
        "inertias that shapes have of platform, ", "mass centres that shapes have of platform, ",
        "that bodies move which are kinematic or disabled: fan", "disabled joints weld",
        "PhysxMimicJointAPI of elbow-right", "range of elbow-right, which has one end",
    ):  # fmt: skip
        assert any(said.startswith(line) for said in found.left_out)
    (tmp_path / "inner").mkdir()
    other = tmp_path / "inner" / "machine.usda"
    other.write_text(f'#usda 1.0\ndef Xform "r" (references = @../{path.name}@</five_bar>) {{}}\n')
    with pytest.raises(InputError, match="it names a file elsewhere"):
        imported(other)


def test_static_friction_dampers_and_curves_of_motors_are_left_out(tmp_path):
    (path, *_) = export_machine(gough.load("five-bar"), tmp_path, "usd")
    assert not any("static friction" in said for said in imported(path).left_out)
    more = """{
        float physxLimit:angular:damping = 3
        float physxDrivePerformanceEnvelope:angular:speedEffortGradient = 0.5
        """
    before, name, after = by_others(path).read_text().partition('"hip_left"')
    after = re.sub("(staticFrictionEffort) = .*", r"\1 = 2", after.replace("{", more, 1), count=1)
    path.write_text(before + name + after)
    left_out = imported(path).left_out
    for words in ("static friction", "damping of end stops", "performance envelopes"):
        assert f"{words} of hip-left" in left_out


def test_what_of_balls_and_bodies_has_no_place_is_left_out(tmp_path):
    (path, *_) = export_machine(gough.load("delta"), tmp_path, "usd")
    limits = {f"trans{axis}": (1, -1) for axis in "XYZ"} | {"rotX": (-30, 30)}
    more = [
        f"float limit:{axis}:physics:{end} = {limit}\n"
        for axis, pair in limits.items()
        for end, limit in zip(("low", "high"), pair, strict=True)
    ]
    more.append("float physxJointAxis:rotX:viscousFrictionCoefficient = 0.5\n")
    text = by_others(path).read_text()
    before, name, after = text.partition('PhysicsSphericalJoint "elbow_1a"')
    after = after.replace("{\n", "{\n" + "".join(more), 1)
    text = f'{before}PhysicsJoint "elbow_1a"{after}'
    lone = "bool physxRigidBody:disableGravity = 1\nfloat physxRigidBody:linearDamping = 0.4\n"
    before, name, after = text.partition("point3f physics:centerOfMass = (0, 0, -0.03)")
    path.write_text(before + name + "\n" + lone + after)
    left_out = imported(path).left_out
    assert left_out[0] == "that gravity does not act on platform"
    assert left_out[2:] == (
        "linear or angular damping of platform",
        "ranges of elbow-1a",
        "friction or armature of elbow-1a",
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("#usda 1.0\n(", "not valid USD: 2:2: Expected"),
        ("#usda 1.0\n", "without a closed loop"),
        ('#usda 1.0\ndef Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}', "floats"),
        (
            '#usda 1.0\ndef PhysicsDistanceJoint "d" {\nrel physics:body1 = </b>\n}\n'
            'def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}',
            "another type",
        ),
        ('#usda 1.0\ndef PhysicsFixedJoint "d" {\nrel physics:body1 = </n>\n}', "no such prim"),
    ],
)
def test_what_is_no_machine_is_refused(text, problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "machine.usda").write_text(text)
    with pytest.raises(InputError, match=problem):
        imported("machine.usda")


def test_loops_beside_a_usd_file_are_refused(tmp_path):
    (path, *_) = export_machine(gough.load("five-bar"), tmp_path, "usd")
    by_others(path)
    (tmp_path / "loops.yaml").write_text("closed_loop: []\n")
    with pytest.raises(InputError, match="loops beside a USD file"):
        imported(path, loops=tmp_path / "loops.yaml")


def test_a_universal_joint_askew_is_refused():
    places = (ORIGIN, ORIGIN)
    joint = HomeJoint("u", "U", ("base", "platform"), ORIGIN, places, ((1, 0, 0), (1, 1, 0)))
    with pytest.raises(GoughError, match="u: a universal joint whose axes are not at right angles"):
        _joint_frame(joint)


def test_without_the_package_a_file_is_written_and_its_extra_is_named_to_read_one(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pxr", None)
    (path, *_) = export_machine(gough.load("five-bar"), tmp_path, "usd")
    with pytest.raises(GoughError, match=r"USD files need the package usd-core.*usd"):
        imported(by_others(path))
