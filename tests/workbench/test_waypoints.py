"""Waypoints in the workbench: their way is that of studies, judged, played and put in order."""

import numpy as np
import pytest
from browser import until

import gough
from gough.studies import run

POSES = [
    gough.pose([0.05, -0.02, 0.95], rpy=[0.05, 0.1, -0.2]),
    gough.pose([-0.04, 0.03, 1.02], rpy=[-0.1, 0.05, 0.1]),
    gough.pose([0.0, 0.06, 0.98], rpy=[0.0, -0.12, 0.05]),
]
PROFILES = ["quintic", "cycloidal", "cosine", "trapezoidal", "s-curve", "smooth"]


def button(opened, text):
    return opened.tab.get_by_role("button", name=text, exact=True)


def add(opened, poses):
    """Add waypoints; without a picture of the machine, which takes time."""
    opened.do("() => { document.getElementById('scene').style.display = 'none'; }")
    for pose in poses:
        opened.go_to(pose)
        button(opened, "Add this pose").click()


def exported(opened, path):
    with opened.tab.expect_download() as download:
        button(opened, "Export study.toml").click()
    download.value.save_as(path)
    return path


def along(opened, name):
    rows = opened.do("(name) => Array.from(window.gough.along()[name])", name)
    return np.array(rows, dtype=float).reshape(1001, -1)


def points(opened):
    return opened.do("() => window.gough.history.now.way.points")


@pytest.mark.parametrize("robot", ["demo-hexapod", "tripod-3rps"])
def test_an_exported_way_runs_with_the_same_forces(bench, tmp_path, robot):
    opened = bench(robot)
    tilts = [gough.pose([0, 0, 0.8], rpy=[0.15, -0.1, 0]), gough.pose([0, 0, 0.82])]
    add(opened, POSES if robot == "demo-hexapod" else tilts)
    opened.write("mass of the payload", "2.5")
    opened.write("z of the payload's mass centre, on the platform", "120")
    opened.write("force on the platform along y", "-30")
    opened.write("time to waypoint 2", "0.7")
    for profile in PROFILES if robot == "demo-hexapod" else ["smooth"]:
        opened.tab.get_by_label("Motion profile").select_option(profile)
        results = run(exported(opened, tmp_path / "study.toml"))
        np.testing.assert_allclose(along(opened, "time")[:, 0], results.time, rtol=1e-15)
        for mine, names in {
            "force": ["force"],
            "speed": ["leg_speed", "actuator_speed"],
            "current": ["motor_current"],
        }.items():
            found, theirs = (
                along(opened, mine),
                results[next(n for n in names if n in results.quantities)],
            )
            size = np.abs(theirs).max()
            np.testing.assert_allclose(found, theirs, rtol=1e-9, atol=1e-9 * size)
            np.testing.assert_allclose(np.abs(found).max(0), np.abs(theirs).max(0), rtol=1e-9)


def test_an_exported_way_is_read_again_and_others_are_refused(bench, tmp_path):
    opened = bench("demo-hexapod")
    add(opened, POSES)
    opened.write("mass of the payload", "2.5")
    before = opened.do("() => [window.gough.history.now.way, window.gough.history.now.load]")
    file = exported(opened, tmp_path / "study.toml")
    for _ in POSES:
        opened.press(".waypoint button[title=Delete]")
    assert points(opened) == []

    def read(text):
        file.write_text(text, encoding="utf-8")
        opened.do("() => { notice.hidden = true; window.before = window.gough.history.now; }")
        with opened.tab.expect_file_chooser() as chooser:
            button(opened, "Import …").click()
        chooser.value.set_files(file)
        told = "!notice.hidden || window.before !== window.gough.history.now"
        until(opened.tab, told)
        return "" if opened.is_hidden("#notice") else opened.texts("#notice span")[0]

    good = file.read_text(encoding="utf-8")
    assert read(good) == ""
    after = opened.do("() => [window.gough.history.now.way, window.gough.history.now.load]")
    assert after[1] == before[1]
    np.testing.assert_allclose([p["pose"] for p in after[0]["points"]], POSES, atol=1e-15)
    for changes, words in {
        ('kind = "waypoints"', 'kind = "line"'): "motion.kind: expected one of waypoints",
        ("stops = true", "stops = 1979-05-27"): "line 7: not understood: 1979",
        ("mass = 150.0", "mass = 151.0"): "robot: not the machine of this page",
        ("time = 2.0", "time = nan"): "motion.waypoints[1].time: expected a number",
        ("time = 2.0", "time = 1e300"): "motion.waypoints[1].time: expected a number",
        ("[motion]", "[balance]\nmass = 3\n[motion]"): '"balance" is not understood here',
        ('kind = "payload"', 'kind = "<b>x</b>"'): 'not "<b>x</b>"',
        (good[300:], ""): "line",
    }.items():
        assert words in read(good.replace(*changes, 1)), changes
    assert opened.do("() => window.gough.history.now.way") == after[0]


