"""Surfaces that are not flat: shapes, contact, and force control in axes of the normal."""

from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline

import gough
from gough.analysis.plot import plot_quantity
from gough.equations.forces.contact import contact_of, task_frame
from gough.simulation import WorkSurface, hybrid_force, implicit_force, real_plant
from gough.simulation.simulate import simulate

STUDIES = Path(__file__).parents[2] / "studies" / "simulation"
TILTED = np.array([0.3, -0.2, -0.9]) / np.linalg.norm([0.3, -0.2, -0.9])
ALONG = np.cross(TILTED, [1.0, 0, 0]) / np.linalg.norm(np.cross(TILTED, [1.0, 0, 0]))
POINT = np.array([0.1, -0.2, 1.3])
COMMON = {"point": POINT, "normal": TILTED, "stiffness": 1e5}


def heights(n=9, m=7, size=(0.4, 0.3), of=lambda x, y: 0.5 * x**2 - 0.3 * x * y + y**3):
    x, y = (np.linspace(-s / 2, s / 2, k) for s, k in zip(size, (n, m), strict=True))
    return x, y, of(*np.meshgrid(x, y))


SHAPES = {
    "plane": {},
    "convex sphere": {"kind": "sphere", "radius": 0.4},
    "concave sphere": {"kind": "sphere", "radius": 0.4, "concave": True},
    "convex cylinder": {"kind": "cylinder", "radius": 0.4, "axis": ALONG},
    "concave cylinder": {"kind": "cylinder", "radius": 0.4, "axis": ALONG, "concave": True},
    "heights": {"kind": "height-map", "size": (0.4, 0.3), "heights": heights()[2].tolist()},
}


def side(shape, x):
    distance, normal = shape.side(ca.DM(x))
    return float(distance), np.array(normal).ravel()


@pytest.mark.parametrize("kind", SHAPES)
def test_the_distance_is_zero_at_the_point_and_grows_along_the_normal(kind):
    shape = WorkSurface(**COMMON, **SHAPES[kind]).contact.shape
    distance, normal = side(shape, POINT)
    assert distance == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(normal, TILTED, atol=1e-9)
    for h in (-1e-3, 2e-3):
        assert side(shape, POINT + h * TILTED)[0] == pytest.approx(h, rel=1e-9)


@pytest.mark.parametrize("kind", SHAPES)
def test_the_normal_is_the_gradient_of_the_distance(kind):
    """Beside the point too; a map's distance is of first order, so it is asked on its surface."""
    shape, rng = WorkSurface(**COMMON, **SHAPES[kind]).contact.shape, np.random.default_rng(3)
    for _ in range(5):
        x = POINT + rng.uniform(-0.05, 0.05, 3)
        for _ in range(3 if kind == "heights" else 0):  # to the surface
            distance, normal = side(shape, x)
            x = x - distance * normal
        _, normal = side(shape, x)
        steps = 1e-6 * np.eye(3)
        slope = [(side(shape, x + s)[0] - side(shape, x - s)[0]) / 2e-6 for s in steps]
        assert np.linalg.norm(normal) == pytest.approx(1)
        np.testing.assert_allclose(slope, normal, atol=1e-6)


def test_round_surfaces_are_as_far_as_their_centres_say():
    """A point 0.3 m from the centre of a hollow ball of 0.4 m is 0.1 m above its surface."""
    centre = POINT + 0.4 * TILTED
    away = np.array([0.2, 0.2, 0.1])
    hollow = WorkSurface(**COMMON, **SHAPES["concave sphere"]).contact.shape
    distance, normal = side(hollow, centre + away)
    assert distance == pytest.approx(0.1)
    np.testing.assert_allclose(normal, -away / 0.3)
    tube = WorkSurface(**COMMON, **SHAPES["concave cylinder"]).contact.shape
    distance, normal = side(tube, centre + 5 * ALONG + 0.3 * TILTED)
    assert distance == pytest.approx(0.1)
    np.testing.assert_allclose(normal, -TILTED, atol=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in SHAPES if "sphere" in kind or "cyl" in kind])
