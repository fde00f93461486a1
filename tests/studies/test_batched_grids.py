"""Points of grids that are computed in batches come to what each comes to by itself, bit by bit."""

import pickle
from math import prod

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.studies.batched import BatchedGrid, Change, changed_rows, independent_axes
from gough.studies.grid import GridRows, run_grid
from gough.studies.run import run_one
from gough.studies.study import Study

STUDY = {
    "schema": "gough-study/1",
    "name": "together",
    "robot": "demo-hexapod",
    "samples": 41,
    "outputs": {"quantities": ["legs", "forces", "drives", "singularity"]},
    "motion": {
        "kind": "expression",
        "duration": 2,
        "x": "0.11*sin(pi*t)",
        "z": "0.99",
        "roll": "8*deg*sin(pi*t)",
        "yaw": "0",
    },
    "tasks": [
        {"kind": "payload", "mass": 20, "center_of_mass": [0, 0, 0.2]},
        {"kind": "machining", "force": 300, "lever": 0.25},
    ],
}
LATE = {"kind": "payload", "mass": 30, "active": ["0.5 s", "1.5 s"]}
POOL = {
    "robot.platform.mass": ["150 kg", 900, -3],
    "robot.platform.center_of_mass": [[0, 0, 0.1], [0.1, 0, 0]],
    "robot.symmetric.base_radius": ["75 cm", 0.8, 9],
    "robot.symmetric.platform_radius": [0.5, 0.45],
    "robot.leg.max_force": [800, 2500],
    "robot.leg.stroke": [[0.76, 1.16], [0.9, 1.1], [1.2, 1.3]],
    "robot.leg.drive.inductance": ["5 mH", "50 mH"],
    "robot.leg.cylinder.mass": [9, 12, 0.5],
    "robot.legs[2].max_speed": [0.1, 0.5],
    "robot.gravity": [[0, 0, -9.81], [0, 0, -1.62]],
    "robot.platform.home.position": [[0, 0, 0.99], [0, 0, 1.0]],
    "motion.duration": [2, "1500 ms", -1],
    "motion.yaw": ["0", "0.2*sin(pi*t)", "2*sin(pi*t)"],
    "tasks[0].mass": [20, 200, -5],
    "tasks[1]": [{"kind": "machining", "force": 50, "lever": 0.1}, LATE],
    "samples": [41, 30],
    "analysis": ["dynamic", "static"],
}
ROBOT_WITH_LEGS = gough.load("demo-hexapod").written.in_full | {"legs": [{} for _ in range(6)]}


def grid_of(axes, **more):
    """A study of values by path."""
    variations = [{"parameter": path, "values": values} for path, values in axes.items()]
    return Study.from_dict(STUDY | {"robot": ROBOT_WITH_LEGS} | more | {"variations": variations})


def batched(study):
    grid = BatchedGrid(study.variant, study.variations, study.robot)
    return grid(range(prod(study.shape)))


def computed_alone(study, index):
    """The results of one point, or its error."""
    try:
        return run_one(study.variant(index), threads=1), ""
    except GoughError as error:
        return None, str(error)


def check_one_by_one(study):
    """Every point of the grid is what the study of that point comes to."""
    results = run_grid(study)
    for index, place in enumerate(np.ndindex(study.shape)):
        alone, error = computed_alone(study, index)
        assert results.errors[index] == error
        if alone is None:
            continue
        assert results.warnings[index] == alone.warnings
        assert results.singularities[place] == len(alone.singularities)
        for name, figure in results.figures.items():
            scalar = alone.summary.get(name)
            value, legs = (scalar.value, scalar.per_leg) if scalar else (np.nan, ())
            np.testing.assert_array_equal(figure.values[place], value, name)
            if figure.per_leg is not None:
                np.testing.assert_array_equal(figure.per_leg[place], legs or np.nan, name)
            if scalar:
                assert (figure.unit, figure.meaning) == (scalar.unit, scalar.meaning)
    return results


