"""Mode shapes in the workbench: they are Python's, and the machine swings in them."""

import numpy as np
import pytest

import gough
from gough.elastic.vibrating import vibrating_at
from gough.poses import displace, transform

POSE = gough.pose([0.06, -0.04, 1.0], rpy=[0.05, -0.08, 0.1])
WRENCH = [300.0, -100.0, -500.0, 20.0, 10.0, -5.0]
SWING = """() => {
  const { state: { pose, points } } = window.gough.swing(), { bars } = window.gough.data.drawing;
  return { pose, legs: bars.map(({ start, end }) => [points[start], points[end]]) };
}"""


@pytest.fixture
def swinging(bench):
    """The workbench at a pose under a load, with its modes listed, for one who wants no motion."""
    opened = bench("demo-hexapod", reduced_motion="reduce")
    opened.tab.set_viewport_size({"width": 1000, "height": 500})  # less to draw
    load = "{ ...window.gough.history.now.load, wrench }"
    opened.do(f"(wrench) => window.gough.change({{ load: {load} }})", WRENCH)
    opened.go_to(POSE)
    opened.press("details.shapes > summary")
    return opened


def test_modes_are_pythons_and_the_machine_swings_in_them(swinging):
    robot = swinging.model.robot
    modes = swinging.do("() => window.gough.now.modes()")
    found = gough.natural_modes(robot, POSE, wrench=WRENCH)
    frequencies = np.array([mode["frequency"] for mode in modes])
    np.testing.assert_allclose(frequencies, found.frequencies, rtol=1e-9)
    shapes = np.array([[*mode["step"], *mode["inner"]] for mode in modes])
    signs = np.sign(np.sum(shapes * found.shapes, axis=1))[:, None]
    size = np.abs(found.shapes).max()
    # those of stages and of pistons have nearly the same frequencies: any mixture is a mode
    np.testing.assert_allclose((signs * shapes)[:6], found.shapes[:6], atol=1e-9 * size)
    at = vibrating_at(swinging.model, POSE, "locked", WRENCH, rotors=False)
    rest = shapes @ at.K - ((2 * np.pi * frequencies) ** 2)[:, None] * (shapes @ at.M)
    assert np.abs(rest).max() < 1e-9 * np.abs(shapes @ at.K).max()
    assert [mode["words"] for mode in modes[:6]] == [words for words, _ in found.most[:6]]
    shares = [mode["share"] for mode in modes[:6]]
    np.testing.assert_allclose(shares, [share for _, share in found.most[:6]], atol=1e-9)

    drawn = swinging.do("() => window.gough.data.drawing")
    platform = np.array(drawn["platform"])  # rounded to micrometres
    for k in (0, 4, 17):
        swinging.press(".modes button", k)
        seen = swinging.do(SWING)
        turned = np.cross(shapes[k, 3:6], transform(POSE, platform) - POSE[:3])
        most = max(np.linalg.norm(shapes[k, :3] + turned, axis=1).max(), *abs(shapes[k, 6:]))
        pose = displace(POSE, 0.5 * drawn["swing"] / most * shapes[k, :6])
        np.testing.assert_allclose(seen["pose"], pose, rtol=1e-9, atol=1e-12)
        feet, tops = np.swapaxes(seen["legs"], 0, 1)
        np.testing.assert_allclose(tops, transform(pose, platform), rtol=1e-9, atol=1e-12)
        lengths = swinging.model.inverse_kinematics(pose)
        np.testing.assert_allclose(np.linalg.norm(tops - feet, axis=1), lengths, atol=2e-6)


def test_a_swing_goes_on_until_the_machine_is_moved_or_the_part_is_closed(swinging):
    swinging.press(".modes button")
    text = swinging.texts(".mode-shapes .note")[0]
    assert "mm" in text
    assert "One oscillation per second" in text
    still = swinging.do(SWING)["pose"]
    swinging.pictures(5)
    assert swinging.do(SWING)["pose"] == still  # as little motion is wanted
    assert swinging.attributes(".swing-row .play", "aria-label") == ["Play"]
    swinging.tab.emulate_media(reduced_motion="no-preference")
    assert swinging.key(".modes button", "Enter", 1) is not None
    assert swinging.attributes(".swing-row .play", "aria-label") == ["Pause"]
    first = swinging.do(SWING)["pose"]
    swinging.pictures(10)
    assert swinging.do(SWING)["pose"] != first
    swinging.press(".swing-row .play")
    paused = swinging.do(SWING)["pose"]
    swinging.pictures(5)
    assert swinging.do(SWING)["pose"] == paused
    swinging.go_to(gough.pose([0.0, 0.0, 1.0]))
    assert swinging.do("() => window.gough.swing()") is None
    assert set(swinging.attributes(".modes button", "aria-pressed")) == {"false"}
    swinging.press(".modes button", 2)
    assert swinging.do("() => window.gough.swing() !== null")
    swinging.press("details.shapes > summary")
    swinging.pictures()
    assert swinging.do("() => window.gough.swing()") is None