def test_at_a_centre_of_curvature_the_normal_is_that_of_the_point(kind):
    given = SHAPES[kind] | ({"axis": (1, 0, 0)} if "cylinder" in kind else {}) | {"radius": 1}
    surface = WorkSurface(point=(0, 0, 0), stiffness=1e5, **given).contact
    centre = [0, 0, -float(surface.shape.radius)]
    distance, normal = side(surface.shape, centre)
    assert distance == -float(surface.shape.radius)
    np.testing.assert_array_equal(normal, [0, 0, 1])
    assert np.isfinite(np.array(task_frame(surface, ca.DM([*centre, 1, 0, 0, 0]))[0])).all()


def test_a_map_is_the_bicubic_spline_of_its_heights():
    rng = np.random.default_rng(5)
    x, y, _ = heights()
    rough = rng.normal(size=(7, 9)) * 0.01
    given = {"kind": "height-map", "size": (0.4, 0.3), "heights": rough.tolist()}
    shape = WorkSurface(point=(0, 0, 0), normal=(0, 0, 1), stiffness=1, **given).contact.shape
    spline = RectBivariateSpline(x, y, rough.T)
    for u, v in rng.uniform([-0.2, -0.15], [0.2, 0.15], (20, 2)):
        distance, normal = side(shape, [u, v, 0])
        h = spline(u, v)[0, 0]
        slopes = spline(u, v, dx=1)[0, 0], spline(u, v, dy=1)[0, 0]
        np.testing.assert_allclose(-normal[:2] / normal[2], slopes, atol=1e-9)
        assert distance == pytest.approx(-h / np.sqrt(1 + slopes[0] ** 2 + slopes[1] ** 2))
    for u, v in ((0.2001, 0), (0, -0.1501)):
        assert np.isnan(side(shape, [u, v, 0])[0])  # there is no surface


def test_there_is_no_contact_beyond_a_map():
    given = {"kind": "height-map", "size": (0.4, 0.3), "heights": np.zeros((4, 4)).tolist()}
    surface = WorkSurface(point=(0, 0, 0), normal=(0, 0, 1), stiffness=1e5, **given).contact
    inside, beyond = (
        contact_of(surface, ca.DM([x, 0, -0.001, 1, 0, 0, 0]), ca.DM.zeros(6)) for x in (0.19, 0.21)
    )
    assert float(inside.force) == pytest.approx(1e5 * (1 + 0.5**2) / 2 * 1e-3)
    assert float(beyond.force) == float(beyond.energy) == 0


def test_heights_come_from_a_file_in_its_unit(tmp_path):
    rows = heights()[2]
    file = tmp_path / "mirror.csv"
    file.write_text("# mm\n" + "\n".join(",".join(f"{1e3 * h:.12g}" for h in r) for r in rows))
    common = COMMON | {"kind": "height-map", "size": (0.4, 0.3)}
    by_file = WorkSurface(**common, file=str(file), unit="mm").contact.shape
    by_list = WorkSurface(**common, heights=rows.tolist()).contact.shape
    np.testing.assert_allclose(by_file.coefficients, by_list.coefficients, atol=1e-12)


def bad(**changes):
    return COMMON | {"kind": "height-map", "size": (0.4, 0.3)} | changes


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (COMMON | {"kind": "sphere"}, "radius: missing; expected a length"),
        (COMMON | {"kind": "sphere", "radius": -1}, "radius: .*above 0"),
        (COMMON | {"radius": 1}, "radius: not used by plane; only by sphere, cylinder"),
        (COMMON | {"kind": "cylinder", "radius": 1}, "axis: missing"),
        (COMMON | {"kind": "cylinder", "radius": 1, "axis": TILTED}, "axis: along the normal"),
        (COMMON | {"kind": "torus"}, "kind: not known"),
        (bad(), "heights: given twice or not at all; expected heights or file"),
        (bad(heights=[[0] * 4] * 4, file="x.csv"), "heights: given twice"),
        (bad(heights=[[0] * 4] * 3), r"heights: shape \(3, 4\); expected equal rows"),
        (bad(heights=[[0] * 4] * 3 + [[0] * 5]), r"heights: shape \(1,\); expected equal rows"),
        (bad(heights=[[0] * 40] * 40), "at most 1024 heights"),
        (bad(heights=[[0] * 4] * 3 + [[0, 0, 0, float("nan")]]), "heights"),
        (bad(heights=[]), "heights: shape"),
        (bad(heights=[[0] * 4] * 4, unit="mm"), "unit: not used by heights; expected a file"),
        (bad(file="nowhere.csv"), "file: .*no such file"),
        (COMMON | {"max_force": 0}, "max_force: .*above 0"),
    ],
)
def test_surfaces_that_make_no_sense_are_refused(given, words):
    with pytest.raises(gough.InputError, match=words):
        _ = WorkSurface(**given).contact


