"""The workbench in a notebook: a widget whose pose is known on both sides."""

from functools import cache
from pathlib import Path
from typing import Any

from gough.errors import GoughError, install_command
from gough.poses import pose as checked_pose
from gough.robot import Robot
from gough.workbench.writing import AnyStudy, workbench_page

HEIGHT = 640  # height of the widget [pixels]


def view(
    robot: Robot, *, study: AnyStudy | None = None, point: int | None = None, height: int = HEIGHT
) -> Any:
    """A widget in which the machine is moved by hand.

    With a study of the robot it opens with the study's motion, load and frames; of a study with
    variations, those of one `point` of its grid.
    Its `pose` (7 numbers: x y z [m], quaternion w x y z) is what is shown, and may be set.

    >>> import gough
    >>> widget = gough.view(gough.load("delta"))
    >>> widget.pose[:3]
    [0.0, 0.0, -1.1]
    """
    page, title = workbench_page(robot, study=study, point=point), f"Workbench of {robot.name}"
    return _widget()(page=page, title=title, height=height, pose=list(robot.home))


@cache
def _widget() -> Any:
    """The widget's class, which needs libraries of notebooks."""
    try:
        import anywidget  # noqa: PLC0415  (an extra)
        import traitlets  # noqa: PLC0415
    except ImportError as error:
        problem = "anywidget is not installed"
        expected = f"{install_command('notebook')}, or the page that `gough view` writes"
        raise GoughError(f"{problem}; expected {expected}") from error

    class Workbench(anywidget.AnyWidget):  # type: ignore[misc]
        """A machine that is moved by hand."""

        _esm = Path(__file__).with_name("notebook_frame.js")
        page = traitlets.Unicode().tag(sync=True)
        title = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)
        pose = traitlets.List(traitlets.Float(), minlen=7, maxlen=7).tag(sync=True)

        @traitlets.validate("pose")  # type: ignore[untyped-decorator]
        def _pose(self, proposal: Any) -> list[float]:
            x, y, z, *quaternion = proposal["value"]
            found: list[float] = checked_pose([x, y, z], quaternion=quaternion).tolist()
            return found

    return Workbench
