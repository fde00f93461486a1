"""The workbench in a real browser: whatever a person does, the numbers are Python's."""

import numpy as np
import pytest
from page_numbers import NEAR, same_as_python, same_travel, takes_only_what_it_can

import gough
from gough.kinematics.workspace.travels import travel
from gough.motion import Payload

MACHINES = ["demo-hexapod", "delta", "planar-3rrr", "tripod-3rps", "agile-eye"]


@pytest.mark.parametrize("robot", MACHINES)
def test_a_page_begins_at_home_and_follows(bench, robot):
    opened = bench(robot)
    np.testing.assert_array_equal(opened.pose, opened.model.robot.home)
    same_as_python(opened)
    moves = opened.model.structure.degrees_of_freedom[0] in "xyz"
    what = opened.model.structure.degrees_of_freedom[0] if moves else "first angle"
    opened.write(f"{what} of the tool, in the work frame", "3,7")
    assert (opened.pose != opened.model.robot.home).any()
    same_as_python(opened)
    same_travel(opened)
    found = opened.model.possible_pose(opened.pose)
    np.testing.assert_allclose(found.step, 0.0, atol=1e-9)


def test_an_actuator_takes_the_platform_along(bench):
    opened = bench("demo-hexapod")
    opened.write("position of leg 2", "1000")
    expected = opened.model.inverse_kinematics(opened.model.robot.home)
    expected[1] = 1.0
    np.testing.assert_allclose(opened.now("q"), expected, **NEAR)
    found = opened.model.forward_kinematics(expected)
    np.testing.assert_allclose(opened.pose, found.pose, **NEAR)
    opened.write("position of leg 2", "9000")
    np.testing.assert_allclose(opened.pose, found.pose, **NEAR)  # there is no such pose


def test_travel_is_shown(bench):
    opened = bench("demo-hexapod")
    pose = gough.pose([0.05, -0.02, 0.95], rpy=[0.05, 0.1, -0.2])
    opened.go_to(pose)
    same_travel(opened)
    found = opened.do("""async () => {
      const texts = document.querySelectorAll(".travel span");
      return [...texts].map((text) => Number(text.textContent.replace("−", "-").split(" ")[0]));
    }""")
    ways, turns = travel(opened.model, opened.pose)
    expected = np.concatenate([1000 * ways.distances, np.degrees(turns.distances)])
    got = np.reshape(found, (6, 2)) * [-1, 1]
    np.testing.assert_allclose(got, expected, rtol=5e-4)  # four digits are shown


FRAMES = gough.Frames(
    work=gough.pose([0.1, 0.0, 0.3], rpy=[0.2, -0.1, 0.8]), tool=gough.pose([0, 0, 0.2])
)
IN_PLANE = gough.Frames(
    work=gough.pose([0.1, 0, 0], rpy=[0, 0, 0.4]), tool=gough.pose([0.05, 0, 0])
)
ACROSS = gough.Frames(work=gough.pose([0, 0, 0], rpy=[np.pi / 2, 0, 0]))


@pytest.mark.parametrize(
    ("robot", "frames"),
    [("demo-hexapod", FRAMES), ("planar-3rrr", IN_PLANE), ("planar-3rrr", ACROSS)],
)
def test_travel_in_frames_is_along_those_axes_that_the_machine_has_there(bench, robot, frames):
    opened = bench(robot)
    step = np.array([0.01, -0.02, 0.01, 0.02, 0.01, 0.03])
    takes_only_what_it_can(opened, gough.poses.displace(opened.pose, step))
    opened.set_frames(frames)
    same_travel(opened, frames)
    named = [
        axis
        for part in travel(opened.model, opened.pose, frames=frames)
        for axis in part.degrees_of_freedom
    ]
    assert opened.texts(".travel b") == named


def test_a_frame_without_an_axis_is_said(bench):
    opened = bench("planar-3rrr")
    opened.set_frames(gough.Frames(work=gough.pose([0, 0, 0], rpy=[0.3, 0.4, 0.5])))
    assert opened.texts(".travel b") == []
    assert "along no axis of this work frame" in opened.element("#panels").inner_text()


def test_motors_and_joints_are_told_and_what_is_too_much(bench):
    opened = bench("demo-hexapod")
    opened.press_all("summary")
    opened.write("mass of the payload", "3000")
    actuators = opened.model.robot.actuators
    force, current = opened.now("force"), opened.now("current")
    drive = actuators[0].drive
    torque = force * drive.screw_lead / (2 * np.pi * drive.gear_ratio)  # at rest nothing rubs
    np.testing.assert_allclose(opened.now("torque"), torque, rtol=1e-12)
    np.testing.assert_allclose(current, torque / drive.torque_constant, rtol=1e-12)
    words = [
        f"{actuator.name}: {value:.4g} {unit}, more than its maximum {name} of {most:g} {unit}."
        for values, name, unit, most in (
            (force, "force", "N", actuators[0].max_force),
            (current, "current", "A", drive.max_current),
        )
        for actuator, value in zip(actuators, np.abs(values), strict=True)
        if value > most
    ]
    assert any("force" in one for one in words)
    assert opened.texts("#verdict.alert p") == words
    beyond = sum("current" in one for one in words)
    assert opened.count(".loads td.alert") == beyond
    same_as_python(opened, Payload(3000.0, (0.0, 0.0, 0.0)))


