"""Films of machines in motion: as many frames as they last, each with its own picture."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.motion import Quintic, line
from gough.plots import save_film

Image = pytest.importorskip("PIL.Image")


def frames(path):
    with Image.open(path) as film:
        found = []
        for k in range(film.n_frames):
            film.seek(k)
            found.append((film.info["duration"], np.asarray(film.convert("L"))))
        return found


def test_a_film_lasts_as_long_as_the_motion_and_shows_it(tmp_path):
    robot = gough.load("delta")
    time = np.linspace(0.0, 0.3, 301)
    path = line(robot.home, [0.05, 0, 0], Quintic(0.3))
    save_film(robot, time, path(time).pose, tmp_path / "film.gif")
    found = frames(tmp_path / "film.gif")
    assert [duration for duration, _ in found] == [50] * 7
    first, last = found[0][1], found[-1][1]
    assert (first != last).any()
    assert all(0.01 < (picture < 200).mean() < 0.5 for _, picture in found)


def test_other_kinds_of_films_are_refused(tmp_path):
    robot = gough.load("five-bar")
    with pytest.raises(GoughError, match="expected a name that ends in gif"):
        save_film(robot, np.arange(2.0), np.array([robot.home] * 2), tmp_path / "film.mov")
    away = np.array([robot.home, [9, 9, 0, 1, 0, 0, 0]])
    with pytest.raises(GoughError, match="does not reach its pose at 1 s"):
        save_film(robot, np.arange(2.0), away, tmp_path / "film.gif")
    assert not list(tmp_path.iterdir())
