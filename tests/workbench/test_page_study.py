"""A study in the workbench: its way, its load and its frames are those of `gough run`."""

from xml.etree import ElementTree

import numpy as np
from browser import until

import gough

POSES = [gough.pose([0.05, -0.02, 0.95], rpy=[0.05, 0.1, -0.2]), gough.pose([-0.04, 0.03, 1.02])]
BODY = {
    "kind": "payload",
    "mass": 12.0,
    "center_of_mass": [0.02, -0.01, 0.15],
    "inertia": [[0.3, 0.02, 0.01], [0.02, 0.4, -0.03], [0.01, -0.03, 0.5]],
}
STUDY = {"schema": "gough-study/1", "name": "mine", "robot": "demo-hexapod"}
SAMPLED = STUDY | {
    "samples": 151,
    "frames": {"work": {"x": 0.1, "yaw": 0.4}, "tool": {"z": 0.2, "pitch": 0.1}},
    "motion": {"kind": "rotation", "axis": [1, 2, 5], "angle": 0.3, "duration": 0.8},
    "tasks": [
        BODY,
        BODY | {"mass": 3.0, "active": [0.2, 0.5]},
        {"kind": "sinusoidal", "frequency": 3.0, "force": [40, 0, 9], "frame": "platform"},
    ],
}
WAYPOINTS = STUDY | {
    "samples": 401,
    "motion": {
        "kind": "waypoints",
        "stops": True,
        "profile": "cycloidal",
        "waypoints": [
            {"time": 0.7 * k, "position": pose[:3].tolist(), "quaternion": pose[3:].tolist()}
            for k, pose in enumerate([*POSES, POSES[0]])
        ],
    },
    "tasks": [BODY, {"kind": "constant", "force": [0, 30, -50], "moment": [1, 2, 3]}],
}


def along(opened, name):
    rows = opened.do("(name) => Array.from(window.gough.along()[name])", name)
    return np.array(rows, dtype=float)


def set_now(opened, name):
    return opened.do("(name) => window.gough.history.now[name]", name)


def agree(opened, results):
    """The page's way, speeds and forces are those of the study, at its samples."""
    count = len(results.time)
    for mine, theirs in {"pose": "pose", "speed": "leg_speed", "force": "force"}.items():
        found, size = along(opened, mine).reshape(count, -1), np.abs(results[theirs]).max()
        np.testing.assert_allclose(found, results[theirs], rtol=1e-9, atol=1e-9 * size)
    np.testing.assert_allclose(along(opened, "time"), results.time, rtol=1e-15)


def without_scene(opened):
    """Without a picture of the machine, which takes time."""
    opened.do("() => { document.getElementById('scene').style.display = 'none'; }")


def test_a_study_that_waypoints_do_not_make_has_its_own_samples(bench):
    opened, results = bench("demo-hexapod", study=SAMPLED), gough.run(SAMPLED)
    without_scene(opened)
    agree(opened, results)
    np.testing.assert_allclose(opened.now("force"), results["force"][0], rtol=1e-9)
    frames = gough.Study.from_dict(SAMPLED).frames
    assert set_now(opened, "frames") == {"work": list(frames.work), "tool": list(frames.tool)}
    assert set_now(opened, "load")["mass"] == 12.0
    assert "that of its 151 samples" in opened.texts(".panel .note")[0]
    assert opened.texts(".panel > .judged") == ["✓ The motion of the study is within all limits."]

    for fragment, words in {"#time=nan": "expected a number", "#time=9": "from 0 to 0.8"}.items():
        opened.do("(there) => { location.hash = there; }", fragment)
        opened.pictures()
        assert words in opened.texts("#notice span")[0]
    k = 77
    opened.do("(there) => { location.hash = there; }", f"#time={results.time[k] + 1e-6}")
    opened.pictures()
    assert set_now(opened, "time") == results.time[k]
    np.testing.assert_allclose(opened.pose, results["pose"][k], atol=1e-12)
    np.testing.assert_allclose(opened.now("force"), results["force"][k], rtol=1e-9)

    more = opened.texts(".facts-list dd")[:4]  # that the actuators hold at rest, however it moves
    opened.go_to(opened.pose)
    assert opened.texts(".facts-list dd")[:4] == more

    choices = opened.tab.get_by_label("Motion profile")
    choices.select_option("quintic")
    assert opened.do("() => window.gough.along()") is None
    opened.press("text=Back to the study")
    assert choices.input_value() == "sampled"
    agree(opened, results)


def test_a_study_of_waypoints_can_be_changed_by_dragging_them(bench, tmp_path):
    opened, results = bench("demo-hexapod", study=WAYPOINTS), gough.run(WAYPOINTS)
    agree(opened, results)
    assert set_now(opened, "way")["profile"] == "cycloidal"
    before = [point["pose"] for point in set_now(opened, "way")["points"]]
    np.testing.assert_allclose(before, [*POSES, POSES[0]], atol=1e-15)
    seen = opened.do(
        """() => {
          const canvas = document.querySelector("#scene canvas");
          const { target, reach } = window.gough.data.drawing.bounds;
          return [canvas.clientWidth, canvas.clientHeight, target, 1.15 * reach];  // with room
        }"""
    )
    x, y, right, up = on_screen(np.array(before[1][:3]), *seen)
    x, y = round(x), round(y)  # a browser knows parts of a pixel to seven digits only
    opened.drag("#scene canvas", (x + 2, y), (x + 42, y - 30))
    way = np.subtract([point["pose"] for point in set_now(opened, "way")["points"]], before)
    np.testing.assert_allclose(way[1, :3], 40 * right + 30 * up, atol=1e-9)
    np.testing.assert_array_equal(way[[0, 2]], 0.0)
    assert not np.allclose(along(opened, "force"), results["force"].reshape(-1))
    opened.press("text=Undo")
    agree(opened, results)
    assert opened.element("text=Undo").is_disabled()

    with opened.tab.expect_download() as download:
        opened.press("text=Export study.toml")
    download.value.save_as(tmp_path / "study.toml")
    agree(opened, gough.run(tmp_path / "study.toml"))
    load = set_now(opened, "load")
    with opened.tab.expect_file_chooser() as chooser:
        opened.press("text=Import …")
    chooser.value.set_files(tmp_path / "study.toml")
    until(opened.tab, "window.gough.history.canUndo")
    assert set_now(opened, "load") == load

    with opened.tab.expect_download() as download:
        opened.tab.get_by_label("Speed as SVG").click()
    picture = ElementTree.parse(download.value.path()).getroot()
    words = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"time [s]", "Speed [m/s]", "Leg 1", "Leg 6", "maximum speed"} <= set(words)
    lines = [path.get("d") for path in picture.iter("{http://www.w3.org/2000/svg}path")]
    ends = [drawn for drawn in lines if drawn.count("L") > 100]
    assert len(ends) == 6
    heights = [np.array([float(p.split()[1]) for p in d[1:].split("L")]) for d in ends]
    pixels = np.array([np.ptp(height) for height in heights]) / np.ptp(results["leg_speed"], axis=0)
    np.testing.assert_allclose(pixels, pixels[0], rtol=0.01)  # all are drawn to one scale


def on_screen(point, width, height, target, reach):
    """Where the first view shows a point [pixels], and what a pixel is there, across and up [m]."""
    yaw, pitch, away = -0.95, 0.42, 4.2
    towards = np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
    right = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    up, offset = np.cross(towards, right), point - target
    scale = away * min(width, height) / 2 / (away * reach - offset @ towards)
    x, y = width / 2 + scale * offset @ right, height / 2 - scale * offset @ up
    return x, y, right / scale, up / scale
