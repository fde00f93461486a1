"""Volumes with parts behind gaps, however thin: against slices whose rows are exact."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

import gough
from gough.executors import Here
from gough.kinematics.workspace.charts import Chart
from gough.kinematics.workspace.reach import Limits
from gough.kinematics.workspace.workspace import (
    _integrate,
    constant_orientation_workspace,
    workspace_chart,
)

STROKES = Limits(families=("stroke",))


def with_stroke(name, stroke):
    data = gough.load(name).to_dict()
    data["leg"]["stroke"] = stroke
    return gough.Robot.from_dict(data)


MACHINES = {
    "demo-hexapod": gough.load("demo-hexapod"),
    "kalani-2016": with_stroke("kalani-2016", [0.95, 1.45]),
}


def volume_by_rows(robot, rows=500):
    """Of all positions within the strokes at the home attitude.

    A row along x is in six balls and outside six smaller ones: an interval without up to six
    others, whose length is exact. Rows are laid evenly over y and z.
    """
    R = Rotation.from_quat(robot.home[3:], scalar_first=True)
    middles = np.array([np.array(leg.base) - R.apply(leg.platform) for leg in robot.legs])
    strokes = np.array([leg.stroke for leg in robot.legs])
    low = (middles - strokes[:, 1:]).max(0)
    high = (middles + strokes[:, 1:]).min(0)
    y, z = ((np.arange(rows) + 0.5) / rows * (high - low)[k] + low[k] for k in (1, 2))
    total = 0.0
    for at in z:
        beside = (y[:, None] - middles[:, 1]) ** 2 + (at - middles[:, 2]) ** 2
        inner, outer = (np.sqrt(np.maximum(r**2 - beside, 0)) for r in strokes.T)
        inside = (outer > 0).all(-1)
        start, end = (middles[:, 0] - outer).max(-1), (middles[:, 0] + outer).min(-1)
        holes = np.stack([middles[:, 0] - inner, middles[:, 0] + inner], -1)
        holes = np.clip(holes, start[:, None, None], np.maximum(start, end)[:, None, None])
        order = np.argsort(holes[..., 0], -1)[..., None]
        first, last = np.moveaxis(np.take_along_axis(holes, order, 1), -1, 0)
        before = np.maximum.accumulate(np.column_stack([start, last]), -1)[:, :-1]
        covered = np.maximum(last - np.maximum(first, before), 0).sum(-1)
        total += float((inside * (np.maximum(end - start, 0) - covered)).sum())
    return total * (y[1] - y[0]) * (z[1] - z[0])


@pytest.mark.parametrize(("name", "tolerance"), [*zip(MACHINES, [1e-3, 1e-4], strict=True)])
def test_thin_parts_behind_gaps_are_in_the_volume(name, tolerance):
    robot = MACHINES[name]
    found = constant_orientation_workspace(gough.Model(robot), limits=STROKES, tolerance=tolerance)
    exact = volume_by_rows(robot)
    assert found.volume_error < 3 * tolerance * found.volume
    assert abs(found.volume - exact) < found.volume_error


class Shells(Chart):
    """A ball of radius 0.5 and a shell behind a gap, from nothing at one pole to a width.

    Its limits are not known in closed form.
    """

    complete = False

    def reach(self, directions):
        return np.ones(len(directions))

    def crossings(self, directions, reaches):
        return np.empty((len(directions), 0))

    def least(self, steps, distances):
        directions, distances = np.broadcast_arrays(steps, distances[..., None])
        r, thick = distances[..., 0], self.limits * (1 + directions[..., 2]) / 2
        return np.where((r < 0.5) | ((r > 0.7) & (r < 0.7 + thick)), 1.0, -1.0)


def shells(width):
    home = gough.pose([0, 0, 0])
    return Shells(None, width, home, ("x", "y", "z"), np.eye(6)[:3])


@pytest.mark.parametrize("width", [1e-3, 1e-2])
def test_pieces_shorter_than_a_step_are_right_on_average(width):
    def slice_of_the_shell(z):
        return 2 * np.pi * ((0.7 + width * (1 + z) / 2) ** 3 - 0.7**3) / 3

    exact = 4 * np.pi * 0.5**3 / 3 + quad(slice_of_the_shell, -1, 1)[0]
    volume, error, star_shaped = _integrate(shells(width), 4e-4, Here())
    assert abs(volume - exact) < error
    assert error < 8e-4 * volume
    assert not star_shaped


@pytest.mark.parametrize(
    ("kind", "families"),
    [
        ("position", ("stroke",)),
        ("position", ("stroke", "base joint", "platform joint")),
        ("position", ("stroke", "clearance")),
        ("position", ("stroke", "singularity")),
        ("orientation", ("stroke",)),
    ],
)
@pytest.mark.parametrize("name", MACHINES)
def test_every_change_along_a_ray_is_at_a_known_crossing(name, kind, families):
    robot = MACHINES[name]
    data = robot.to_dict()
    data["leg"] |= {"base_joint_limit": 0.5, "platform_joint_limit": 0.6, "radius": 0.05}
    robot = gough.Robot.from_dict(data)
    centre = gough.pose(
        np.array(robot.home[:3]) + [0.02, 0.01, 0.03], rotation_vector=[0.1, -0.2, 0.3]
    )
    chart = workspace_chart(gough.Model(robot), kind, centre, Limits(families=families))
    assert chart.complete
    rng = np.random.default_rng(1)
    directions = rng.normal(size=(40, 3))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    reach = chart.reach(directions)
    distances = reach[:, None] * np.linspace(0, 1, 5001)
    inside = chart.least(directions[:, None, :] @ chart.basis, distances) >= 0
    ray, step = np.nonzero(inside[:, 1:] != inside[:, :-1])
    assert len(ray) > 20
    known = chart.crossings(directions, reach)
    low, high = distances[ray, step][:, None], distances[ray, step + 1][:, None]
    slack = 1e-9 * reach[ray][:, None]
    assert ((known[ray] >= low - slack) & (known[ray] <= high + slack)).any(-1).all()


def test_limits_without_closed_form_are_not_said_to_be_known():
    model = gough.Model(gough.load("demo-hexapod"))
    home = np.array(model.robot.home)
    bounded = Limits(families=("stroke", "singularity"), max_condition=30)
    assert not workspace_chart(model, "position", home, bounded).complete
    for families in (("stroke", "singularity"), ("stroke", "base joint")):
        assert not workspace_chart(model, "orientation", home, Limits(families)).complete