def test_waypoints_are_judged_and_so_is_the_way_between_them(bench):
    opened = bench("demo-hexapod")
    far = gough.pose([0.45, 0.0, 0.99])
    add(opened, [POSES[0], POSES[1], far])
    here, leading = opened.texts(".waypoints li > .judged"), opened.texts(".stretch .judged")
    assert here[:2] == ["", ""]
    assert leading[1] == "✓ within all limits"
    length = opened.model.inverse_kinematics(far)
    worst = np.argmax(length)
    assert f"leg {worst + 1}: {1000 * (length[worst] - 1.163):.3g} mm beyond its stroke." in here[2]
    assert "beyond its stroke" in leading[2]
    opened.write("time to waypoint 2", "0.2")
    speed, force = np.abs(along(opened, "speed")), np.abs(along(opened, "force"))
    first = along(opened, "time")[:, 0] <= 0.2
    said = opened.texts(".stretch .judged")[1]
    for values, most, name in [(speed, 0.5, "speed"), (force, 2500.0, "force")]:
        for leg, largest in enumerate(values[first].max(0), 1):
            assert (f"leg {leg}: {largest:.4g}"[:9] in said.replace("\u2009", "")) == (
                largest > most
            ), name


def test_waypoints_are_put_in_order_changed_and_taken_back(bench):
    opened = bench("demo-hexapod")
    add(opened, POSES)
    opened.tab.get_by_label("Later waypoint 1").click()
    order = [p["pose"][0] for p in points(opened)]
    assert order == [POSES[1][0], POSES[0][0], POSES[2][0]]
    last = opened.element(".waypoints li", 2).bounding_box()
    opened.element(".handle", 0).hover()
    opened.tab.mouse.down()
    opened.tab.mouse.move(last["x"] + 20, last["y"] + last["height"] - 5, steps=4)
    opened.tab.mouse.up()
    assert [p["pose"][0] for p in points(opened)] == [POSES[0][0], POSES[2][0], POSES[1][0]]
    opened.go_to(gough.pose([0.01, 0.02, 0.97]))
    opened.tab.get_by_label("Take the present pose for waypoint 2").click()
    assert points(opened)[1]["pose"][:3] == [0.01, 0.02, 0.97]
    opened.tab.get_by_label("Go to waypoint 1").click()
    np.testing.assert_allclose(opened.pose, POSES[0], atol=1e-15)
    opened.tab.get_by_label("Delete waypoint 1").click()
    assert len(points(opened)) == 2
    button(opened, "Undo").click()
    assert len(points(opened)) == 3
    opened.write("time to waypoint 2", "1e99")
    assert "expected a number from 0.01 to 10000" in opened.attributes(
        "[aria-invalid=true]", "title"
    )


def test_the_way_is_played_with_its_forces(bench):
    opened = bench("demo-hexapod")
    add(opened, POSES)
    at_rest = opened.pose
    opened.slide("#player input[type=range]", 1000 * 300 / 1000)
    np.testing.assert_allclose(opened.pose, along(opened, "pose")[300], atol=1e-12)
    np.testing.assert_allclose(opened.now("force"), along(opened, "force")[300], rtol=1e-9)
    opened.press("#player .play")
    until(opened.tab, "window.gough.history.now.time > 1.3")
    opened.press("#player .play")
    button(opened, "Undo").click()
    np.testing.assert_array_equal(opened.pose, at_rest)
    opened.point(".along .chart-overlay", 200, 60)  # over a chart, not pressed
    np.testing.assert_array_equal(opened.pose, at_rest)
    opened.drag(".along .chart-overlay", (200, 60), (203, 60))
    assert opened.do("() => window.gough.history.now.time") > 0
    lines = opened.drawings(".along .chart-picture")
    assert all(
        any(drawn["kind"] == "line" or drawn["points"] for drawn in one) for one in lines[:1]
    )
