"""Study files: what they may say, and one clear line for each thing that is wrong."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from study_samples import LINE, SWING, data

import gough
from gough.analysis.quantities import QUANTITIES
from gough.fields.changes import changed, scaled
from gough.studies.run import run
from gough.studies.study import Study

STUDIES = sorted((Path(__file__).parents[2] / "studies").glob("*.toml"))
VARIED = {"parameter": "motion.duration", "values": [1, 2]}


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_of_the_repository_can_be_read(path):
    study = Study.load(path)
    assert study.name == path.stem
    assert study.notes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "gough-study/2"}, "schema: not known, got 'gough-study/2'; expected \"gough"),
        ({"robots": "x"}, r'robots: unknown key \(did you mean "robot"\?\)'),
        ({"robot": "demo-hexapot"}, 'robot: demo-hexapot: no such file.*nearest: "demo-hexapod"'),
        ({"robot": 3}, "robot: not known, got 3"),
        ({"robot": {"schema": "gough/1"}}, "robot.name: missing"),
        ({"motion": "fast"}, "motion: not a table, got 'fast'"),
        ({"motion": {}}, "motion.kind: missing"),
        ({"motion": LINE | {"duration": -1}}, "motion.duration: out of range, got -1"),
        ({"motion": SWING | {"x": "0.1*foo(t)"}}, "motion.x"),
        ({"tasks": {"kind": "payload"}}, "tasks: not a list"),
        ({"tasks": [3]}, r"tasks\[0\]: not a table"),
        ({"tasks": [{"kind": "payload", "mass": "3 m"}]}, r'tasks\[0\].mass: "3 m" is a length'),
        ({"samples": 1}, "samples: out of range, got 1; expected a whole number from 2"),
        ({"samples": 2.5}, "samples: not a whole number, got 2.5"),
        ({"rate": "0 Hz", "samples": None}, "rate: out of range"),
        ({"rate": 100}, "samples and rate: given twice"),
        ({"analysis": "quick"}, 'analysis: not known.*"dynamic" or "static"'),
        ({"balance": {"mass": -1}}, "balance.mass: out of range"),
        ({"outputs": {"quantities": ["forse"]}}, "did you mean force"),
        ({"outputs": {"quantities": []}}, "outputs.quantities: not a list of names"),
        ({"outputs": {"csv": "yes"}}, "outputs.csv: not known, got 'yes'; expected true or false"),
        ({"changes": {"robot.platform.maas.x": 3}}, 'there is no "maas".*did you mean mass'),
        ({"changes": {"robot..mass": 3}}, "is not a path to a parameter"),
        ({"changes": {"tasks[7].mass": 3}}, r"tasks\[7\].mass: there is no item \[7\].*list of 2"),
        ({"changes": {"robot.platform.mass": "3 m"}}, 'robot.platform.mass: "3 m" is a length'),
        ({"variations": [{"values": [1]}]}, r"variations\[0\].parameter: missing"),
        ({"variations": [{"parameter": 3, "values": [1]}]}, "parameter: not a parameter, got 3"),
        (
            {"variations": [{"parameter": "samples"}]},
            r"variations\[0\]: no values; expected one of",
        ),
        ({"variations": [VARIED | {"factors": [1]}]}, "given twice: values, factors"),
        ({"variations": [VARIED | {"values": []}]}, "values: not a list"),
        ({"variations": [{"parameter": "samples", "factors": ["2 m"]}]}, "not a number.*'2 m'"),
        ({"variations": [VARIED | {"labels": ["a"]}]}, "labels: 1 labels; expected 2"),
        ({"variations": [VARIED, VARIED]}, 'two are called "motion.duration"'),
        ({"variations": [VARIED | {"parameter": "motion.d.x"}]}, 'motion.d.x: there is no "d"'),
        (
            {
                "variations": [
                    {"parameter": "samples", "range": {"from": 1, "to": "2 m", "count": 2}}
                ]
            },
            "not a range",
        ),
        (
            {"variations": [{"parameter": "samples", "range": {"from": 1, "to": 2, "count": 1}}]},
            r"range.count: out of range, got 1; expected a whole number from 2 to 1,000,000",
        ),
        (
            {
                "variations": [
                    {"parameter": "samples", "range": {"from": 1, "to": 2, "count": 1_000_001}}
                ]
            },
            "got 1000001; expected a whole number from 2 to 1,000,000",
        ),
    ],
)
def test_bad_studies_are_refused_in_one_line(change, words):
    written = {k: v for k, v in data(**change).items() if v is not None}
    with pytest.raises(gough.GoughError, match=words) as error:
        Study.from_dict(written)
    assert len(str(error.value).splitlines()) == 1 + len(getattr(error.value, "others", ()))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.toml", b"name = ", "not valid TOML"),
        ("bad.toml", b"\xff\xfe", "not UTF-8 text"),
        ("bad.toml", b" \n", "the file is empty"),
        ("bad.toml", b'schema = "gough-study/1"', "name: missing"),
        ("bad.json", b'schema = "gough-study/1"', "not valid JSON"),
        ("bad.JSON", b'{"schema": "gough-study/1"}', "name: missing"),
        ("bad.json", b"[1, 2]", "not a table of keys and values.*expected a study file"),
        ("bad.json", b"[" * 100_000, "not valid JSON"),
    ],
)
def test_bad_files_are_named(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(gough.GoughError, match=words) as error:
        Study.load(path)
    assert str(error.value).startswith(str(path))


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(gough.GoughError, match="no such file; expected a study file"):
        Study.load(tmp_path / "none.toml")
    with pytest.raises(gough.GoughError, match="a directory; expected a study file"):
        Study.load(tmp_path)


def test_paths_in_a_study_count_from_its_folder(tmp_path):
    gough.save(gough.load("kalani-2016"), tmp_path / "mine.toml")
    rows = [f"{k / 10},0.0{k % 3},1" for k in range(9)]
    (tmp_path / "way.csv").write_text("\n".join(["t,x,z", *rows]))
    (tmp_path / "study.toml").write_text(
        'schema = "gough-study/1"\nname = "here"\nrobot = "mine.toml"\n[motion]\n'
        'kind = "recorded"\nfile = "way.csv"\nposition_noise = "5 mm"\nangle_noise = 0\n'
    )
    study = Study.load(tmp_path / "study.toml")
    assert study.robot.name == "kalani-2016"
    assert study.motion.duration == pytest.approx(0.8)
    again = Study.from_dict(study.resolved())  # from anywhere
    np.testing.assert_array_equal(run(again)["force"], run(study)["force"])


def test_a_resolved_study_runs_to_the_same_numbers():
    first = run(data(changes={"robot.platform.mass": "120 kg"}))
    second = run(first.study)
    np.testing.assert_array_equal(second["force"], first["force"])
    assert first.robot.platform.mass == 140.0
    assert second.study == first.study


def test_the_study_in_a_folder_of_results_runs_as_it_is(tmp_path):
    first = run(data(changes={"robot.platform.mass": "120 kg"}))
    first.save(tmp_path / "results")
    second = run(tmp_path / "results" / "study.json")
    np.testing.assert_array_equal(second["force"], first["force"])


def test_a_simulation_may_be_written_in_json(tmp_path):
    path = STUDIES[0].parent / "simulation" / "demo-pid.toml"
    (tmp_path / "pid.json").write_text(json.dumps(tomllib.loads(path.read_text())))
    written, same = (gough.Study.load(p) for p in (path, tmp_path / "pid.json"))
    assert same.simulation == written.simulation
    assert same.written == written.written
    assert same.controller.name == written.controller.name


def test_a_rate_has_at_least_so_many_samples_a_second():
    motion = LINE | {"duration": 1.05}
    written = data(motion=motion, rate="100 Hz")
    del written["samples"]
    study = Study.from_dict(written)
    times = study.times()
    assert len(times) == 106
    assert times[-1] == 1.05
    assert np.diff(times).max() <= 0.01 + 1e-12


def test_changes_copy_what_they_touch_and_nothing_else():
    before = {"a": {"b": [1, {"c": 2}]}, "d": {"e": 3}}
    after = changed(before, "a.b[1].c", 5)
    assert after["a"]["b"][1]["c"] == 5
    assert before["a"]["b"][1]["c"] == 2
    assert after["d"] is before["d"]
    assert changed(before, "d.new", 1)["d"] == {"e": 3, "new": 1}


def test_factors_multiply_numbers_units_and_lists():
    before = {"a": ["2 lb", 3, [4.0]], "b": "text"}
    assert scaled(before, "a", 2)["a"] == ["4.0 lb", 6, [8.0]]
    with pytest.raises(gough.GoughError, match="b: 'text' cannot be multiplied"):
        scaled(before, "b", 2)


def test_the_study_in_the_documentation_can_be_read():
    text = (Path(__file__).parents[2] / "docs" / "how-to" / "studies.md").read_text()
    written = tomllib.loads(text.split("```toml")[1].split("```")[0])
    documented = Study.from_dict(written)
    assert documented.shape == (2, 2, 4)
    assert documented.robot.platform.mass == 120.0
    assert documented.balance.mass == 5.0


def test_the_documentation_names_every_group_and_quantity():
    text = (Path(__file__).parents[2] / "docs" / "how-to" / "studies.md").read_text(
        encoding="utf-8"
    )
    rows = {row.split("`")[1]: row for row in text.splitlines() if row.startswith("| `")}
    for name, quantity in QUANTITIES.items():
        assert f"`{name}`" in rows[quantity.group]


def complaint(written):
    with pytest.raises(gough.InputError) as error:
        Study.from_dict(written)
    return error.value


def test_all_that_is_wrong_is_said_at_once():
    wrong = {"samples": "many", "analysis": "quick", "outputs": {"csv": 3}, "colour": "red"}
    keys = [problem.key for problem in complaint(data(**wrong)).problems]
    assert keys == ["colour", "samples", "analysis", "outputs.csv"]
    wrong = {"motion": LINE | {"displacement": 3}, "tasks": [{"kind": "payload", "mass": "3 m"}]}
    keys = [problem.key for problem in complaint(data(**wrong)).problems]
    assert keys == ["motion.displacement", "tasks[0].mass"]
    wrong = {"variations": [{"values": [1]}, {"parameter": "samples"}]}
    keys = [problem.key for problem in complaint(data(**wrong)).problems]
    assert keys == ["variations[0].parameter", "variations[1]"]


def test_an_error_has_its_parts(tmp_path):
    (tmp_path / "study.json").write_text(json.dumps(data(motion=LINE | {"duration": -1})))
    with pytest.raises(gough.InputError) as caught:
        Study.load(tmp_path / "study.json")
    error = caught.value
    assert (error.file, error.key, error.value) == (
        tmp_path / "study.json", "motion.duration", -1,
    )  # fmt: skip
    assert error.expected == "a time, above 0 s"


def test_a_robot_is_no_study(tmp_path):
    gough.save(gough.load("kalani-2016"), tmp_path / "mine.toml")
    with pytest.raises(gough.InputError) as refused:
        Study.load(tmp_path / "mine.toml")
    assert refused.value.problem == "a robot, not a study"
    assert refused.value.file == tmp_path / "mine.toml"
    assert refused.value.expected.startswith("a study file")


def test_a_study_is_no_robot():
    with pytest.raises(gough.RobotError) as refused:
        gough.load(STUDIES[0])
    assert refused.value.problem == "a study, not a robot"
    assert refused.value.expected.startswith("a robot file")


def test_data_may_be_numpy_arrays_but_not_any_object():
    study = Study.from_dict(data(motion=LINE | {"displacement": np.array([0, 0, 0.1])}))
    assert study.motion(0.0).pose.shape == (7,)
    assert complaint(data(motion=LINE | {"displacement": object()})).key == "motion.displacement"


@pytest.mark.parametrize("name", ["a\0b", "a\x1b[31mb", "a\nb", "a" * 300, "\u202eabc"], ids=ascii)
def test_names_are_good_for_folders(name):
    assert complaint(data(name=name)).key == "name"


@pytest.mark.parametrize("value", [True, "4", 4.0])
def test_a_count_is_a_whole_number(value):
    parts = {"kind": "sequence", "parts": [LINE], "repeat": value}
    assert complaint(data(motion=parts)).key == "motion.repeat"
    assert complaint(data(samples=value)).key == "samples"


def test_a_rate_that_never_ends_is_refused():
    written = data(rate=1e30)
    del written["samples"]
    assert complaint(written).key == "rate"
