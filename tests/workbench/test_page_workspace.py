"""Workspaces, assembly modes and other geometry in the workbench, in a real browser."""

import numpy as np
import pytest

import gough
from gough.kinematics.workspace.charts import centre_of, charts
from gough.kinematics.workspace.rays import walk
from gough.kinematics.workspace.reach import ALL_LIMITS, margins
from gough.kinematics.workspace.stated_limits import ends_of
from gough.poses import distance

EVERY = 79
"""One of so many rays is walked in Python, too."""


def panel(page, title):
    return page.tab.locator(".panel", has=page.tab.locator(f"h2:text-is('{title}')"))


def computed_workspace(page):
    """The workspace that a person asks for: its pose, directions, radii and ends."""
    workspace = panel(page, "Workspace")
    workspace.get_by_role("button", name="Compute").click()
    workspace.get_by_role("button", name="Hide").wait_for()
    return page.do("""() => {
      const { start, space, directions, exits } = window.gough.workspace;
      const limits = window.gough.data.limits;
      const ends = exits.map(({ ended }) => (ended >= 0 ? limits[ended].family : ended));
      return { start, kind: space.kind, directions, radii: exits.map((e) => e.distance), ends };
    }""")


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("demo-hexapod", [0.05, -0.03, 0.04, 0.1, -0.05, 0.2]),
        ("planar-3rrr", [0.03, -0.02, 0, 0, 0, 0.1]),
        ("tripod-3rps", [0, 0, 0.02, 0.05, -0.03, 0]),
    ],
)
def test_workspaces_end_where_python_finds_their_ends(bench, name, step):
    page = bench(name)
    robot = page.model.robot
    page.go_to(gough.poses.displace(np.array(robot.home), np.array(step)))
    found = computed_workspace(page)
    chosen = np.array(found["directions"])[::EVERY]
    all_charts = charts(robot, ALL_LIMITS, centre_of(robot, found["start"]))
    (chart,) = (c for c in all_charts if c.kind == found["kind"] and len(c.degrees_of_freedom) > 1)
    assert len(chosen) > 1
    np.testing.assert_allclose(
        np.array(found["radii"])[::EVERY], walk(chart, chosen).exits, rtol=0, atol=1e-9
    )
    assert {*found["ends"]} <= {*ends_of(robot)}
    assert "limited by" in panel(page, "Workspace").inner_text()


def test_a_workspace_is_drawn_goes_stale_and_can_be_cancelled(bench):
    page = bench("planar-3rrr")
    workspace = panel(page, "Workspace")
    before = page.pixels("#scene canvas")
    computed_workspace(page)
    assert page.pixels("#scene canvas") != before
    page.write("x of the tool, in the work frame", "20")
    assert workspace.locator(".note").inner_text() == ""
    page.write("third angle of the tool, in the work frame", "5")
    assert "another orientation" in workspace.locator(".note").inner_text()
    workspace.get_by_role("button", name="Hide").click()
    assert page.do("() => window.gough.workspace") is None
    page.do("""() => {
      const [compute, cancel] = document.querySelectorAll(".workspace button");
      compute.click();
      cancel.click();
    }""")
    workspace.get_by_role("button", name="Compute").wait_for()
    assert page.do("() => window.gough.workspace") is None


def test_modes_found_by_search_are_those_of_the_exact_method(bench):
    page = bench("demo-hexapod")
    page.go_to(gough.pose([0.05, 0.02, 1.02], rpy=[0.1, -0.05, 0.1]))
    modes = panel(page, "Assembly modes")
    modes.get_by_role("button", name="Search").click()
    modes.locator(".gallery button").first.wait_for()
    assert "not proved" in modes.locator(".note").inner_text()
    lengths = page.now("q")
    found = []
    for k in range(modes.locator(".gallery button").count()):
        modes.locator(".gallery button").nth(k).click()
        found.append(page.pose)
        np.testing.assert_allclose(page.model.inverse_kinematics(page.pose), lengths, atol=1e-9)
    exact = page.model.assembly_modes(lengths).poses
    assert len(found) == len(exact)
    for pose in exact:
        assert min(float(distance(pose, other, 1.0)) for other in found) < 1e-6


def test_a_hexapod_changed_in_the_page_is_saved_as_that_machine(bench, tmp_path):
    page = bench("demo-hexapod")
    home_q = page.now("q")
    page.write("radius of the joints at the base", "820")
    page.write("angle between pairs of the joints at the platform", "40")
    page.write("height of the joints at the base", "95")
    page.write("longest length of all legs", "1200")
    page.write("mass of platform; its inertia changes in proportion", "180")
    page.write("mass of each piston; its inertia changes in proportion", "4")
    page.write("mass of the payload", "25")
    page.go_to(gough.pose([0.03, -0.05, 1.01], rpy=[0.05, -0.1, 0.15]))
    assert abs(page.now("q") - home_q).max() > 0.01
    robot = saved(page, tmp_path)
    radii = np.linalg.norm(np.array([leg.base[:2] for leg in robot.legs]), axis=1)
    np.testing.assert_allclose(radii, 0.82, atol=1e-12)
    assert robot.platform.mass == 180
    check_equal(page, robot, payload=25)
    page.press("#tools button", 0)
    page.tab.get_by_role("button", name="Reset").click()
    np.testing.assert_allclose(page.now("q"), page.model.inverse_kinematics(page.pose), atol=1e-9)


def test_a_delta_with_other_masses_is_saved_as_that_machine(bench, tmp_path):
    page = bench("delta")
    page.write("mass of platform; its inertia changes in proportion", "2")
    robot = saved(page, tmp_path)
    assert robot.platform.mass == 2
    check_equal(page, robot)


def test_a_home_beyond_the_strokes_is_said_and_not_saved(bench):
    page = bench("demo-hexapod")
    page.write("longest length of all legs", "900")
    geometry = panel(page, "Geometry and masses")
    assert "beyond its stroke" in geometry.locator(".note").inner_text()
    assert geometry.get_by_role("button", name="Save").is_disabled()
    assert "beyond its stroke" in page.element("#verdict").inner_text()


def saved(page, folder):
    """The robot of the file that a person saves."""
    with page.tab.expect_download() as event:
        page.tab.get_by_role("button", name="Save as a robot file").click()
    path = folder / event.value.suggested_filename
    event.value.save_as(path)
    return gough.load(path)


def check_equal(page, robot, payload=0.0):
    """What is shown is what Python computes for the saved machine with a payload at its origin."""
    model = gough.Model(robot)
    weight = payload * np.array(robot.gravity)
    force = model.inverse_dynamics(page.pose, wrench=np.array([*weight, 0, 0, 0]))
    np.testing.assert_allclose(page.now("q"), model.inverse_kinematics(page.pose), atol=1e-9)
    np.testing.assert_allclose(page.now("force"), force, rtol=1e-9, atol=1e-9)
    families = np.array(page.do("() => window.gough.data.limits.map((l) => l.family)"))
    for name, margin in zip(ends_of(robot)[:-1], margins(model, page.pose), strict=True):
        if (families == name).any():
            assert page.now("margin")[families == name].min() == pytest.approx(margin, abs=1e-9)
    measure = model.singularity(page.pose)
    shown = page.do("() => Array.from(window.gough.now.singularity.distance)")
    assert shown[0] == pytest.approx(float(measure.distance), rel=1e-9)
