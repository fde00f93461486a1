"""A machine as a description package of ROS 2: the URDF as xacro, a launch file, a view of RViz."""

import re
from xml.etree.ElementTree import Element, SubElement, fromstring

from gough._version import __version__
from gough.compiler.source.language import c_identifier
from gough.disk.sources import MARK, rendered
from gough.exchange.tree.document import Export, document, in_attribute, parsed_element, text
from gough.exchange.tree.machine_tree import MachineTree, tree_of
from gough.exchange.tree.urdf import urdf
from gough.exchange.tree.visuals import visuals_of
from gough.robot import Robot

_NAMED = {"link": "name", "joint": "name", "parent": "link", "child": "link", "mimic": "joint"}
_NAMED |= {"ros2_control": "name"}
"""Elements of a URDF file, with their attributes that are names of links or joints."""
_HARDWARE = "mock_components/GenericSystem"
"""Stand-in for the motors' hardware interface, which mirrors commands."""
_EVALUATED = re.compile(r"\$(?=[{(])")
"""A dollar that xacro would take for the beginning of something to compute."""
_XACRO = {"xmlns:xacro": "http://www.ros.org/wiki/xacro"}
_RENDERED = {  # files, and the templates that they are made of
    **{name: name for name in ("package.xml", "CMakeLists.txt", "README.md")},
    "launch/display.launch.py": "display.launch.py.jinja",
    "rviz/display.rviz": "display.rviz",
}
_FROM_AFAR = 3.0  # distance of the view, in reaches of the machine


def ros2_package(robot: Robot) -> Export:
    """The folder `NAME_description`, for `colcon build`; the files' names begin with it."""
    tree = tree_of(robot)
    name, visuals = c_identifier(robot.name.lower()), visuals_of(tree.home)
    package, cut = f"{name}_description", [joint.name for joint in tree.cut]
    machine = urdf(robot, meshes=f"package://{package}/meshes/")
    whole, closing, *_ = machine.texts.values()
    says = [robot.name, *machine.remarks]
    meshes = {f"meshes/{file}": mesh for file, mesh in visuals.texts.items()}
    facts = {
        "mark": f"{MARK} {__version__}; {package}",
        "package": package,
        "name": name,
        "robot": robot.name,
        "cut": f"the loops of {', '.join(cut)} are open in it" if cut else "this machine is one",
        "remarks": machine.remarks,
        "folders": ["launch", "rviz", "urdf", *(["meshes"] if meshes else [])],
        "cell": round(visuals.reach / 2, 3),
        "distance": round(_FROM_AFAR * visuals.reach, 3),
        "target": visuals.target.tolist(),
    }
    files = {
        **{file: rendered(__name__, template, facts) for file, template in _RENDERED.items()},
        f"urdf/{name}.xacro": document(_macro(fromstring(whole), name, tree), says),
        f"urdf/{name}.urdf.xacro": document(_urdf_file(robot.name, name), says),
        f"urdf/{name}.yaml": closing,
    }
    texts = {f"{package}/{file}": content for file, content in (files | meshes).items()}
    return Export(texts, machine.remarks)


def _macro(root: Element, name: str, tree: MachineTree) -> Element:
    """A URDF file as a macro of xacro, with a prefix before all names of links and joints."""
    facts = {"name": name, "tree": tree, "text": text, "xml": in_attribute}
    root.append(parsed_element(rendered(__name__, "control.xml", facts)))  # the motors
    for part in root.iter():
        part.attrib = {key: _EVALUATED.sub("$$", value) for key, value in part.items()}
        if named := _NAMED.get(part.tag):
            part.set(named, "${prefix}" + part.attrib[named])
    parameters = f"prefix:='' hardware:='{_HARDWARE}'"
    outer = Element("robot", _XACRO)
    SubElement(outer, "xacro:macro", name=name, params=parameters).extend(root)
    return outer


def _urdf_file(robot: str, name: str) -> Element:
    """A file that xacro turns into the URDF."""
    made = Element("robot", {"name": _EVALUATED.sub("$$", robot), **_XACRO})
    SubElement(made, "xacro:arg", name="prefix", default="")
    SubElement(made, "xacro:arg", name="hardware", default=_HARDWARE)
    SubElement(made, "xacro:include", filename=f"{name}.xacro")
    SubElement(made, f"xacro:{name}", prefix="$(arg prefix)", hardware="$(arg hardware)")
    return made
