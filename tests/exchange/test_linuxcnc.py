"""LinuxCNC components: built by its own compiler, loaded under a stub of its HAL."""

import configparser
import ctypes
import shutil

import numpy as np
import pytest
from drawings import changed
from drawn_machines import turned
from linuxcnc_kins import GENHEXKINS, HALCOMPILE, Kins, built

import gough
from gough.errors import GoughError
from gough.exchange import export_machine
from gough.kinematics.forward.status import Status
from gough.poses import displace

with_halcompile = pytest.mark.skipif(
    HALCOMPILE is None, reason="no halcompile here: it comes with LinuxCNC (linuxcnc-uspace-dev)"
)
with_genhexkins = pytest.mark.skipif(
    not GENHEXKINS.exists(), reason=f"no {GENHEXKINS} here: it comes with LinuxCNC"
)
MM = 1000.0
WORLD = np.array([20, -30, 1300, 5, -8, 12.0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("linuxcnc")


def component(robot, folder):
    robot = gough.load(robot) if isinstance(robot, str) else robot
    path, *_ = export_machine(robot, folder, "linuxcnc")
    module, said = built(path)
    assert "arning" not in said
    return Kins(module, path.stem.replace("_", "-"))


@pytest.fixture(scope="module")
def kalani(folder):
    return component("kalani-2016", folder)


@pytest.fixture
def hexapod(kalani):
    """With its own geometry, and no tool."""
    set_geometry(kalani, "kalani-2016")
    for name, value in {"tool-offset": 0.0, "spindle-offset": 0.0}.items():
        kalani.pin(name).value = value
    kalani.pin("limit-iterations", ctypes.c_uint32).value = 30
    return kalani


def set_geometry(kins, robot):
    legs = gough.load(robot).legs
    kins.set_joints(
        *(MM * np.array([getattr(leg, e) for leg in legs]) for e in ("base", "platform"))
    )


def poses_on_a_way(count, centre, reach):
    """Poses X Y Z A B C, each near the one before, all over the room around a centre."""
    phase = np.linspace(0, 20, count)[:, None] * [1.0, 1.3, 1.7, 2.1, 0.7, 1.1] + np.arange(6)
    return centre + reach * np.sin(phase)


def lengths(robot, world):
    """Joints [mm] at axes [mm, deg], by Gough's own kernel."""
    model, world = gough.Model(gough.load(robot)), np.asarray(world)
    pose = gough.pose(world[..., :3] / MM, rpy=world[..., 3:], degrees=True)
    return model.inverse_kinematics(pose) * MM


@with_halcompile
def test_ten_thousand_poses_come_back_from_their_joints(hexapod):
    way = poses_on_a_way(10_000, [0, 0, 1200, 0, 0, 0], [150, 150, 150, 25, 25, 25])
    expected, last = lengths("kalani-2016", way), way[0]
    most = 0
    for world, q in zip(way, expected, strict=True):
        joints = hexapod.inverse(world)
        np.testing.assert_allclose(joints[:6], q, rtol=1e-14)
        last, code = hexapod.forward(joints, last)
        assert code == 0
        assert np.abs(last - world).max() < 1e-9
        most = max(most, hexapod.last_iterations)
    assert hexapod.pin("status", ctypes.c_int32).value == Status.CONVERGED
    assert hexapod.pin("residual").value < 1e-12
    assert 1 < most <= 4


@with_halcompile
def test_a_builders_geometry_is_set_by_pins(hexapod):
    set_geometry(hexapod, "demo-hexapod")
    world = np.array([20, -30, 400, 5, -8, 12.0])
    joints = hexapod.inverse(world)
    np.testing.assert_allclose(joints[:6], lengths("demo-hexapod", world), rtol=1e-13)
    back, code = hexapod.forward(joints, world + [5, 5, 5, 2, 2, 2])
    assert code == 0
    np.testing.assert_allclose(back, world, atol=1e-9)


@with_halcompile
def test_inches_are_a_pin_as_well(hexapod):
    in_millimetres = hexapod.inverse(WORLD)[:6]
    legs, inch = gough.load("kalani-2016").legs, 0.0254
    hexapod.set_joints(
        [np.array(g.base) / inch for g in legs], [np.array(g.platform) / inch for g in legs]
    )
    hexapod.pin("units-per-metre").value = 1 / inch
    scale = np.array([1 / 25.4] * 3 + [1] * 3)
    joints = hexapod.inverse(WORLD * scale)
    np.testing.assert_allclose(joints[:6], in_millimetres / 25.4, rtol=1e-13)
    back, _ = hexapod.forward(joints, WORLD * scale + 0.1)
    np.testing.assert_allclose(back, WORLD * scale, atol=1e-10)
    hexapod.pin("units-per-metre").value = MM


@with_halcompile
def test_whole_turns_of_an_axis_stay(hexapod):
    turned = WORLD + [0, 0, 0, 0, 0, 360]
    back, _ = hexapod.forward(hexapod.inverse(turned), turned + 0.5)
    np.testing.assert_allclose(back, turned, atol=1e-9)


@pytest.fixture(scope="module")
def genhexkins(folder):
    kins = Kins(GENHEXKINS, "genhexkins")
    set_geometry(kins, "kalani-2016")
    kins.forward(np.zeros(16), np.zeros(6))  # its first call starts from zeros, whatever is given
    return kins


@with_halcompile
@with_genhexkins
@pytest.mark.parametrize(("tool", "spindle"), [(0, 0), (80, 0), (80, 35)])
def test_axes_and_offsets_are_those_of_genhexkins(hexapod, genhexkins, tool, spindle):
    for kins in (hexapod, genhexkins):
        kins.pin("tool-offset").value, kins.pin("spindle-offset").value = tool, spindle
    for world in poses_on_a_way(50, [0, 0, 1200, 0, 0, 0], [150, 150, 150, 25, 25, 40]):
        joints = hexapod.inverse(world)
        np.testing.assert_allclose(joints[:6], genhexkins.inverse(world)[:6], rtol=1e-14)
        near = world + [3, -2, 4, 1, -1, 2]
        (mine, code), (its, other) = hexapod.forward(joints, near), genhexkins.forward(joints, near)
        assert code == other == 0
        np.testing.assert_allclose(mine, world, atol=1e-9)
        np.testing.assert_allclose(its, world, atol=1e-7)


@with_halcompile
@with_genhexkins
def test_screws_that_turn_with_their_struts_are_corrected_as_by_genhexkins(hexapod, genhexkins):
    rng = np.random.default_rng(0)
    for kins in (hexapod, genhexkins):
        kins.pin("tool-offset").value = kins.pin("spindle-offset").value = 0.0
    for end, mean in (("base", [1, 0, 1]), ("platform", [1, 1, 0])):
        for leg in range(6):
            axis = mean + rng.normal(scale=0.2, size=3)
            for letter, x in zip("xyz", axis / np.linalg.norm(axis), strict=True):
                for kins in (hexapod, genhexkins):
                    kins.pin(f"{end}-n.{leg}.{letter}").value = x
    for kins in (hexapod, genhexkins):
        kins.pin("screw-lead").value = 5.0
    bare = lengths("kalani-2016", WORLD)
    joints = hexapod.inverse(WORLD)
    added = [hexapod.pin(f"correction.{leg}").value for leg in range(6)]
    assert np.abs(added).min() > 1e-3
    np.testing.assert_allclose(joints[:6], bare + added, rtol=1e-14)
    np.testing.assert_allclose(joints[:6], genhexkins.inverse(WORLD)[:6], rtol=1e-14)
    for kins in (hexapod, genhexkins):
        back, code = kins.forward(joints, WORLD + [3, -2, 4, 1, -1, 2])
        assert code == 0
        np.testing.assert_allclose(back, WORLD, atol=1e-7)
        kins.pin("screw-lead").value = 0.0


@with_halcompile
def test_joints_that_no_pose_has_are_told(hexapod):
    joints = np.array([100, 100, 2000, 100, 100, 2000.0])
    last = np.array([0, 0, 1200, 0, 0, 0.0])
    world, code = hexapod.forward(joints, last)
    assert code == -1
    np.testing.assert_array_equal(world, last)
    assert hexapod.pin("fwd-kins-fail", ctypes.c_bool).value
    assert hexapod.pin("status", ctypes.c_int32).value == Status.IMPOSSIBLE_LENGTHS


@with_halcompile
def test_the_limit_of_iterations_is_a_pin(hexapod):
    joints = hexapod.inverse([30, 20, 1250, 5, 5, 5])
    hexapod.pin("limit-iterations", ctypes.c_uint32).value = 1
    assert hexapod.forward(joints, [0, 0, 1200, 0, 0, 0])[1] == -1
    hexapod.pin("limit-iterations", ctypes.c_uint32).value = 30
    assert hexapod.forward(joints, [0, 0, 1200, 0, 0, 0])[1] == 0
    assert not hexapod.pin("fwd-kins-fail", ctypes.c_bool).value


@with_halcompile
def test_nothing_known_of_the_platform_is_home_once(hexapod, folder, tmp_path):
    module = shutil.copy(folder / "kalani_2016_kins.so", tmp_path / "loaded_anew.so")
    anew = Kins(module, "kalani-2016-kins")
    expected = np.array([30, 20, 1150, 5, -5, 5.0])
    joints = anew.inverse(expected)
    world, code = anew.forward(joints, np.zeros(6))
    assert code == 0
    np.testing.assert_allclose(world, expected, atol=1e-9)
    assert anew.forward(joints, np.zeros(6))[1] == -1


def axes_of(pose, tool):
    """X Y Z A B C [mm, deg] at poses, with a tool [mm] along z."""
    tip = gough.rotation(pose).as_matrix()[..., 2] - [0, 0, 1]
    angles = gough.rotation(pose).as_euler("xyz", degrees=True)
    return np.concatenate([MM * pose[..., :3] - tool * tip, angles], axis=-1)


def yawed(machine, angle):
    """The same machine, whose platform's frame is turned about z."""
    quaternion = (np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2))
    home = changed(machine.platform.home, quaternion=quaternion)
    return changed(machine, platform=changed(machine.platform, home=home))


@with_halcompile
@pytest.mark.parametrize(
    ("machine", "has", "tool"),
    [
        (yawed(gough.load("tripod-3rps"), np.pi), "ZAB", 0.0),
        (yawed(gough.load("five-bar"), np.pi / 2), "XY", 0.0),
        (turned(gough.load("five-bar"), 1), "XYZ", 30.0),
        (turned(gough.load("tricept"), 2), "XYZABC", 30.0),
    ],
    ids=["tripod, turned", "five-bar, turned", "with a tool", "tricept"],
)
def test_what_a_machine_does_beside_its_axes_is_found(machine, has, tool, folder):
    """Also where the platform's frame is not along the base's, and a tool turns with it."""
    machine = changed(machine, name=f"beside-{tool:.0f}-{has}")
    kins, model = component(machine, folder), gough.Model(machine)
    kins.pin("tool-offset").value = tool
    steps = np.linspace(0, 6, 60)[:, None] * [1.0, 1.3, 1.7, 2.1, 0.7, 1.1]
    asked = displace(np.array(machine.home), 0.03 * np.sin(steps))
    poses = model.possible_pose(asked).pose
    way = np.where([axis in has for axis in "XYZABC"], axes_of(poses, tool), 0.0)
    expected = model.inverse_kinematics(poses)
    units = [np.degrees(1) if actuator.turns else MM for actuator in machine.actuators]
    last = way[0]
    for world, q in zip(way, expected * units, strict=True):
        joints = kins.inverse(world)
        np.testing.assert_allclose(joints[: len(q)], q, atol=1e-9)
        last, code = kins.forward(joints, last)
        assert code == 0
        np.testing.assert_allclose(last, world, atol=1e-8)


@with_halcompile
def test_attitudes_are_right_where_roll_and_yaw_are_one(folder):
    """A hexapod on its side: B is 90 degrees at home."""
    robot = gough.load("demo-hexapod")
    side = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    legs = tuple(changed(leg, base=tuple(side @ leg.base)) for leg in robot.legs)
    quaternion = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
    home = changed(
        robot.platform.home, position=tuple(side @ robot.home[:3]), quaternion=quaternion
    )
    platform = changed(robot.platform, home=home)
    robot = changed(robot, name="on-its-side", legs=legs, platform=platform)
    kins, model = component(robot, folder), gough.Model(robot)
    x, y, z = MM * np.array(robot.home[:3])
    for angles in ([10, 90, 0], [10, 90, 20], [0, 90, 20], [3, -90 + 180, -4], [3, 89.9999999, 4]):
        world = np.array([x, y + 5, z, *angles])
        joints = kins.inverse(world)
        back, code = kins.forward(joints, world + [1, 1, 1, 0.5, -0.5, 0.5])
        assert code == 0
        pose = gough.pose(back[:3] / MM, rpy=back[3:], degrees=True)
        np.testing.assert_allclose(model.inverse_kinematics(pose) * MM, joints[:6], atol=1e-7)


@with_halcompile
def test_a_delta_has_degrees_for_joints_and_no_attitude(folder):
    delta, model = component("delta", folder), gough.Model(gough.load("delta"))
    home = np.array(model.robot.home)
    way = poses_on_a_way(500, [*home[:3] * MM, 0, 0, 0], [60, 60, 30, 0, 0, 0])
    last = way[0]
    for world in way:
        joints = delta.inverse(world)
        q = model.inverse_kinematics([*world[:3] / MM, *home[3:]])
        np.testing.assert_allclose(joints[:3], np.degrees(q), atol=1e-10)
        assert np.isnan(joints[3:]).all()
        last, code = delta.forward(joints, last)
        assert code == 0
        np.testing.assert_allclose(last, world, atol=1e-9)
    arm = delta.pin("leg.links.0.length")
    arm.value *= 1.05
    other = model.robot.replace({"leg.links[0].length": arm.value / MM})
    q = gough.Model(other).inverse_kinematics([*way[0, :3] / MM, *home[3:]])
    np.testing.assert_allclose(delta.inverse(way[0])[:3], np.degrees(q), atol=1e-10)


@with_halcompile
def test_a_tripod_moves_sideways_by_itself(folder):
    tripod, model = component("tripod-3rps", folder), gough.Model(gough.load("tripod-3rps"))
    for world in poses_on_a_way(
        100, [0, 0, model.robot.home[2] * MM, 0, 0, 0], [0, 0, 30, 8, 8, 0]
    ):
        asked = gough.pose(world[:3] / MM, rpy=world[3:], degrees=True)
        q = model.inverse_kinematics(model.possible_pose(asked).pose)
        joints = tripod.inverse(world)
        np.testing.assert_allclose(joints[:3], q * MM, rtol=1e-10)
        back, code = tripod.forward(joints, world)
        assert code == 0
        np.testing.assert_allclose(back, world, atol=1e-6)


@with_halcompile
def test_joints_can_be_moved_one_by_one_and_the_platform_is_followed_meanwhile(hexapod):
    assert hexapod.switchable
    near = WORLD + [0, 0, 0, 0, 0, 360]  # whole turns stay, too
    joints = hexapod.inverse(near)
    assert hexapod.forward(joints, near)[1] == 0
    assert hexapod.switch(1) == 0
    assert not hexapod.pin("kinstype.is-0", ctypes.c_bool).value
    for step in np.linspace(0, 40, 21):  # along which joint 2 goes 40 mm away
        moved = joints + step * np.eye(16)[2]
        world, code = hexapod.forward(moved, moved[:6])
        assert code == 0
        np.testing.assert_array_equal(world, moved[:6])
        np.testing.assert_array_equal(hexapod.inverse(world)[:6], moved[:6])
    assert hexapod.switch(0) == 0
    back, code = hexapod.forward(moved, moved[:6])  # LinuxCNC knows no better yet
    assert code == 0
    assert np.abs(back - near)[5] < 20
    np.testing.assert_allclose(hexapod.inverse(back)[:6], moved[:6], atol=1e-9)


@with_halcompile
def test_joints_that_no_pose_has_are_refused_when_axes_are_the_machines_again(hexapod):
    joints = hexapod.inverse(WORLD)
    hexapod.forward(joints, WORLD)
    hexapod.switch(1)
    torn = np.where(np.arange(16) == 2, 5000.0, joints)
    assert hexapod.forward(torn, torn[:6])[1] == 0
    hexapod.switch(0)
    assert hexapod.forward(torn, torn[:6])[1] == -1
    back, code = hexapod.forward(joints, torn[:6])  # from where it last was
    assert code == 0
    np.testing.assert_allclose(back, WORLD, atol=1e-8)
    assert hexapod.switch(2) == -1


def read(path):
    """Sections of an INI file of LinuxCNC, in which keys may be repeated."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.read_string(path.read_text())
    return parser


def test_the_configuration_has_limits_speeds_and_the_home_of_all_joints(tmp_path):
    robot = gough.load("delta")
    files = {path.suffix: path for path in export_machine(robot, tmp_path, "linuxcnc")}
    ini, (low, high) = read(files[".ini"]), np.degrees(robot.actuators[1].travel)
    joint = ini["JOINT_1"]
    np.testing.assert_allclose(joint.getfloat("MIN_LIMIT"), low)
    np.testing.assert_allclose(joint.getfloat("MAX_LIMIT"), high)
    fastest = np.degrees(robot.actuators[1].max_speed)
    np.testing.assert_allclose(joint.getfloat("MAX_VELOCITY"), fastest)
    home = np.degrees(gough.Model(robot).inverse_kinematics(np.array(robot.home)))[1]
    np.testing.assert_allclose(joint.getfloat("HOME"), home)
    assert joint["TYPE"] == "ANGULAR"
    assert ini["TRAJ"]["COORDINATES"] == "X Y Z"
    assert ini["KINS"]["KINEMATICS"] == "delta_kins"
    rates = np.asarray(gough.Model(robot).jacobian(np.array(robot.home)))[:, :3]
    along = ini["AXIS_X"].getfloat("MAX_VELOCITY") / MM * np.abs(rates)
    np.testing.assert_allclose(np.degrees(along.max()), fastest)  # and no joint is faster
    hal = files[".hal"].read_text()
    assert hal.count("motor-pos-fb") == 4  # three nets, and the comment
    assert "net tool-length motion.tooloffset.z => delta-kins.tool-offset" in hal
    assert (tmp_path / "delta_remap" / "429remap.ngc").read_text().startswith("; delta_kins: made")


def test_what_the_robot_file_does_not_state_is_listed_as_assumed(tmp_path):
    _, ini, *_ = export_machine(gough.load("kalani-2016"), tmp_path, "linuxcnc")
    text = ini.read_text()
    assert "#   speeds of leg 1, leg 2" in text
    assert "#   no limits of leg 1, leg 2" in text
    assert "MIN_LIMIT" not in text


def test_more_joints_than_axes_cannot_be_switched(tmp_path):
    robot = gough.load("four-post")
    component, ini, *others = export_machine(robot, tmp_path, "linuxcnc")
    assert "#define SWITCHABLE 0" in component.read_text()
    assert "REMAP" not in ini.read_text()
    assert [path.suffix for path in others] == [".hal", ".tbl"]


def test_what_is_no_robot_is_refused(tmp_path):
    with pytest.raises(GoughError, match=r"robot is 'delta'; expected a gough\.robot\.Robot"):
        export_machine("delta", tmp_path, "linuxcnc")
    assert list(tmp_path.iterdir()) == []


def test_a_name_too_long_for_a_pin_is_refused(tmp_path):
    robot = gough.load("kalani-2016").replace({"name": "a machine with a name that goes on and on"})
    with pytest.raises(GoughError, match="too long for a pin of LinuxCNC: 55 char"):
        export_machine(robot, tmp_path, "linuxcnc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ('My "big" Hexapod', "my_big_hexapod_kins"),
        ("6-UPS", "robot_6_ups_kins"),
        ("Ω", "robot_kins"),
    ],
)
def test_any_name_of_a_robot_makes_one_of_a_component(name, file, tmp_path):
    robot = gough.load("kalani-2016").replace({"name": name})
    path, *_ = export_machine(robot, tmp_path, "linuxcnc")
    assert path.name == f"{file}.comp"
    assert f"component {file} " in path.read_text()
