"""A description package of ROS 2: what can be held against its tools without ROS."""

import json
import runpy
import sys
from types import ModuleType
from xml.etree import ElementTree

import coupled_machines
import pytest
import xacro
import yaml
from mesh_files import binary_stl

import gough
from gough.compiler.source.language import c_identifier
from gough.exchange import export_machine, machine_export

ROBOTS = ["demo-hexapod", "delta"]


def package(name, folder):
    export_machine(gough.load(name), folder, "ros2")
    (made,) = folder.iterdir()
    return made


def expanded(file, **mappings):
    """A file as xacro makes URDF of it."""
    return ElementTree.canonicalize(
        xacro.process_file(str(file), mappings=mappings).toxml(), strip_text=True
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_xacro_makes_the_urdf_of_it(name, tmp_path):
    made = package(name, tmp_path)
    (file,) = made.glob("urdf/*.urdf.xacro")
    robot = gough.load(name)
    found = ElementTree.fromstring(expanded(file))
    found.remove(found.find("ros2_control"))
    whole = ElementTree.canonicalize(ElementTree.tostring(found, "unicode"), strip_text=True)
    assert whole == ElementTree.canonicalize(machine_export(robot, "urdf").text, strip_text=True)


def test_ros2_control_has_the_motors_with_their_limits_from_home(tmp_path):
    """As in the documentation of ros2_control: hardware, and interfaces of each joint."""
    (file,) = package("delta", tmp_path).glob("urdf/*.urdf.xacro")
    root = ElementTree.fromstring(expanded(file, prefix="left_", hardware="mine/Motors"))
    (control,) = root.findall("ros2_control")
    assert control.attrib == {"name": "left_delta", "type": "system"}
    assert control.findtext("hardware/plugin") == "mine/Motors"
    limits = {joint.get("name"): joint.find("limit") for joint in root.findall("joint")}
    robot = gough.load("delta")
    assert [j.get("name") for j in control.findall("joint")] == [
        f"left_{actuator.name}" for actuator in robot.actuators
    ]
    for joint in control.findall("joint"):
        said = {c.get("name"): [p.text for p in c] for c in joint.findall("command_interface")}
        limit = limits[joint.get("name")]
        assert said["position"] == [limit.get("lower"), limit.get("upper")]
        assert said["effort"] == [f"-{limit.get('effort')}", limit.get("effort")]
        states = {state.get("name") for state in joint.findall("state_interface")}
        assert states == {"position", "velocity", "effort"}
    ElementTree.parse(file.parents[1] / "package.xml")


def test_couplings_have_prefixes_too(tmp_path):
    export_machine(coupled_machines.belt_scara(1), tmp_path, "ros2")
    (file,) = tmp_path.glob("*/urdf/*.urdf.xacro")
    (mimic,) = ElementTree.fromstring(expanded(file, prefix="left_")).iter("mimic")
    assert mimic.get("joint") == "left_motor"


def test_two_machines_stand_in_one_robot_by_their_prefixes(tmp_path):
    made = package("delta", tmp_path)
    both = made / "urdf" / "both.xacro"
    both.write_text("""<robot name="both" xmlns:xacro="http://www.ros.org/wiki/xacro">
      <xacro:include filename="delta.xacro"/>
      <xacro:delta prefix="left_"/> <xacro:delta prefix="right_"/> </robot>""")
    found = ElementTree.fromstring(expanded(both))
    single = ElementTree.fromstring(machine_export(gough.load("delta"), "urdf").text)
    for tag in ("link", "joint"):
        names = [element.get("name") for element in found.findall(tag)]
        own = [element.get("name") for element in single.findall(tag)]
        assert sorted(names) == sorted(
            f"{side}_{name}" for side in ("left", "right") for name in own
        )
    ends = {e.get("link") for tag in ("parent", "child") for e in found.iter(tag)}
    assert ends == {link.get("name") for link in found.findall("link")}


def test_meshes_and_names_with_quotes_go_along(tmp_path):
    (tmp_path / "cube.stl").write_bytes(binary_stl())
    data = gough.load("five-bar").to_dict()
    mesh = {"file": str(tmp_path / "cube.stl"), "unit": "cm"}
    text = json.dumps(data | {"platform": data["platform"] | {"mesh": mesh}})
    robot = gough.Robot.from_dict(json.loads(text.replace("crank-left", 'crank \\"left\\"')))
    export_machine(robot, tmp_path / "made", "ros2")
    (made,) = (tmp_path / "made").iterdir()
    (mesh,) = (made / "meshes").iterdir()
    found = ElementTree.fromstring(expanded(made / "urdf/five_bar.urdf.xacro", prefix="left_"))
    (seen,) = (e.get("filename") for e in found.iter("mesh"))
    assert seen == f"package://five_bar_description/meshes/{mesh.name}"
    assert "meshes" in (made / "CMakeLists.txt").read_text()
    names = {e.get("name") for e in found.findall("link")}
    assert 'left_crank "left"' in names
    assert all(name.startswith("left_") for name in names)


def test_names_that_mean_something_to_xacro_or_xml_stay(tmp_path):
    data = gough.load("planar-3rrr").to_dict() | {"name": 'Plane ${1+1} & "co"'}
    robot = gough.Robot.from_dict(data)
    paths = export_machine(robot, tmp_path, "ros2")
    assert paths[0] == tmp_path / "plane_1_1_co_description" / "package.xml"
    assert ElementTree.parse(paths[0]).findtext("name") == "plane_1_1_co_description"
    root = xacro.process_file(
        str(tmp_path / "plane_1_1_co_description/urdf/plane_1_1_co.urdf.xacro")
    )
    assert root.documentElement.getAttribute("name") == robot.name


@pytest.mark.parametrize(
    ("name", "expected"), [("6-RSS", "robot_6_rss"), ("Hexa__Glide ", "hexa_glide"), ("é", "robot")]
)
def test_packages_have_names_as_ros_wants_them(name, expected):
    assert c_identifier(name.lower()) == expected


def test_the_view_stands_before_the_machine(tmp_path):
    made = package("delta", tmp_path)
    view = yaml.safe_load((made / "rviz" / "display.rviz").read_text())["Visualization Manager"]
    assert view["Global Options"]["Fixed Frame"] == "base"
    assert view["Views"]["Current"]["Distance"] > 0.5
    shown = [display["Class"] for display in view["Displays"]]
    assert "rviz_default_plugins/RobotModel" in shown


class Stands:
    """In the place of a class of ROS's launch system: keeps what it was made with."""

    def __init__(self, *args, **options):
        self.args, self.options = args, options

    def perform(self, context):
        return context[self.args[0]]


@pytest.fixture
def launch(tmp_path, monkeypatch):
    """What the launch file starts, given a recording; ROS's own modules are stand-ins."""
    made = package("delta", tmp_path)
    names = {
        "launch": ["LaunchDescription"],
        "launch.actions": ["DeclareLaunchArgument", "ExecuteProcess", "OpaqueFunction"],
        "launch.substitutions": ["LaunchConfiguration"],
        "launch_ros": [],
        "launch_ros.actions": ["Node"],
        "launch_ros.parameter_descriptions": ["ParameterValue"],
        "ament_index_python": [],
        "ament_index_python.packages": [],
    }
    for module, classes in names.items():
        stand_in = ModuleType(module)
        for name in classes:
            setattr(stand_in, name, type(name, (Stands,), {}))
        monkeypatch.setitem(sys.modules, module, stand_in)
    packages = sys.modules["ament_index_python.packages"]
    packages.get_package_share_directory = {"delta_description": str(made)}.__getitem__
    file = runpy.run_path(str(made / "launch" / "display.launch.py"))
    (described,) = file["generate_launch_description"]().args
    return lambda recording: described[1].options["function"]({"recording": recording})


def test_the_launch_file_shows_the_machine_at_home_or_in_a_recording(launch):
    state, _, joints = launch("")
    assert joints.options["package"] == "joint_state_publisher"
    assert state.options["parameters"][0]["use_sim_time"] is False
    described = state.options["parameters"][0]["robot_description"].args[0]
    assert ElementTree.fromstring(described).get("name") == "delta"
    *_, player = launch("/tmp/results.mcap")
    command = player.options["cmd"]
    assert command[:3] == ["ros2", "bag", "play"]
    assert command[command.index("--storage") + 1] == "mcap"
    assert "/tmp/results.mcap" in command
    assert command[-2:] == ["--topics", "/joint_states"]
