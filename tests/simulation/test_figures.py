"""Figures of a run's errors, from numbers made by hand."""

import numpy as np
import pytest

from gough.analysis.quantities import DEFINITIONS
from gough.analysis.reductions import OF_MACHINE
from gough.analysis.summary import of_quantities

TIME = np.array([0.0, 1.0, 2.0, 3.0])


def figures(leg_errors, pose_errors):
    found = {"leg_length_error": np.array(leg_errors), "pose_error": np.array(pose_errors)}
    made = of_quantities(DEFINITIONS, TIME, found, OF_MACHINE)
    return {figure.named.name: figure.scalar() for figure in made}


def test_the_mean_leg_error_is_no_larger_than_any_leg_s():
    """Legs that are off by 1 to 6 mm, either way, all the time: 3.5 mm in the mean."""
    errors = 1e-3 * np.array([1, -2, 3, -4, 5, -6]) * np.array([[1], [-1], [1], [1]])
    mean = figures(errors, np.zeros((4, 6)))["mean_leg_error"]
    assert mean.value == pytest.approx(3.5e-3)
    assert mean.per_leg == pytest.approx([1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3])


def test_means_are_over_time_with_straight_lines_between_samples():
    """0, 6, 0, 0 mm at whole seconds: a triangle of 6 mm s in 3 s."""
    errors = 1e-3 * np.array([0, 6, 0, 0])[:, None] * np.ones(6)
    mean = figures(errors, np.zeros((4, 6)))["mean_leg_error"]
    assert mean.value == pytest.approx(2e-3)


def test_errors_of_the_pose_are_lengths_of_vectors():
    """3 and 4 mm are 5 mm together; constant, their RMS is the same; of a peak the time is told."""
    away = np.tile([3e-3, 0, -4e-3, 0.01, 0, 0], (4, 1))
    away[2, 3:] = [0, 0.05, 0.12]
    found = figures(np.zeros((4, 6)), away)
    assert found["peak_position_error"].value == pytest.approx(5e-3)
    assert found["rms_position_error"].value == pytest.approx(5e-3)
    assert found["peak_orientation_error"].value == pytest.approx(0.13)
    assert found["peak_orientation_error"].time == 2.0
    squares = np.array([1e-4, 1e-4, 0.0169, 1e-4])
    mean_square = (squares[0] / 2 + squares[1] + squares[2] + squares[3] / 2) / 3
    assert found["rms_orientation_error"].value == pytest.approx(np.sqrt(mean_square))
