"""Every figure of a study, computed again from its columns by plain loops."""

import math

import numpy as np
import pytest
from study_samples import data

import gough
from gough.analysis.axes import LEG
from gough.analysis.quantities import QUANTITIES
from gough.studies.run import run

LEGS = range(6)


@pytest.fixture(scope="module")
def found():
    """A robot so weak that its forces are beyond their limits for a part of the way."""
    robot = gough.load("demo-hexapod").to_dict()
    robot["leg"]["max_force"] = 450.0
    return run(data(robot=robot, samples=57))


def integrated(time, values):
    """The area below straight lines through values."""
    total = 0.0
    for k in range(len(time) - 1):
        total += (time[k + 1] - time[k]) * (values[k] + values[k + 1]) / 2
    return total


def below_zero(time, values):
    """How long straight lines through values are negative."""
    total = 0.0
    for k in range(len(time) - 1):
        a, b, step = values[k], values[k + 1], time[k + 1] - time[k]
        if a < 0 and b < 0:
            total += step
        elif a < 0 or b < 0:
            total += step * min(a, b) / (min(a, b) - max(a, b))
    return total


def check(figure, each, whole=None):
    assert figure.per_leg == pytest.approx(each, rel=1e-9, abs=1e-12)
    expected = max(each) if whole is None else whole
    assert figure.value == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_peaks_are_the_largest_sizes(found):
    names = [name.removeprefix("peak_") for name in found.summary if name.startswith("peak_")]
    of_legs = [n for n in names if n in QUANTITIES and QUANTITIES[n].axes == (LEG,)]
    of_vectors = [n for n in names if n in QUANTITIES and found[n].ndim == 3]
    assert len(of_legs) > 15
    assert len(of_vectors) == 2
    for name in of_legs:
        check(found.summary[f"peak_{name}"], [max(map(abs, found[name][:, k])) for k in LEGS])
    for name in of_vectors:
        sizes = [[math.hypot(*vector) for vector in found[name][:, k]] for k in range(18)]
        check(found.summary[f"peak_{name}"], [max(leg) for leg in sizes])
    rest = {"total_power", "kinetic_energy", "task_deflection", "task_deflection_angle"}
    rest |= {"joint_speed_rotary", "joint_speed_linear"}
    assert set(names) - set(of_legs) - set(of_vectors) == rest
    for part, name in (
        (slice(0, 3), "peak_task_deflection"),
        (slice(3, 6), "peak_task_deflection_angle"),
    ):
        sizes = [math.hypot(*step[part]) for step in found["task_deflection"]]
        assert found.summary[name].value == pytest.approx(max(sizes), rel=1e-9)
    total = [abs(sum(row)) for row in found["power"].tolist()]
    assert found.summary["peak_total_power"].value == pytest.approx(max(total))
    kinetic = max(row[0] for row in found["energy"].tolist())
    assert found.summary["peak_kinetic_energy"].value == pytest.approx(kinetic)


def test_root_mean_squares_are_over_time(found):
    duration = found.time[-1] - found.time[0]
    for name in ("force", "motor_current"):
        squares = [integrated(found.time, found[name][:, k] ** 2) / duration for k in LEGS]
        check(found.summary[f"rms_{name}"], [math.sqrt(square) for square in squares])


def test_energies_are_sums_over_time_and_legs(found):
    positive = [[max(p, 0.0) for p in found["power"][:, k]] for k in LEGS]
    negative = [[max(-p, 0.0) for p in found["power"][:, k]] for k in LEGS]
    spent = [integrated(found.time, values) for values in positive]
    returned = [integrated(found.time, values) for values in negative]
    check(found.summary["energy_spent"], spent, sum(spent))
    check(found.summary["energy_returned"], returned, sum(returned))
    net = [a - b for a, b in zip(spent, returned, strict=True)]
    check(found.summary["energy_net"], net, sum(net))


def test_the_time_beyond_the_force_is_that_of_straight_lines(found):
    index = [[1 - abs(f) / 450 for f in found["force"][:, k]] for k in LEGS]
    each = [below_zero(found.time, values) for values in index]
    least = [min(row) for row in zip(*index, strict=True)]
    check(found.summary["saturated_time"], each, below_zero(found.time, least))
    assert 0 < found.summary["saturated_time"].value < found.time[-1]
    check(found.summary["minimum_force_margin"], [min(leg) for leg in index], min(map(min, index)))


def test_extremes_of_lengths_tilts_and_configurations(found):
    length = found["leg_length"]
    shortest = [min(length[:, k]) for k in LEGS]
    longest = [max(length[:, k]) for k in LEGS]
    check(found.summary["shortest_leg_length"], shortest, min(shortest))
    check(found.summary["longest_leg_length"], longest)
    check(found.summary["stroke_used"], [b - a for a, b in zip(shortest, longest, strict=True)])
    tilts = found["joint_tilt"]
    check(found.summary["maximum_joint_tilt"], [max(tilts[:, k]) for k in range(12)])
    sines = [min(found["universal_joint_sine"][:, k]) for k in LEGS]
    check(found.summary["minimum_universal_joint_sine"], sines, min(sines))
    assert found.summary["maximum_condition"].value == max(found["condition"])
    assert found.summary["minimum_determinant"].value == min(map(abs, found["determinant"]))


def test_leg_and_time_are_where_the_value_is(found):
    for name, of in (("peak_force", "force"), ("peak_motor_voltage", "motor_voltage")):
        figure = found.summary[name]
        k = found.time.tolist().index(figure.time)
        assert abs(found[of][k, figure.leg - 1]) == figure.value
    assert np.isfinite(found["force"]).all()
    assert found.summary["samples_without_forces"].value == 0