@pytest.mark.parametrize("seed", range(3))
def test_random_grids_are_what_their_points_are(seed):
    random = np.random.default_rng(seed)
    paths = random.choice(list(POOL), size=3, replace=False).tolist()
    check_one_by_one(grid_of({path: POOL[path] for path in paths}))


def test_numbers_of_robot_motion_and_tasks_are_computed_together():
    axes = ("robot.platform.mass", "motion.duration", "tasks[0].mass", "robot.leg.max_force")
    study = grid_of({path: POOL[path][:2] for path in axes})
    assert len(batched(study)) == prod(study.shape)
    results = check_one_by_one(study)
    assert results.feasible.any()
    assert not results.feasible.all()


def test_a_point_that_fails_leaves_the_others_together():
    study = grid_of({path: POOL[path] for path in ("robot.platform.mass", "robot.leg.stroke")})
    assert set(batched(study)) == {0, 1, 3, 4}
    errors = np.array(check_one_by_one(study).errors).reshape(study.shape)
    assert all("mass" in error for error in errors[2])
    assert all("stroke" in error for error in errors[:2, 2])


def test_points_that_meet_singular_configurations_are_computed_alone():
    study = grid_of({"motion.yaw": POOL["motion.yaw"], "robot.platform.mass": [150, 160]})
    assert set(batched(study)) == {0, 1, 2, 3}
    results = check_one_by_one(study)
    np.testing.assert_array_equal(results.singularities > 0, [[False] * 2] * 2 + [[True] * 2])


def test_a_load_that_is_picked_up_on_the_way_is_computed_alone():
    study = grid_of({"robot.platform.mass": [150, 160]}, tasks=[LATE])
    assert not batched(study)
    check_one_by_one(study)


@pytest.mark.parametrize(
    ("robot", "way", "axes"),
    [
        (
            "delta",
            [0.05, 0, 0],
            {
                "robot.leg.links[1].mass": [0.16, 0.5],
                "robot.leg.motor.max_torque": [130, 3],
                "tasks": [[], [{"kind": "payload", "mass": 2}]],
            },
        ),
        ("orthoglide", [0.02, 0.01, 0], {"robot.gravity": [[0, 0, -9.81], [0, -9.81, 0]]}),
        ("planar-3rrr", [0.02, 0.01, 0], {"robot.platform.inertia": [[1, 1, 1], [2, 2, 2]]}),
        ("tricept", [0, 0, 0.05], {"robot.legs[0].links[0].mass": [1, 2]}),
        ("hexaglide", [0.02, 0.01, 0.01], {"analysis": ["static", "dynamic"]}),
        ("five-bar", [0.01, 0.01, 0], {}),
    ],
)
def test_machines_of_every_kind_are_computed_in_batches(robot, way, axes):
    motion = {"kind": "line", "displacement": way, "duration": 1, "profile": "quintic"}
    axes |= {"robot.platform.mass": [1, 3], "motion.duration": [1, 0.3]}
    study = grid_of(axes, robot=robot, motion=motion, tasks=[])
    assert len(batched(study)) == prod(study.shape)
    check_one_by_one(study)


def test_a_geometry_of_another_machine_has_a_batch_of_its_own():
    motion = {"kind": "line", "displacement": [0.05, 0, 0], "duration": 1, "profile": "quintic"}
    axes = {"robot.leg.links[1].length": [1.244, 1.25], "robot.platform.mass": [1, 3]}
    study = grid_of(axes, robot="delta", motion=motion, tasks=[])
    assert len(batched(study)) == 4
    check_one_by_one(study)


def test_a_chunk_of_one_has_the_same_bits_as_one_of_many():
    study = grid_of({path: POOL[path][:2] for path in ("robot.platform.mass", "robot.gravity")})
    rows = GridRows(study.points, study.variations, study.robot)
    many = rows(range(4))
    for index in range(4):
        alone = rows(range(index, index + 1))
        np.testing.assert_array_equal(alone["numbers"][0], many["numbers"][index])
    copy = pickle.loads(pickle.dumps(rows))  # what a worker gets
    np.testing.assert_array_equal(copy(range(4))["numbers"], many["numbers"])