def test_how_it_yields_and_vibrates_is_pythons(bench):
    opened = bench("demo-hexapod")
    pose = gough.pose([0.06, -0.04, 1.0], rpy=[0.05, -0.08, 0.1])
    wrench = [300.0, -100.0, -500.0, 20.0, 10.0, -5.0]
    load = "{ ...window.gough.history.now.load, wrench }"
    opened.do(f"(wrench) => window.gough.change({{ load: {load} }})", wrench)
    opened.go_to(pose)
    shown = opened.do(
        "() => Object.values(window.gough.now.deflection).flatMap((x) => Array.from(x))"
    )
    stiff = gough.stiffness(opened.model, pose)
    expected = [
        *opened.model.deflection(pose, wrench),
        stiff.translation.values[0],
        stiff.rotation.values[0],
    ]
    np.testing.assert_allclose(shown, expected, rtol=1e-9)
    modes = gough.natural_modes(opened.model.robot, pose, wrench=wrench)
    np.testing.assert_allclose(opened.now("frequencies"), modes.frequencies, rtol=1e-9)


def test_what_is_wrong_is_said_in_words(bench):
    opened = bench("demo-hexapod")
    assert "Within all limits" in opened.texts("#verdict p")[0]
    opened.write("x of the tool, in the work frame", "400")
    lengths = opened.model.inverse_kinematics(opened.pose)
    longest = np.array([leg.stroke[1] for leg in opened.model.robot.legs])
    beyond = [
        f"leg {k + 1}: {1000 * far:.3g} mm beyond its stroke."
        for k, far in enumerate(lengths - longest)
        if far > 0
    ]
    assert beyond
    assert opened.texts("#verdict.alert p") == beyond
    opened.write("z of the tool, in the work frame", "no number")
    assert opened.attributes("[aria-invalid=true]", "title") == ["expected a number"]


def test_undo_takes_back_what_was_written_or_dragged(bench):
    opened = bench("demo-hexapod")
    home = opened.pose
    opened.write("x of the tool, in the work frame", "50")
    opened.drag("#scene canvas", (100, 200), (160, 200))  # only turns the view
    np.testing.assert_array_equal(opened.pose[:3], [0.05, 0, home[2]])
    opened.press("#tools button", 0)
    np.testing.assert_array_equal(opened.pose, home)
    opened.press("#tools button", 1)
    assert opened.pose[0] == 0.05


def test_a_payload_weighs_on_the_legs_as_in_a_study(bench):
    opened = bench("demo-hexapod")
    opened.write("mass of the payload", "80")
    opened.write("x of the payload's mass centre, on the platform", "120")
    carried = Payload(80.0, (0.12, 0.0, 0.0)).carried_by(opened.model.robot)
    expected = gough.Model(carried).inverse_dynamics(opened.pose)
    np.testing.assert_allclose(opened.now("force"), expected, **NEAR)
    more = float(opened.texts(".facts-list dd")[0].split(" ")[0])
    heavier = Payload(80.0 + more, (0.12, 0.0, 0.0)).carried_by(opened.model.robot)
    largest = np.abs(gough.Model(heavier).inverse_dynamics(opened.pose)).max()
    limits = [actuator.max_force for actuator in opened.model.robot.actuators]
    np.testing.assert_allclose(largest, max(limits), rtol=1e-3)  # four digits are shown


def test_coordinates_are_those_of_the_tool_in_the_work_frame(bench):
    opened = bench("demo-hexapod")
    opened.write("z of the tool frame", "200")
    opened.write("first angle of the tool, in the work frame", "10")
    tool = gough.poses.transform(opened.pose, [0.0, 0.0, 0.2])
    home = np.array(opened.model.robot.home)
    np.testing.assert_allclose(tool, home[:3] + [0, 0, 0.2], atol=1e-12)  # it turns about the tool
    np.testing.assert_allclose(gough.euler(opened.pose, "xyz"), [np.radians(10), 0, 0], atol=1e-12)
    same_as_python(opened)


def test_evaluating_a_pose_takes_less_than_a_millisecond(bench):
    opened = bench("demo-hexapod")
    took = opened.do("""() => {
      const { machine, history: { now } } = window.gough;
      const times = Array.from({ length: 60 }, () => {
        const begin = performance.now();
        for (let k = 0; k < 5; k += 1) machine.at(now.pose, now.load);
        return (performance.now() - begin) / 5;
      });
      return Math.min(...times);
    }""")
    assert took < 1.0


@pytest.mark.parametrize("width", [340, 720])
def test_names_of_actuators_and_their_sliders_are_there_on_narrow_screens(bench, width):
    page = bench("delta")
    page.resize(width)
    names, sliders = page.do("""() => [
      [...document.querySelectorAll(".actuator .name")].map((e) => [e.scrollWidth, e.clientWidth]),
      [...document.querySelectorAll(".actuator [type=range]")].map((e) => e.clientWidth),
    ]""")
    assert [needed for needed, given in names if needed > given] == []
    assert min(sliders) > 60
