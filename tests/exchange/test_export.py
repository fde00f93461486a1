"""Exported dynamics in C: the kernel's forces to the last digits."""

import json
import os

import numpy as np
import pytest
from compiled_c import built, pointers, shown_by_example

import gough
from gough.errors import GoughError
from gough.exchange.source import export_kernels


@pytest.mark.parametrize("robot", ["kalani-2016", "demo-hexapod"])
def test_c_forces_are_the_kernels_on_ten_thousand_states(robot, tmp_path):
    robot = gough.load(robot)
    export_kernels(gough.Model(robot), tmp_path, ["inverse_dynamics"])
    function = built(tmp_path, "inverse_dynamics")
    rng = np.random.default_rng(0)
    n = 10_000
    position = np.array(robot.home[:3]) + rng.uniform(-0.1, 0.1, (n, 3))
    pose = gough.pose(position, rotation_vector=rng.uniform(-0.3, 0.3, (n, 3)))
    twist, acceleration, wrench = rng.normal(size=(3, n, 6))
    expected = gough.Model(robot).inverse_dynamics(pose, twist, acceleration, wrench)
    got = np.empty((n, 6))
    for k in range(n):
        function(*pointers(pose[k], twist[k], acceleration[k], wrench[k], got[k]))
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert (np.abs(got - expected) / scale).max() < 1e-13


def test_parametric_c_takes_the_robots_numbers_first(tmp_path):
    robot = gough.load("kalani-2016")
    export_kernels(gough.Model(robot, parametric=True), tmp_path, ["inverse_kinematics"])
    model = gough.Model(robot, parametric=True)
    header = (tmp_path / "inverse_kinematics.h").read_text()
    assert f"const double parameters[{len(model.parameters)}]," in header
    function = built(tmp_path, "inverse_kinematics")
    q = np.empty(6)
    home = np.array(robot.home)
    function(*pointers(model.parameters, home, q))
    np.testing.assert_array_equal(q, model.inverse_kinematics(model.parameters, home))


def test_the_parametric_example_of_a_robot_without_strokes_prints_its_lengths(tmp_path):
    robot = gough.load("kalani-2016")
    export_kernels(gough.Model(robot, parametric=True), tmp_path, ["inverse_kinematics"])
    expected = gough.Model(robot).inverse_kinematics(np.array(robot.home))
    printed = shown_by_example(tmp_path, "inverse_kinematics")
    np.testing.assert_allclose(printed["q"], expected, rtol=1e-15)


def test_a_singular_pose_is_nan_in_c_as_well(tmp_path):
    robot = gough.load("kalani-2016")
    export_kernels(gough.Model(robot), tmp_path, ["inverse_dynamics"])
    function = built(tmp_path, "inverse_dynamics")
    force, zero = np.empty(6), np.zeros(6)
    function(*pointers(gough.pose([0.05, 0.1, 0.0]), zero, zero, zero, force))
    assert np.isnan(force).all()