def test_axes_that_are_checked_with_each_other_are_of_one_group():
    axes = ("robot.leg.stroke", "robot.platform.mass", "robot.symmetric.base_radius", "tasks[0]")
    study = grid_of({path: POOL.get(path, [LATE]) for path in axes})
    assert sorted(group.axes for group in independent_axes(study.variations, hexapod=True)) == [
        (0,),
        (1, 3),
        (2,),
    ]


def test_a_study_is_made_once_for_each_value_however_many_there_are():
    masses, made = np.linspace(100, 190, 40).tolist(), []
    study = grid_of({"motion.duration": [2, 1.5], "robot.platform.mass": masses}, samples=5)
    grid = BatchedGrid(
        lambda index: made.append(index) or study.variant(index), study.variations, study.robot
    )
    assert sum(len(grid(range(k, k + 20))) for k in range(0, 80, 20)) == 80
    assert set(made) == {*range(41)}  # the first duration with each mass, and the second
    assert len(made) <= 43  # that of the first point is needed again


def test_rows_in_which_two_groups_change_the_same_number_are_told():
    a, b, d = (Change(np.array([k]), np.array([x])) for k, x in ((0, 1.0), (1, 2.0), (3, 4.0)))
    groups = [([a, b], np.array([0, 0, 1])), ([a, d], np.array([0, 1, 1]))]
    rows, fit = changed_rows(np.zeros(4), groups)
    np.testing.assert_array_equal(fit, [False, True, True])
    np.testing.assert_array_equal(rows[1:], [[1, 0, 0, 4], [0, 2, 0, 4]])


def test_legs_that_fit_only_together_or_apart_are_told_as_ever():
    """Joints at base and platform are varied apart, and a stroke ends between their lengths."""
    radii = [0.5, 0.53, 0.56]
    study = grid_of(
        {
            "robot.symmetric.base_radius": [0.75, 0.78, 0.81],
            "robot.symmetric.platform_radius": radii,
            "robot.leg.stroke": [[0.7, 1.2], [0.8, 0.97]],
        }
    )
    errors = check_one_by_one(study).errors
    assert any("stroke" in error for error in errors)
    assert 9 <= len(batched(study)) < len(errors)


def test_a_defect_of_the_evaluation_is_not_taken_for_a_point_that_must_be_computed_alone(
    monkeypatch,
):
    def broken(*_, **__):
        raise GoughError("defect")

    monkeypatch.setattr("gough.studies.batched.evaluate", broken)
    with pytest.raises(GoughError, match="defect"):
        batched(grid_of({"robot.platform.mass": [150, 160]}))


def test_a_grid_of_which_no_point_can_be_made_is_refused_after_a_few_of_them(monkeypatch):
    tried = []
    monkeypatch.setattr(
        "gough.studies.study.point", lambda *_: tried.append(1) or STUDY | {"robot": {}}
    )
    masses = {"from": -2, "to": -1, "count": 1000}
    variations = [
        {"parameter": f"robot.platform.{key}", "name": key, "range": masses}
        for key in ("mass", "inertia[0]")
    ]
    with pytest.raises(GoughError):
        Study.from_dict(STUDY | {"variations": variations})
    assert len(tried) <= 200


def test_a_grid_whose_possible_points_were_not_tried_is_refused_in_these_words():
    """What helps, it says: the first values are tried always."""
    masses = [*np.linspace(-2, -1, 1999), 150.0]
    within = [*masses[:2], 150.0, *masses[2:-1]]
    words = (
        r"(?s)platform\.mass.*variations: none of 200 points spread evenly over the grid can be "
        r"made, and the other 1,800 were not tried; expected values that can be made as the first"
    )
    with pytest.raises(GoughError, match=words):
        grid_of({"robot.platform.mass": within})
    assert grid_of({"robot.platform.mass": masses[::-1]}).shape == (2000,)


def test_a_grid_of_which_all_points_were_tried_says_what_is_wrong_alone():
    with pytest.raises(GoughError, match=r"platform\.mass") as found:
        grid_of({"robot.platform.mass": [-1.0, -2.0, -3.0]})
    assert "tried" not in str(found.value)