def test_a_file_of_heights_with_words_in_it_is_refused(tmp_path):
    file = tmp_path / "mirror.csv"
    file.write_text("0, 0, 0, 0\n0, 0, high, 0\n")
    with pytest.raises(gough.InputError, match=r"file: .*mirror.csv.*high.*; expected rows"):
        _ = WorkSurface(**bad(file=str(file))).contact


def test_the_task_frame_has_z_into_the_surface_and_does_not_spin():
    hollow = WorkSurface(
        point=(0, 0, 1.292), normal=(0, 0, -1), stiffness=1, tool=(0, 0, 0.3),
        kind="sphere", radius=0.8, concave=True,
    ).contact  # fmt: skip
    X, Y = map(np.array, task_frame(hollow, ca.DM(gough.pose([0, 0, 0.99]))))
    np.testing.assert_allclose(X @ Y, np.eye(6), atol=1e-14)
    np.testing.assert_allclose(X[:3, :3], np.eye(3), atol=1e-14)  # as the base, at the vertex
    turned = gough.pose([0, 0.1, 0.95], rpy=[-0.2, 0.1, 0.3])
    X, Y = map(np.array, task_frame(hollow, ca.DM(turned)))
    contact = contact_of(hollow, ca.DM(turned), ca.DM.zeros(6))
    normal, arm = np.array(contact.normal).ravel(), np.array(contact.arm).ravel()
    np.testing.assert_allclose(Y[:3, 2], -normal, atol=1e-14)
    spin = Y[:3, :3] - Y[:3, :3].T  # of the turn from the vertex: about an axis across z
    assert spin[0, 1] == pytest.approx(0, abs=1e-14)
    twist, wrench = np.arange(1.0, 7), np.array([3.0, -1, 2, 5, 1, -2])
    own = X @ twist
    np.testing.assert_allclose(Y[:3, :3] @ own[:3], twist[:3] + np.cross(twist[3:], arm))
    assert own @ wrench == pytest.approx(twist @ (X.T @ wrench))  # the same power


@pytest.fixture(scope="module")
def polished():
    return gough.run(STUDIES / "demo-mirror-polishing.toml")


def test_a_concave_mirror_is_polished_with_the_wanted_force(polished):
    """Within 5 % from a second and a half after touching; with axes of the base it is not."""
    for name, share in (("axes of the mirror", 0.05), ("axes of the base", 0.3)):
        run = polished.run(name)
        force, touched = run["contact_force"], np.argmax(run["contact_force"] > 0)
        wrong = np.abs(force[run.time > run.time[touched] + 1.5] / 200 - 1).max()
        assert (wrong < share) == (name == "axes of the mirror")
    run = polished.run("axes of the mirror")
    pressed = run["contact_force"] > 0
    np.testing.assert_array_equal(pressed, run["contact_distance"] < 0)
    tool = run["pose"][-1, :3] + 0.3 * np.array(
        gough.poses.rotation(run["pose"][-1]).apply([0, 0, 1])
    )
    away = np.linalg.norm(tool - [0, 0, 0.492])
    assert run["contact_distance"][-1] == pytest.approx(0.8 - away, abs=1e-9)
    normal = ([0, 0, 0.492] - tool) / away
    assert normal[2] > -0.995  # it is not that of the vertex
    assert run["wrench"][-1, :3] @ normal == pytest.approx(run["contact_force"][-1], rel=1e-6)


