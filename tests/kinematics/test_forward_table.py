"""The study of starts and methods: Kalani's Table 1 and Fig. 6, and its picture."""

import numpy as np
import pytest
from forward_samples import at_the_end_of_its_strokes

from benchmarks import forward_table
from benchmarks.forward_table import ACCURACIES, forward_study, main, study_path
from gough.errors import GoughError
from gough.kinematics.model import Model
from gough.poses import euler
from gough.robot import load

COUNT = 2000


@pytest.fixture(scope="module")
def study():
    return forward_study(Model(load("kalani-2016")), samples=COUNT)


def means(study, poses):
    return {(m.way, m.accuracy): m.mean_iterations for m in study.of(poses)}


def test_every_pose_is_found_by_every_way(study):
    assert len(study.measurements) == 5 + 2 * 3 * len(ACCURACIES)
    for m in study.measurements:
        assert m.right == 1.0
        assert sum(m.iterations) == m.count
        assert 0 < m.time < 1e-3
    assert {(m.poses, m.count) for m in study.measurements} == {
        ("path", 201),
        ("random", 201),
        ("many", COUNT),
    }


def test_newton_takes_as_many_steps_on_the_path_as_in_the_table(study):
    """5.6 and 5.74 in the paper; 5.2 to 5.6 in an independent check, also from the third guess."""
    found = [m.mean_iterations for m in study.of("path") if m.way.startswith("Newton")]
    assert len(found) == 3
    assert all(5.0 < n < 5.8 for n in found)
    longest = [len(m.iterations) - 1 for m in study.of("path") if m.way.startswith("Newton")]
    assert max(longest) <= 7


def test_the_hybrid_takes_at_most_the_steps_of_the_table(study):
    """N = 3.82 in the paper."""
    (hybrid,) = (m for m in study.of("path") if m.way == "neural + third order")
    assert hybrid.mean_iterations <= 3.82


def test_newton_is_distributed_as_in_the_figure(study):
    """At 1e-6: 66 % of the poses in four iterations, 30 % in five, the rest in more."""
    (newton,) = (m for m in study.of("many") if m.way == "Newton" and m.accuracy == 1e-6)
    share = 100 * np.array(newton.iterations) / newton.count
    assert share[4] == pytest.approx(66, abs=6)
    assert share[5] == pytest.approx(30, abs=6)
    assert share[:4].sum() + share[6:].sum() < 2


def test_each_refinement_saves_iterations_at_every_accuracy(study):
    for poses in ("random", "many"):
        n = means(study, poses)
        for e in ACCURACIES:
            newton, hybrid, modified = (
                n[way, e] for way in ("Newton", "neural + Newton", "neural + third order")
            )
            assert modified <= hybrid + 1e-9
            assert hybrid < newton - 0.9


def test_the_path_is_that_of_the_paper():
    path, scale = study_path(Model(load("kalani-2016")))
    assert scale == 1.0
    s = np.sin(2 * np.linspace(0, 4, 201))
    expected = np.stack([0.1 * s, 0.2 * s, 1 + 0.2 * s], -1)
    np.testing.assert_allclose(path[:, :3], expected, atol=3e-6)  # the base's radius is 0.99999 m
    angles = np.stack([0.25 * s, 0.15 * s, 0.25 * s], -1)
    np.testing.assert_allclose(euler(path, "XYZ"), angles, atol=1e-12)


def test_the_path_shrinks_until_it_fits_the_strokes():
    path, scale = study_path(Model(load("bingul-2012")))
    assert 0.05 <= scale < 1
    model = Model(load("bingul-2012"))
    low, high = model.robot.legs[0].stroke
    q = model.inverse_kinematics(path)
    assert low <= q.min() < q.max() <= high


def test_no_room_and_no_samples_are_errors():
    with pytest.raises(GoughError, match="no room for the path"):
        study_path(Model(at_the_end_of_its_strokes("kalani-2016")))
    with pytest.raises(GoughError, match="samples is 0"):
        forward_study(Model(load("bingul-2012")), samples=0)


def test_the_command_prints_the_tables_and_saves_the_picture(study, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(forward_table, "forward_study", lambda *_, **__: study)
    main(["kalani-2016", "--plot", str(tmp_path / "study.png")])
    text = capsys.readouterr().out
    for words in ("Table 1", "201 random poses", f"{COUNT} random poses", "neural + third order"):
        assert words in text
    assert (tmp_path / "study.png").stat().st_size > 10_000