def test_what_is_no_kernel_cannot_be_exported(tmp_path):
    robot = gough.load("kalani-2016")
    with pytest.raises(GoughError, match="assembly_modes belongs to a model, but is not a") as e:
        export_kernels(gough.Model(robot), tmp_path, ["assembly_modes"])
    listed = "which can be exported as forward_kinematics can, are inverse_kinematics, jacobian"
    assert listed in str(e.value)
    with pytest.raises(
        GoughError, match=r"no kernel 'inverse_kinematic'; did you mean inverse_kin"
    ):
        export_kernels(gough.Model(robot), tmp_path, ["inverse_kinematic"])
    with pytest.raises(GoughError, match=r"no kernel '\.\./jacobian'"):
        export_kernels(gough.Model(robot), tmp_path / "inner", ["../jacobian"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("language", "dtype", "message"),
    [
        ("java", "float64", "cannot export to 'java'; expected one of 'c', 'cuda', 'js', 'wasm'"),
        ("cuda", "float16", "cannot export 'float16'; expected 'float64' or 'float32'"),
        ("cuda", "nonsense", "cannot export 'nonsense'"),
        ("js", "float32", "float32 is not for .js.; expected c, cuda, st, plcopen"),
    ],
)
def test_unknown_targets_are_refused(tmp_path, language, dtype, message):
    with pytest.raises(GoughError, match=message):
        export_kernels(
            gough.Model(gough.load("kalani-2016")),
            tmp_path,
            ["jacobian"],
            language=language,
            dtype=dtype,
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"robot": "delta"}, "needs a Robot, such as gough.load"),
        ({"kernels": "jacobian"}, "'jacobian' to export; expected a list of names, such as"),
        ({"kernels": 3}, "3 to export; expected a list of names, such as"),
        ({"kernels": []}, "no kernel to export; expected a list of names, such as"),
        ({"language": ["c"]}, r"cannot export to \['c'\]; expected one of 'c', 'cuda'"),
        ({"prefix": None}, "prefix is None; expected a word, such as 'delta_'"),
    ],
)
def test_what_is_of_another_kind_is_refused_by_its_name(tmp_path, given, message):
    usual = {"robot": gough.Model(gough.load("delta")), "kernels": ["jacobian"], "language": "c"}
    with pytest.raises(GoughError, match=message):
        export_kernels(**usual | given, directory=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(GoughError, match="cannot be written"):
            export_kernels(gough.Model(gough.load("kalani-2016")), place, ["jacobian"])
    assert (tmp_path / "file").read_text() == "mine"


EDITS = {
    "another line": lambda text: text + "/* mine */\n",
    "another number": lambda text: text.replace("6", "7", 1),
    "another end of lines": lambda text: text.replace("\n", "\r\n"),
    "cut off": lambda text: text[: len(text) // 2],
    "another checksum": lambda text: text.replace(", sha256 ", ", sha256 0", 1),
    "no checksum": lambda text: text.replace(", sha256 ", ", ", 1),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("language", ["c", "cuda"])
def test_a_file_that_was_edited_is_not_replaced(tmp_path, language, edit):
    def export():
        return export_kernels(
            gough.Model(gough.load("kalani-2016")), tmp_path, ["jacobian"], language=language
        ).paths

    for path in export():
        made = path.read_bytes()
        edited = EDITS[edit](made.decode()).encode()
        assert edited != made
        path.write_bytes(edited)
        before = {other: other.read_bytes() for other in tmp_path.iterdir()}
        with pytest.raises(GoughError, match=f"{path.name}: changed since Gough made it; move it"):
            export()
        assert {other: other.read_bytes() for other in tmp_path.iterdir()} == before
        path.write_bytes(made)
    export()


def test_the_checksum_is_in_the_comment_of_the_signature(tmp_path):
    _, signature = export_kernels(
        gough.Model(gough.load("kalani-2016")), tmp_path, ["jacobian"], language="cuda"
    ).paths
    comment = json.loads(signature.read_text())["comment"]
    assert comment.startswith(f"made by Gough {gough.__version__}, sha256 ")


@pytest.mark.posix
def test_nobody_waits_for_a_pipe_in_the_place_of_a_file(tmp_path):
    os.mkfifo(tmp_path / "jacobian.c")
    with pytest.raises(GoughError, match=r"jacobian\.c: not made by Gough"):
        export_kernels(gough.Model(gough.load("kalani-2016")), tmp_path, ["jacobian"])
    assert [path.name for path in tmp_path.iterdir()] == ["jacobian.c"]


@pytest.mark.parametrize("language", ["c", "cuda", "js", "st"])
def test_a_robots_name_neither_ends_a_comment_nor_begins_one(language, tmp_path):
    robot = gough.load("kalani-2016").replace(name="a */ /* b *) (* c /*/ d")
    paths = export_kernels(
        gough.Model(robot), tmp_path, ["inverse_kinematics"], language=language
    ).paths
    for path in (path for path in paths if path.suffix != ".json"):
        line = next(line for line in path.read_text().splitlines() if "fingerprint" in line)
        told = line.removeprefix("/* ").removeprefix("(* ").removesuffix(" */").removesuffix(" *)")
        ends = {"*)", "(*"} if language == "st" else {"*/", "/*"}
        assert robot.fingerprint[:16] in told
        assert not any(end in told for end in ends)
    if language == "c":
        shown_by_example(tmp_path, "inverse_kinematics")
