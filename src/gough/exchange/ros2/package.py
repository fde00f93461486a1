"""A machine as a description package of ROS 2: its URDF as xacro, a launch file, a view of RViz."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from gough._version import __version__
from gough.compiler.source.library import c_identifier
from gough.disk.sources import MARK
from gough.exchange.tree.export import Export
from gough.exchange.tree.looks import looks_of
from gough.exchange.tree.spanning import tree_of
from gough.exchange.tree.urdf import urdf
from gough.robot import Robot

_NAMES = re.compile(r"""(<(?:link|joint|parent|child)\b[^>]*?\b(?:name|link)=["'])""")
"""What stands before every name of a link or a joint in a URDF file."""
_BODY = re.compile(r"""(?s)(.*?)<robot name=(".*?"|'.*?')>\n(.*)</robot>""")
_EVALUATED = re.compile(r"\$(?=[{(])")
"""A dollar that xacro would take for the beginning of something to compute."""
_XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
_FROM_AFAR = 3.0
"""Distance of the view, in reaches of the machine."""


def ros2_package(robot: Robot) -> Export:
    """The folder `NAME_description`, for `colcon build`; the files' names begin with it."""
    tree = tree_of(robot)
    name, looks = ros_name(robot.name), looks_of(tree.drawing)
    package = f"{name}_description"
    machine = urdf(robot, meshes=f"package://{package}/meshes/")
    text, closing, *_ = machine.texts.values()
    meshes = {f"meshes/{file}": mesh for file, mesh in looks.texts.items()}
    facts = {
        "mark": f"{MARK} {__version__}; {package}",
        "package": package,
        "name": name,
        "robot": robot.name,
        "cut": _told([joint.name for joint in tree.cut]),
        "remarks": machine.remarks,
        "folders": ["launch", "rviz", "urdf", *(["meshes"] if meshes else [])],
        "cell": round(looks.reach / 2, 3),
        "distance": round(_FROM_AFAR * looks.reach, 3),
        "target": looks.target.tolist(),
    }
    files = {
        "package.xml": _filled("package.xml", facts),
        "CMakeLists.txt": _filled("CMakeLists.txt", facts),
        "README.md": _filled("README.md", facts),
        f"urdf/{name}.xacro": _macro(text, name),
        f"urdf/{name}.urdf.xacro": _whole(text, name),
        f"urdf/{name}.yaml": closing,
        "launch/display.launch.py": _filled("display.launch.py", facts),
        "rviz/display.rviz": _filled("display.rviz", facts),
    }
    texts = {f"{package}/{file}": text for file, text in (files | meshes).items()}
    return Export(texts, machine.remarks)


def ros_name(name: str) -> str:
    """A name as packages of ROS have it: small letters, digits and single _, a letter first."""
    return c_identifier(name.lower())


def _told(cut: list[str]) -> str:
    return f"the loops of {', '.join(cut)} are open in it" if cut else "this machine is one"


def _macro(text: str, name: str) -> str:
    """A URDF file as a macro of xacro, with a prefix before all names of links and joints."""
    head, _, body = _parts(text)
    prefixed = _NAMES.sub(r"\1${prefix}", _EVALUATED.sub("$$", body))
    macro = f'<xacro:macro name="{name}" params="prefix:=\'\'">\n{prefixed}</xacro:macro>'
    return f"{head}<robot {_XACRO}>\n{macro}\n</robot>\n"


def _whole(text: str, name: str) -> str:
    """A file that xacro turns into the URDF."""
    head, robot, _ = _parts(text)
    return f"""{head}<robot name={_EVALUATED.sub("$$", robot)} {_XACRO}>
  <xacro:arg name="prefix" default=""/>
  <xacro:include filename="{name}.xacro"/>
  <xacro:{name} prefix="$(arg prefix)"/>
</robot>
"""


def _parts(text: str) -> tuple[str, str, str]:
    """What stands before the robot in a URDF file, its name in quotes, and what is in it."""
    found = _BODY.match(text)
    assert found is not None
    head, robot, body = found.groups()
    return head, robot, body


def _filled(template: str, facts: dict[str, Any]) -> str:
    return str(_templates().get_template(template).render(facts))


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  (slow)

    loader = PackageLoader("gough.exchange.ros2", "templates")
    return Environment(loader=loader, undefined=StrictUndefined, keep_trailing_newline=True)
