"""Lengths at singular poses: solutions coincide there, and are counted as often as they do."""

import numpy as np
import pytest
from assembly_machines import distance, hexagon, lengths, pose_of, robot_of
from flexible_machines import jacobian
from scipy.optimize import brentq, fsolve
from scipy.spatial.transform import Rotation

from gough.kinematics import assembly_modes
from gough.kinematics.model import Model


def modes_of(robot, q):
    return assembly_modes(Model(robot), q)


def determinant(machine, place):
    return np.linalg.det(jacobian(*machine, *place))


def general_singular_pose(rng):
    """A random machine (base, platform) and where on a random way det J changes its sign."""
    while True:
        machine = rng.uniform(-1, 1, (2, 6, 3))
        place = random_way(rng, 1)
        steps = np.linspace(-1, 1, 40)
        values = np.array([determinant(machine, place([s])) for s in steps])
        changes = np.flatnonzero(values[:-1] * values[1:] < 0)
        if len(changes):
            a, b = steps[changes[0]], steps[changes[0] + 1]
            root = brentq(lambda s, m=machine, p=place: determinant(m, p([s])), a, b, xtol=1e-16)
            return machine, place([root])


def general_cusp(rng):
    """The same where det J stays zero to first order, if the platform moves as it is free to."""
    while True:
        machine = rng.uniform(-1, 1, (2, 6, 3))
        place = random_way(rng, 2)

        def defects(s, machine=machine, place=place):
            position, rotation = place(s)
            free = np.linalg.svd(jacobian(*machine, position, rotation))[2][-1]
            step = 1e-5 * free * np.sign(free[0])
            ahead, behind = (
                determinant(
                    machine,
                    (position + way * step[:3], Rotation.from_rotvec(way * step[3:]) * rotation),
                )
                for way in (1, -1)
            )
            return determinant(machine, (position, rotation)), (ahead - behind) / 2e-5

        s, _, status, _ = fsolve(defects, np.zeros(2), xtol=1e-14, full_output=True)
        if status == 1 and np.abs(s).max() < 2 and np.abs(defects(s)).max() < 1e-11:
            return machine, place(s)


def random_way(rng, dimension):
    """A map from parameters to a position and a rotation."""
    position, rotation = rng.uniform(-2, 2, 3), Rotation.random(random_state=rng)
    directions = rng.normal(size=(dimension, 6))

    def place(s):
        x = np.asarray(s) @ directions
        return position + x[:3], Rotation.from_rotvec(x[3:]) * rotation

    return place


def test_a_quarter_turn_gives_a_double_solution_without_certificate():
    """A hexapod turned by a right angle is singular [Fichter 1986]."""
    a, b = hexagon(1, 0.2), hexagon(0.6, 0.75)
    quarter = Rotation.from_euler("z", 90, degrees=True)
    found = modes_of(robot_of(a, b), lengths(a, b, [0, 0, 1.1], quarter))
    assert (found.n_complex, found.n_lost) == (28, 0)
    k = distance(found.poses, pose_of([0, 0, 1.1], quarter)).argmin()
    assert distance(found.poses, pose_of([0, 0, 1.1], quarter))[k] < 1e-6
    assert found.multiplicity[k] == 2
    assert not found.certified[k]
    assert not found.self_motion.any()
    assert found.residual[k] < 1e-12


@pytest.mark.parametrize(
    ("make", "machines", "multiplicity"), [(general_singular_pose, 2, 2), (general_cusp, 3, 3)]
)
def test_solutions_that_coincide_are_counted_together(make, machines, multiplicity):
    rng = np.random.default_rng(1)
    for _ in range(machines):
        machine, place = make(rng)
        found = modes_of(robot_of(*machine), lengths(*machine, *place))
        k = distance(found.poses, pose_of(*place)).argmin()
        assert distance(found.poses, pose_of(*place))[k] < 1e-5
        assert (found.multiplicity[k], found.certified[k]) == (multiplicity, False)
        assert np.delete(found.certified, k).all()
        assert found.multiplicity.sum() % 2 == 0
        assert (found.n_complex, found.n_proved, found.n_lost) == (40, 40 - multiplicity, 0)
        assert not found.self_motion.any()
        assert not found.complete


@pytest.mark.parametrize("change", [1e-15, 1e-13, 1e-10, 1e-8])
def test_none_is_lost_near_a_singular_pose(change):
    """Two solutions meet and part again: real on one side, and complex on the other."""
    rng = np.random.default_rng(5)
    for _ in range(2):
        machine, place = general_singular_pose(rng)
        blocked = np.linalg.svd(jacobian(*machine, *place))[0][:, -1]
        for way in (change, -change):
            q = lengths(*machine, *place) + way * blocked
            found = modes_of(robot_of(*machine), q)
            near = distance(found.poses, pose_of(*place)) < 30 * np.sqrt(change) + 1e-6
            assert found.multiplicity[near].sum() in (0, 2)
            assert found.multiplicity.sum() % 2 == 0
            assert (found.n_complex, found.n_infinite, found.n_lost) == (40, 0, 0)