def test_a_limit_of_the_contact_force_is_checked(polished):
    kept, passed = polished.run("axes of the mirror"), polished.run("axes of the base")
    for run in (kept, passed):
        margin = run.summary["minimum_contact_force_margin"]
        assert margin.value == pytest.approx(220 - run["contact_force"].max())
        assert run.time[np.argmax(run["contact_force"])] == margin.time
        assert "contact force" in run.limits.checked
    (axes,) = plot_quantity(kept, "contact_force")
    assert [line.get_ydata()[0] for line in axes.lines[1:]] == pytest.approx([220])
    assert not any("contact force" in words for words in kept.warnings)
    words = [w for w in passed.warnings if w.startswith("contact force exceeds its limit by ")]
    assert len(words) == 1
    assert words[0].endswith(" s")


def test_damping_along_the_force_keeps_the_impact_below_a_limit():
    """The approach is at force / damping, however far the surface is, and not ever faster."""
    found = gough.run(STUDIES / "demo-impact-limit.toml")
    for name, run in found.runs.items():
        margin = run.summary["minimum_contact_force_margin"].value
        assert (margin > 0) == name.startswith("damped")
        if name.startswith("damped"):
            struck = np.argmax(run["contact_force"] > 0)
            assert run["twist"][struck, 2] <= 200 / 3e4
            assert run["contact_force"][-1] == pytest.approx(200, rel=0.01)
    fast = [run["twist"][np.argmax(run["contact_force"] > 0), 2] for run in found.runs.values()]
    assert fast[1] > fast[0] > 2 * 200 / 3e4  # of the two that are not damped


def test_axes_of_a_flat_surface_across_base_z_are_those_of_the_base():
    """With the tool in the platform's origin."""
    robot = gough.load("demo-hexapod")
    flat = WorkSurface(point=(0, 0, 0.9899), normal=(0, 0, -1), stiffness=2e5).contact
    plant = real_plant(robot, legs="low-frequency", drives=False, surface=flat)
    gains = ([0, 0, 50, 0, 0, 0], [0, 0, 1, 0, 0, 0], 5e5, 2e5, 2e3)
    motion = gough.motion.line(robot.home, [0.005, 0, 0], gough.motion.Quintic(0.05))
    runs = [
        simulate(
            gough.Scenario(
                robot,
                implicit_force(*gains, stiffness=5e5, damping=2e4, surface=known),
                motion,
                plant=plant,
                sampling=gough.simulation.Sampling(5e-4, 2),
            )
        )
        for known in (None, flat)
    ]
    assert runs[0]["contact_force"].max() > 1
    np.testing.assert_allclose(*(run["pose"] for run in runs), rtol=0, atol=1e-12)


def delta_study(**surface):
    """A Delta that presses downwards with 20 N and goes along 60 mm of a surface."""
    parts = [
        {"kind": "hold", "duration": 0.6},
        {"kind": "line", "displacement": [0.06, 0.03, 0], "duration": 0.8},
    ]
    gains = {"wrench": [0, 0, 20, 0, 0, 0], "selection": [0, 0, 1, 0, 0, 0]}
    gains |= {"kp": 3600, "kd": 120, "ki": 40, "damping": 2000}
    common = {"point": [0, 0, -1.102], "stiffness": 2e4, "restitution": 0.7, "friction": 0.2}
    return {
        "schema": "gough-study/1",
        "name": "delta-polishing",
        "robot": "delta",
        "motion": {"kind": "sequence", "parts": parts},
        "plant": {"surface": common | surface},
        "controller": {"kind": "hybrid-force", "task_frame": "surface", "gains": gains},
        "simulation": {"period": "0.5 ms"},
    }


BOWL = {"kind": "sphere", "radius": 0.4, "concave": True}


