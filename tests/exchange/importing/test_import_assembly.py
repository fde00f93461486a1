"""Loops that a file draws open: closed where they can be, in any size, and refused where not."""

import math

import numpy as np
import pytest

from gough.errors import GoughError
from gough.exchange import imported

FOUR_BAR = """<mujoco model="four-bar">
  <compiler angle="radian"/>
  <default>
    <joint axis="0 0 1"/>
    <geom type="capsule" size="{thick}" mass="1" contype="0" conaffinity="0"/>
  </default>
  <worldbody>
    <body name="crank">
      <joint name="motor"/>
      <geom fromto="0 0 0 0 {crank} 0"/>
      <body name="rod" pos="0 {crank} 0">
        <joint name="first"/>
        <geom fromto="0 0 0 {rod} {rise} 0"/>
        <body name="rocker" pos="{rod} {rise} 0">
          <joint name="second"/>
          <geom fromto="0 0 0 0 {drop} 0"/>
          <body name="foot" pos="0 {drop} 0" euler="0 0 {open}">
            <joint name="last"/>
            <geom fromto="0 0 0 {crank} 0 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <weld name="ground" body1="world" body2="foot" relpose="{ground} 0 0 {turn}"/>
  </equality>
  <actuator><motor joint="motor"/></actuator>
</mujoco>
"""
UPRIGHT = "1 0 0 0"


def four_bar(tmp_path, size=1.0, turn=UPRIGHT, drawn_open=0.0, **other):
    """A four-bar linkage of a size [m], whose foot is welded to the ground with an attitude."""
    lengths = {"ground": 0.5, "crank": 0.2, "rod": 0.5, "rise": 0.1, "drop": -0.3, "thick": 0.01}
    text = FOUR_BAR.format(
        **{name: size * length for name, length in (lengths | other).items()},
        turn=turn,
        open=drawn_open,
    )
    file = tmp_path / "four-bar.xml"
    file.write_text(text)
    return imported(file, platform="rod").robot


def turned(robot):
    """How far the foot is turned at home, by the sum of all hinges [rad], from -π to π."""
    angle = sum(joint.home for joint in robot.joints)
    return math.remainder(angle, 2.0 * math.pi)


@pytest.mark.parametrize(
    ("turn", "angle"),
    [
        (UPRIGHT, 0.0),
        ("0.9238795325112867 0 0 0.3826834323650898", math.pi / 4),
        ("0.3826834323650898 0 0 0.9238795325112867", 3 * math.pi / 4),
        ("1e-9 0 0 1", math.pi - 2e-9),
        ("0 0 0 1", math.pi),
    ],
)  # fmt: skip
def test_a_weld_holds_the_attitude_that_its_file_says(tmp_path, turn, angle):
    off = math.remainder(turned(four_bar(tmp_path, turn=turn)) - angle, 2.0 * math.pi)
    assert abs(off) < 1e-12


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ("0 1 0 0", "its ends stay 3.14 rad turned, however joints are moved"),
        ("0 1 1 0", "its ends stay 3.14 rad turned"),
        ("0.9659258262890683 0.25881904510252074 0 0", "its ends stay 0.524 rad turned"),
    ],
)  # fmt: skip
def test_a_weld_that_no_hinge_can_turn_into_place_is_refused(tmp_path, turn, words):
    with pytest.raises(GoughError) as caught:
        four_bar(tmp_path, turn=turn)
    assert words in str(caught.value)


STRETCHED = """<mujoco><compiler angle="radian"/><default><joint axis="0 0 1"/>
    <geom type="capsule" size="0.003"/></default><worldbody>
    <body name="crank"><joint name="motor"/><geom fromto="0 0 0 0.04 0 0"/>
      <body name="coupler" pos="0.04 0 0"><joint name="pin"/><geom fromto="0 0 0 0.06 0 0"/>
        <site name="end" pos="0.06 0 0"/></body></body>
    <body name="rocker" pos="0.08 0 0"><joint name="foot"/><geom fromto="0 0 0 -0.06 0 0"/>
      <site name="tip" pos="-0.06 0 0"/></body>
    </worldbody><equality><connect site1="end" site2="tip"/></equality>
    <actuator><position joint="motor" kp="3"/></actuator></mujoco>"""


def test_a_linkage_that_is_drawn_in_one_line_is_closed(tmp_path):
    """No joint can begin to close it: all of them move the ends across the line."""
    file = tmp_path / "stretched.xml"
    file.write_text(STRETCHED)
    found = imported(file, platform="coupler")
    assert any("closes the loops: joints are" in line for line in found.assumed)
    at = {joint.type + joint.name: joint.at for joint in found.robot.joints}
    crank, pin, foot, tip = at["Rmotor"], at["Rpin"], at["Rfoot"], at["Send-tip"]
    lengths = [math.dist(*pair) for pair in ((crank, pin), (pin, tip), (tip, foot), (foot, crank))]
    assert np.allclose(lengths, [0.04, 0.06, 0.06, 0.08], rtol=0, atol=1e-12)


def test_couplings_that_contradict_each_other_are_refused(tmp_path):
    coupled = '<joint joint1="motor" joint2="foot" polycoef="{} 1 0 0 0"/>'
    both = f"{coupled.format(0)}{coupled.format(0.3)}</equality>"
    file = tmp_path / "stretched.xml"
    file.write_text(STRETCHED.replace("</equality>", both))
    with pytest.raises(GoughError, match=r"motor-foot(-2)?: the coupling is not kept, however"):
        imported(file, platform="coupler")
    file.write_text(STRETCHED.replace("</equality>", f"{coupled.format(0.3)}</equality>"))
    with pytest.raises(GoughError, match=r"motor-foot: its joints stand still, 0\.3 rad"):
        imported(file, platform="coupler", hold=["motor", "foot"])


def test_links_that_are_too_short_are_told_by_how_far(tmp_path):
    """The ground is 0.5 m wide; crank, rod and rocker reach 0.2 + 0.051 + 0.1 m."""
    with pytest.raises(GoughError, match=r"its ends stay 0\.1\d+ m apart.*, however joints"):
        four_bar(tmp_path, rod=0.05, drop=-0.1, rise=0.01)


@pytest.mark.parametrize("size", [1e3, 0.02, 5e-3])
def test_a_machine_of_any_size_is_closed_in_the_same_shape(tmp_path, size):
    drawn, small = (four_bar(tmp_path, s, drop=-0.25, drawn_open=0.6) for s in (1.0, size))
    for joint, other in zip(drawn.joints, small.joints, strict=True):
        assert np.allclose(np.multiply(joint.at, size), other.at, rtol=0, atol=1e-10 * size)
        assert abs(joint.home - other.home) < 1e-10
    assert max(abs(joint.home) for joint in small.joints) > 0.1
