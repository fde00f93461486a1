"""The way through waypoints as the page computes it: profiles and splines are those of studies.

Python has them by NumPy and SciPy, not as equations that could be compiled for the page.
"""

import numpy as np
import pytest

import gough
from gough.motion import profiles
from gough.motion.motions.splines import waypoints

PROFILES = {
    "quintic": profiles.Quintic,
    "cosine": profiles.Cosine,
    "cycloidal": profiles.Cycloidal,
    "trapezoidal": profiles.trapezoidal,
    "s-curve": profiles.s_curve,
}


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_are_those_of_studies(modules, name):
    duration = 0.73
    times = np.linspace(0, duration, 401)
    found = modules.evaluate(
        """async ([name, times, duration]) => {
          const { PROFILES } = await import("./profiles.js");
          return times.map((time) => PROFILES[name](time, duration));
        }""",
        [name, times.tolist(), duration],
    )
    expected = np.transpose(PROFILES[name](duration)(times))
    units = duration ** -np.arange(3.0)
    np.testing.assert_allclose(found / units, expected / units, rtol=0, atol=1e-12)


def test_smooth_ways_are_those_of_studies(modules):
    rng = np.random.default_rng(2)
    times = np.cumsum([0, 0.7, 0.2, 1.3, 0.4, 0.9])
    poses = gough.pose(rng.normal(size=(6, 3)), rpy=rng.uniform(-0.5, 0.5, (6, 3)))
    moments = np.linspace(0, times[-1], 301)
    points = [
        {"pose": pose.tolist(), "seconds": float(seconds)}
        for pose, seconds in zip(poses, np.diff(times, prepend=0), strict=True)
    ]
    found = modules.evaluate(
        """async ([points, moments]) => {
          const { motionAlong, SMOOTH } = await import("./way.js");
          return motionAlong({ motion: (places) => places }, { points, profile: SMOOTH }, moments);
        }""",
        [points, moments.tolist()],
    )
    motion = waypoints(times, poses)
    speed = motion.place.derivative
    splines = {"place": motion.place, "place_1": speed, "place_2": speed.derivative}
    for name, spline in splines.items():
        expected = spline(moments)
        shown = np.reshape(found[name], expected.shape)
        size = np.abs(expected).max()
        np.testing.assert_allclose(shown, expected, rtol=0, atol=1e-12 * size, err_msg=name)