def test_other_machines_follow_curved_surfaces_by_hybrid_control():
    """A Delta in a bowl, and on a map of the bowl's heights, which is as good as the bowl."""
    _, _, rows = heights(15, 15, (0.3, 0.3), lambda x, y: 0.4 - np.sqrt(0.4**2 - x**2 - y**2))
    of_map = {"kind": "height-map", "size": [0.3, 0.3], "heights": rows.tolist()}
    runs = [gough.run(gough.Study.from_dict(delta_study(**s))) for s in (BOWL, of_map)]
    for run in runs:
        settled = run.time > 0.5
        np.testing.assert_allclose(run["contact_force"][settled], 20, rtol=0.05)
        assert np.abs(run["pose_error"][-1, :2]).max() < 2e-3
        assert run["pose"][-1, 2] - run["pose"][1100, 2] > 5e-3  # up the side of the bowl
    assert np.abs(runs[0]["contact_force"] - runs[1]["contact_force"])[-1] < 0.1
    assert np.abs(runs[0]["pose"] - runs[1]["pose"]).max() < 1e-4


def test_the_integral_of_the_force_does_not_grow_under_a_load_without_contact():
    """Under a load without contact the approach stays at (20 - 5) N / damping."""
    data = delta_study(point=[0, 0, -1.3])
    data["tasks"] = [{"kind": "constant", "force": [0, 0, 5]}]
    data["simulation"]["duration"] = 0.3
    away = gough.run(gough.Study.from_dict(data))
    assert np.abs(away["twist"][-1, 2]) == pytest.approx(15 / 2000, rel=0.01)
    assert not any("gains" in words for words in away.warnings)
    data["controller"]["gains"]["kd"], data["simulation"]["duration"] = 5000, 0.002
    assert any("gains are not stable" in w for w in gough.run(gough.Study.from_dict(data)).warnings)


def test_a_tool_opposite_the_point_of_a_surface_is_refused():
    """There is no smallest turn of the task axes from one to the other."""
    data = delta_study(kind="sphere", radius=0.4, point=[0, 0, -2.0], normal=[0, 0, -1])
    with pytest.raises(gough.InputError, match=r"plant.surface.normal: .*opposite.*task x and y"):
        gough.run(gough.Study.from_dict(data))


def test_a_tool_that_is_never_over_its_map_is_told():
    away = {"kind": "height-map", "size": [0.2, 0.2], "heights": [[0.0] * 4] * 4}
    data = delta_study(**away, point=[0.3, 0, -1.1])
    data["simulation"]["duration"] = 0.01
    run = gough.run(gough.Study.from_dict(data))
    assert np.isnan(run["contact_distance"]).all()
    assert (run["contact_force"] == 0).all()
    assert "the tool begins beyond the height map: there is no surface" in run.warnings


def test_force_control_on_a_surface_needs_one():
    data = delta_study(**BOWL)
    del data["plant"]
    with pytest.raises(gough.InputError, match=r"controller.task_frame: .*plant has no surface"):
        gough.Study.from_dict(data)
    data = delta_study(**BOWL)
    data["controller"] = {"kind": "joint-pid", "frequency": 4, "task_frame": "surface"}
    words = "task_frame: not used by joint-pid; only by implicit-force, hybrid-force"
    with pytest.raises(gough.InputError, match=words):
        gough.Study.from_dict(data)
    data = delta_study(kind="height-map", size=[0.3, 0.3], file="nowhere.csv")
    with pytest.raises(gough.InputError, match=r"plant.surface.file: .*no such file"):
        gough.Study.from_dict(data)
    with pytest.raises(gough.GoughError, match=r"selection is .*; expected 0 or 1"):
        hybrid_force([0] * 6, [2] * 6, 1, 1, 1, 1)


def test_a_file_of_heights_counts_from_the_folder_of_the_study(tmp_path):
    rows = [[0.0] * 5] * 5
    (tmp_path / "flat.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    data = delta_study(kind="height-map", size=[0.3, 0.3], file="flat.csv")
    study = gough.Study.from_dict(data, folder=tmp_path)
    assert study.plant.surface.shape.coefficients.shape == (7, 7)
