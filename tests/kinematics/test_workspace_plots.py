"""Pictures: what is drawn is what is reachable, and files come whole or not at all."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from workspace_machines import shell

import gough
from gough.errors import GoughError
from gough.kinematics.workspace.plots import look, plot_workspace
from gough.kinematics.workspace.reach import FAMILIES, Limits, margin_kernel
from gough.kinematics.workspace.slices import workspace_slice
from gough.kinematics.workspace.workspace import constant_orientation_workspace, workspace_chart
from gough.plots import save_plot

STROKE = Limits(families=("stroke",))


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("demo-hexapod"))


def test_lines_of_sight_meet_a_ball_where_it_is():
    m = shell(shortest=1.0, longest=2.0)
    chart = workspace_chart(m, "position", np.array(m.robot.home), STROKE)
    y = np.linspace(-2.2, 2.2, 45)
    starts = np.stack([np.full(45, 9.0), y, 0 * y], 1)
    along, box = np.array([-1.0, 0, 0]), np.array([[-2.1, 2.1]] * 3)
    family, normal = look(chart, margin_kernel(m.robot, STROKE), starts, along, box)
    hit = np.abs(y) < 2
    np.testing.assert_array_equal(family, np.where(hit, FAMILIES.index("stroke"), -1))
    x = np.sqrt(4 - y[hit] ** 2)
    normals = np.stack([x, y[hit], 0 * x], 1) / 2
    np.testing.assert_allclose(normal[hit], normals, atol=1e-4)


def test_wedges_thinner_than_a_step_are_seen():
    """A shell of a hundredth of its radius: every line that meets it must find it."""
    m = shell(shortest=1.99, longest=2.0, height=1.995)
    chart = workspace_chart(m, "position", np.array(m.robot.home), STROKE)
    y = np.linspace(-1.9, 1.9, 39)
    starts = np.stack([np.full(39, 9.0), y, 0 * y], 1)
    box = np.array([[-2.1, 2.1]] * 3)
    family, _ = look(chart, margin_kernel(m.robot, STROKE), starts, np.array([-1.0, 0, 0]), box)
    assert (family >= 0).all()


def test_the_outline_of_a_slice_is_its_boundary():
    part = workspace_slice(shell(), ("x", "y"), [0, 0, 0.5, 1, 0, 0, 0], limits=STROKE)
    figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    assert part.plot(ax=axes) is axes
    outline = axes.collections[0].get_paths()[0].vertices
    radii = np.linalg.norm(outline, axis=1)
    inner, outer = np.sqrt(1 - 0.25), np.sqrt(4 - 0.25)
    off = np.minimum(np.abs(radii - inner), np.abs(radii - outer))
    assert np.median(off) < 1e-3
    assert axes.get_xlabel() == "x [m]"
    assert axes.get_title() == "z = 0.5 m"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures_are_written_in_the_kind_that_their_name_says(hexapod, tmp_path, suffix):
    part = workspace_slice(hexapod, ("roll", "yaw"), resolution=60)
    file = tmp_path / f"slice.{suffix}"
    save_plot(part.plot(title="a slice"), file)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert file.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [file]


def test_a_whole_workspace_is_one_picture(hexapod, tmp_path, coarse):
    found = constant_orientation_workspace(hexapod, tolerance=0.2)
    save_plot(plot_workspace(hexapod, found, title="a workspace"), tmp_path / "w.png")
    assert (tmp_path / "w.png").stat().st_size > 50_000


def test_a_picture_that_cannot_be_written_leaves_nothing(hexapod, tmp_path):
    part = workspace_slice(hexapod, ("x", "y"), resolution=40)
    with pytest.raises(GoughError, match="unknown kind of picture"):
        save_plot(part.plot(), tmp_path / "slice.docx")
    with pytest.raises(GoughError, match="cannot be written"):
        save_plot(part.plot(), tmp_path / "no" / "slice.png")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_picture_leaves_the_old_one(hexapod, tmp_path, monkeypatch):
    part = workspace_slice(hexapod, ("x", "y"), resolution=40)
    file = tmp_path / "slice.png"
    save_plot(part.plot(), file)
    before = file.read_bytes()

    def interrupted(_, path, **__):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(Figure, "savefig", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_plot(part.plot(), file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]
