"""Pictures as people see them: all of each is on the sheet, and everything has its name."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread

import gough
from gough.kinematics.assembly.modes import assembly_modes
from gough.kinematics.workspace.plots import plot_slices
from gough.plots import plot_machine, save_plot
from gough.plots.style import root_figure
from gough.studies.run import run

LONG = "A name that is far too long for one line of any picture, as users like to give them"
STUDY = {
    "schema": "gough-study/1",
    "name": LONG,
    "robot": "delta",
    "samples": 5,
    "motion": {"kind": "line", "displacement": [0, 0, 0.1], "duration": 1},
}
MOVES = {
    "name": "move",
    "parameter": "motion.displacement",
    "values": [[0, 0, 0.1], [0.1, 0, 0], [0, 0.1, 0]],
    "labels": ["up and away from the plates", "forward", "aside"],
}
DURATIONS = {"name": "duration", "parameter": "motion.duration", "values": ["1 s", "0.5 s"]}
MASSES = {"name": "mass", "parameter": "robot.platform.mass", "values": ["1 kg", "2 kg"]}


@pytest.fixture(scope="module")
def grid():
    return run({**STUDY, "variations": [MOVES, DURATIONS, MASSES]})


@pytest.fixture(scope="module")
def study():
    return run(STUDY)


def assert_all_on_the_sheet(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    box, sheet = figure.get_tightbbox(canvas.get_renderer()), figure.get_size_inches()
    assert (box.min > -0.01).all()
    assert (box.max < sheet + 0.01).all()


@pytest.mark.parametrize("name", ["force", "joint_force", "pose", "actuator_position", "condition"])
def test_quantities_are_all_on_the_sheet(study, name):
    assert_all_on_the_sheet(root_figure(study.plot(name)))


@pytest.mark.parametrize("at", [{}, {"move": "forward"}, {"mass": 2, "duration": "0.5 s"}])
def test_figures_over_variations_are_all_on_the_sheet(grid, at):
    assert_all_on_the_sheet(grid.plot("peak_force", at).figure)


def heights(axis):
    return [bar.get_height() for bar in axis.patches]


def test_values_without_order_are_bars_and_numbers_are_joined(grid):
    by_name = grid.plot("peak_force")
    peak = grid["peak_force"]
    assert not by_name.get_lines()
    np.testing.assert_allclose(heights(by_name), peak[:, :, 0].T.ravel())
    by_number = grid.plot("peak_force", {"move": "aside"})
    assert not by_number.patches
    np.testing.assert_array_equal(by_number.get_lines()[1].get_xdata(), [0.5, 1.0])
    np.testing.assert_allclose(by_number.get_lines()[1].get_ydata(), peak[2, ::-1, 1])


def test_a_value_that_is_asked_for_stays_and_is_told(grid):
    axes = grid.plot("peak_force", {"mass": "2 kg"})
    assert axes.figure.get_suptitle().endswith("\nat mass 2 kg")
    np.testing.assert_allclose(heights(axes), grid["peak_force"][:, :, 1].T.ravel())
    every = {"mass": 2, "duration": 1, "move": "aside"}
    for at, words in (({"mas": 1}, "no variation 'mas'"), ({"mass": 3}, "expected one of 1, 2"),
                      (every, "expected one that varies")):  # fmt: skip
        with pytest.raises(gough.GoughError, match=words):
            grid.plot("peak_force", at)


def border(path):
    """The outermost pixels of a picture."""
    pixels = imread(path)[..., :3]
    edges = (pixels[:3], pixels[-3:], pixels[:, :3], pixels[:, -3:])
    return np.concatenate([edge.reshape(-1, 3) for edge in edges])


@pytest.mark.parametrize("name", ["demo-hexapod", "delta", "planar-3rrr", "hexaglide"])
def test_nothing_of_a_drawing_is_cut_off(tmp_path, name):
    save_plot(plot_machine(gough.load(name)), tmp_path / "machine.png")
    assert (border(tmp_path / "machine.png") == 1).all()


def test_nothing_of_a_slice_is_cut_off(tmp_path):
    save_plot(plot_slices(gough.load("five-bar"), title=LONG), tmp_path / "slices.png")
    assert (border(tmp_path / "slices.png") == 1).all()


def test_a_drawing_names_its_axes_frames_and_actuators():
    figure = Figure()
    axes = figure.add_subplot(projection="3d")
    robot = gough.load("demo-hexapod")
    assert plot_machine(robot, ax=axes) is axes
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()] == ["x [m]", "y [m]", "z [m]"]
    texts = {text.get_text(): text for text in axes.texts}
    assert set(texts) == {*"123456", *"xyz", "x′", "y′", "z′"}
    for k, leg in enumerate(robot.legs, 1):
        base, tip = np.array(leg.base), np.array(robot.home)[:3] + leg.platform
        along = np.array(texts[str(k)].get_position_3d()) - base
        across = along - (along @ (tip - base)) / ((tip - base) @ (tip - base)) * (tip - base)
        np.testing.assert_allclose(across, 0, atol=1e-12)  # on the leg, not beside it


def test_modes_fill_sheets_of_paper(tmp_path):
    model = gough.Model(gough.load("kalani-2016"))
    modes = assembly_modes(model, model.inverse_kinematics(model.robot.home))
    save_plot(modes.plot(sheets=True), tmp_path / "modes.pdf")
    text = (tmp_path / "modes.pdf").read_bytes()
    assert text.count(b"/Type /Page\n") + text.count(b"/Type /Page ") == -(-len(modes) // 16)
