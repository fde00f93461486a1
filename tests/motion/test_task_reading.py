"""How a study file says its tasks, and what is refused."""

import tomllib

import numpy as np
import pytest
from motion_checks import HOME

import gough
from gough.motion import (
    Machining,
    MotionError,
    Payload,
    tasks_from_list,
)

ROBOT = gough.load("kalani-2016")


def tasks(text, **more):
    return tasks_from_list(tomllib.loads(text)["tasks"], ROBOT, **more)


def test_tasks_are_read_with_units():
    mill, load = tasks("""
        [[tasks]]
        kind = "machining"
        force = "200 lbf"
        lever = "6 in"
        teeth = 4

        [[tasks]]
        kind = "payload"
        mass = "150 lb"
        center_of_mass = [0, 0, "3 in"]
        inertia = ["10 lb ft^2", "10 lb ft^2", "15 lb ft^2"]
    """)
    assert isinstance(mill, Machining)
    assert mill.force == pytest.approx(889.644, abs=1e-3)
    assert mill.contact.point == pytest.approx((0, 0, 0.1524))
    assert isinstance(load, Payload)
    assert load.mass == pytest.approx(68.0389, abs=1e-4)


def test_machining_from_its_factors():
    (mill,) = tasks("""
        [[tasks]]
        kind = "machining"
        specific_force = "1500 N/mm^2"
        depth = "2 mm"
        feed_per_tooth = "0.1 mm"
        form = "teeth"
        spindle_speed = "3000 rpm"
        point = [0, 0, 1.2]
        point_frame = "base"
    """)
    assert mill.tooth_force(np.array(0.0)) == pytest.approx(300)
    assert mill.spindle_speed == pytest.approx(100 * np.pi)


def test_every_kind_of_load_is_read(tmp_path):
    (tmp_path / "wind.csv").write_text("t [ms],fx [kN],mz [N m]\n0,0,0\n1000,1,2")
    found = tasks(
        """
        [[tasks]]
        kind = "constant"
        force = [1, 0, 0]
        moment = [0, 0, "2 N m"]
        [[tasks]]
        kind = "constant"
        force = ["1 kN", 0, 0]
        point = [0, 0, "10 cm"]
        frame = "platform"
        active = [0, "1 s"]
        [[tasks]]
        kind = "sinusoidal"
        frequency = "2 Hz"
        force = [0, 0, 10]
        [[tasks]]
        kind = "table"
        times = [0, 1, "2 s"]
        forces = [[0, 0, 0], [0, 0, "5 N"], [0, 0, 0]]
        [[tasks]]
        kind = "table"
        file = "wind.csv"
        [[tasks]]
        kind = "polishing"
        normal_force = 20
        friction = 0.3
        lever = 0.1
        """,
        folder=tmp_path,
    )
    samples = gough.motion.MotionSamples(HOME, np.zeros(6), np.zeros(6))
    wrenches = np.array([task.wrench(0.5, samples) for task in found])
    assert wrenches[0] == pytest.approx([1, 0, 0, 0, 0, 2])
    assert wrenches[1] == pytest.approx([1000, 0, 0, 0, 100, 0])
    assert wrenches[2] == pytest.approx(np.zeros(6), abs=1e-13)
    assert wrenches[3] == pytest.approx([0, 0, 2.5, 0, 0, 0])
    assert wrenches[4] == pytest.approx([500, 0, 0, 0, 0, 1])
    assert wrenches[5] == pytest.approx([0, 0, -20, 0, 0, 0])


def test_a_wrong_table_of_loads_names_the_line_of_its_file(tmp_path):
    (tmp_path / "wind.csv").write_text("# wind\nt,fx\n0,0\n1,0\n1,3")
    with pytest.raises(MotionError) as caught:
        tasks('[[tasks]]\nkind = "table"\nfile = "wind.csv"', folder=tmp_path)
    assert "wind.csv: line 5: the time is not after" in caught.value.problem
    assert caught.value.key == "tasks[0].file"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"kind": "milling"}], "tasks[0].kind: not known"),
        ([{}], "tasks[0].kind: missing"),
        ([3], "tasks[0]: not a table"),
        ({"kind": "constant"}, "tasks: not a list"),
        ([{"kind": "constant", "force": ["1 m", 0, 0]}], "tasks[0].force[0]: "),
        ([{"kind": "constant", "frame": "tool"}], "tasks[0].frame: not known"),
        ([{"kind": "sinusoidal", "frequency": 0}], "tasks[0].frequency: out of range"),
        ([{"kind": "table"}], "tasks[0].times: not a list"),
        ([{"kind": "table", "times": [1, 0]}], "tasks[0].times[1]: the time is not after"),
        (
            [{"kind": "table", "times": [0, 1], "forces": [[0, 0, 0]]}],
            "tasks[0].forces: has shape (1, 3); expected an array of shape (2, 3)",
        ),
        ([{"kind": "payload", "mass": -1}], "tasks[0].mass: out of range"),
        ([{"kind": "polishing", "normal_force": 1}], "tasks[0].friction: missing"),
        (
            [{"kind": "polishing", "normal_force": 1, "friction": 0, "lever": 1,
              "point": [0, 0, 1]}],
            "tasks[0].lever: given twice",
        ),
        (
            [{"kind": "polishing", "normal_force": 1, "friction": 0, "lever": 1,
              "point_frame": "base"}],
            "tasks[0].lever: a lever is fixed in the platform",
        ),
        ([{"kind": "machining"}], "tasks[0].specific_force: missing"),
        ([{"kind": "constant", "active": [2, 1]}], "tasks[0].active: ends before"),
    ],
)  # fmt: skip
def test_a_wrong_task_is_refused_in_one_line(data, message):
    with pytest.raises(MotionError) as caught:
        tasks_from_list(data, ROBOT)
    assert str(caught.value).startswith(message)
