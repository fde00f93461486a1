"""A platform of finite elements, with mass: the whole model unreduced, limits, energy, refusals."""

from types import SimpleNamespace

import numpy as np
import pytest
from oracles.frame_elements import bar_element, beam_element
from scipy.linalg import eigh

import gough
from gough import simulation
from gough.elastic.flexible.coordinates import least_norm
from gough.motion import Quintic, line

STEEL = SimpleNamespace(diameter=0.03, bore=None, modulus=2e11, shear_modulus=None)
MASS, SPRING, PAYLOAD, HUB = 0.4, 1e6, 6.0, 1.5
"""Of each arm [kg], along each leg [N/m], and fixed to the frame [kg, kg m^2]."""


def star(joints, per=2):
    """Stiffness and mass of arms from the origin to all joints: these, the frame, inner nodes."""
    nodes, elements, tips = [np.zeros(3)], [], []
    for joint in joints:
        before = 0
        for share in np.arange(1, per + 1) / per:
            nodes.append(share * np.array(joint))
            elements.append((before, before := len(nodes) - 1))
        tips.append(before)
    K, M = np.zeros((2, 6 * len(nodes), 6 * len(nodes)))
    for a, b in elements:
        own, span = np.r_[6 * a : 6 * a + 6, 6 * b : 6 * b + 6], nodes[b] - nodes[a]
        K[np.ix_(own, own)] += beam_element(span, STEEL)
        M[np.ix_(own, own)] += bar_element(span, MASS / per, STEEL.diameter / 4)
    first = [6 * tip + k for tip in tips for k in range(3)] + list(range(6))
    order = first + [k for k in range(len(K)) if k not in first]
    return K[np.ix_(order, order)], M[np.ix_(order, order)]


def hexapod(**more):
    """A hexapod of which the frame carries a payload beside the arms of its platform."""
    robot = gough.load("kalani-2016").replace({"leg.stiffness": SPRING, "gravity": [0, 0, 0]})
    _, M = star([leg.platform for leg in robot.legs])
    rigid = motions(robot, len(M))
    own = rigid.T @ M @ rigid
    inertia = own[3:, 3:] + HUB * np.eye(3)
    platform = {"platform.mass": own[0, 0] + PAYLOAD, "platform.inertia": inertia.tolist()}
    return robot.replace({**platform, **more})


def motions(robot, size):
    """Displacements of all nodes by those of the frame: of joints, frame, and arms' inner nodes."""
    K, _ = star([leg.platform for leg in robot.legs])
    at = [np.hstack([np.eye(3), -np.cross(np.eye(3), leg.platform)]) for leg in robot.legs]
    held = np.vstack([*at, np.eye(6)])
    return np.vstack([held, -np.linalg.solve(K[24:, 24:], K[24:, :24] @ held)])[:size]


def flexible(folder, modes=60, stiffer=1.0, unit="m", per=2, **more):
    """The robot with its platform from files."""
    robot = hexapod(**more)
    K, M = star([leg.platform for leg in robot.legs], per)
    if unit == "mm":  # N/mm and t; rotations of the frame and of inner nodes stay in rad
        turned = np.ones(len(K))
        turned[21:24] = 1e3
        K, M = (matrix / 1e3 * np.outer(turned, turned) for matrix in (K, M))
    np.save(folder / "K.npy", stiffer * K)
    np.save(folder / "M.npy", M)
    mass = {"file": str(folder / "M.npy"), "modes": modes}
    table = {"file": str(folder / "K.npy"), "quantity": "stiffness", "unit": unit, "mass": mass}
    return robot.replace(flexibility={"platform": table})


def unreduced(robot):
    """Frequencies [Hz] of all nodes of the platform on legs that turn about their base joints."""
    K, M = star([leg.platform for leg in robot.legs])
    hub = slice(18, 24)
    M[hub, hub] += np.diag([PAYLOAD] * 3 + [HUB] * 3)
    for k, leg in enumerate(robot.legs):
        own = slice(3 * k, 3 * k + 3)
        way = gough.poses.transform(robot.home, leg.platform) - leg.base
        l, s = np.linalg.norm(way), way / np.linalg.norm(way)
        parts = ((leg.cylinder, leg.cylinder.center_of_mass),
                 (leg.piston, l - leg.piston.center_of_mass))  # fmt: skip
        about = sum(part.inertia[0][0] + part.mass * c**2 for part, c in parts)
        K[own, own] += SPRING * np.outer(s, s)
        across = np.eye(3) - np.outer(s, s)
        M[own, own] += about / l**2 * across + leg.piston.mass * np.outer(s, s)
    return np.sqrt(np.abs(eigh(K, M, eigvals_only=True))) / (2 * np.pi)


@pytest.mark.parametrize("unit", ["m", "mm"])
def test_all_modes_are_the_model_of_all_nodes(tmp_path, unit):
    found = gough.natural_modes(flexible(tmp_path, unit=unit)).frequencies
    expected = unreduced(hexapod())
    assert len(found) == len(expected)
    assert found[:40] == pytest.approx(expected[:40], rel=1e-6)


def test_all_energy_is_the_platforms_where_legs_are_light(tmp_path):
    light = {f"leg.{part}.{key}": value for part in ("cylinder", "piston")
             for key, value in (("mass", 1e-9), ("inertia", [1e-9] * 3))}  # fmt: skip
    pose = gough.pose([0.05, -0.03, 0.95], rpy=[0.1, 0.05, 0.2])
    robot = flexible(tmp_path, 2, per=1, **light)
    found = gough.natural_modes(robot, np.array([robot.home, pose])).platform
    assert found == pytest.approx(np.ones((2, 26)), abs=1e-5)
    machine = gough.FlexibleMachine(robot)
    assert gough.natural_modes(machine, pose).platform == pytest.approx(np.ones(26), abs=1e-5)


def test_few_modes_are_nearly_the_lowest(tmp_path):
    expected, errors = unreduced(hexapod())[:14], []
    for modes in (0, 6, 18):
        found = gough.natural_modes(flexible(tmp_path, modes)).frequencies
        assert len(found) == 24 + modes
        errors.append((found[:14] / expected - 1).max())
    assert errors[0] > errors[1] > errors[2] > 0
    assert errors[2] < 1e-3


def test_a_stiff_platform_is_rigid(tmp_path):
    rigid = gough.natural_modes(hexapod()).frequencies
    errors = [
        gough.natural_modes(flexible(tmp_path, 6, stiffer=factor)).frequencies[:6] / rigid - 1
        for factor in (1e3, 1e4)
    ]
    assert (np.array(errors) < 0).all()
    assert np.divide(*errors) == pytest.approx(np.full(6, 10.0), rel=0.01)


def test_it_deflects_as_its_stiffness(tmp_path):
    robot = flexible(tmp_path, 0)
    load = [30.0, -20.0, 50.0, 2.0, 3.0, -1.0]
    stiff = robot.replace({"leg.stiffness": 1e12})  # motors of a flexible machine are rigid
    found = gough.FlexibleMachine(stiff).deflected(wrench=load).pose[:3] - robot.home[:3]
    assert found == pytest.approx(gough.stiffness(stiff).deflection(load)[:3], rel=1e-3)


def test_two_derivations_have_the_same_modes_and_energy_is_kept(tmp_path):
    """Small rows at a pose, and a floating frame that turns as it moves."""
    robot = flexible(tmp_path, 3, per=1)
    machine = gough.FlexibleMachine(robot)
    pose = gough.pose([0.05, -0.03, 0.95], rpy=[0.1, 0.05, 0.2])
    found = gough.natural_modes(machine, pose).frequencies
    assert found == pytest.approx(gough.natural_modes(robot, pose).frequencies, rel=1e-7)
    rng, z = np.random.default_rng(2), machine.at(pose)
    elastic = np.arange(len(z)) >= machine.joints
    scale = np.where(elastic, 1e-4, 1.0)
    z = z + scale * rng.standard_normal(len(z)) * elastic
    for _ in range(20):
        gaps, C, _ = machine.closing(z)
        z = z - scale * least_norm(C * scale, gaps)
    _, C, _ = machine.closing(z)
    rate = scale * rng.standard_normal(len(z)) * np.where(elastic, 10.0, 1.0)
    rate = rate - scale * least_norm(C * scale, C @ rate)
    force = 10 * rng.standard_normal(6)
    second = machine.forward_dynamics(z, rate, force)

    def power(h):
        ends = [machine.energy(z + s * rate + s**2 / 2 * second, rate + s * second).sum()
                for s in (-h, h)]  # fmt: skip
        return (ends[1] - ends[0]) / (2 * h)

    coarse, fine = power(4e-7), power(2e-7)
    assert fine + (fine - coarse) / 3 == pytest.approx(force @ rate[machine.motors], rel=1e-4)
    efforts, _ = machine.inverse_dynamics(z, rate, second[machine.motors])
    assert efforts == pytest.approx(force, rel=1e-6)


def test_a_run_keeps_its_balance_of_energy(tmp_path):
    """Lengths of legs are those of the slides, not those of a rigid platform at its pose."""
    robot = flexible(tmp_path, 0, per=1)
    plant = simulation.real_plant(robot, links="flexible", drives=False, joint_friction=False)
    motion = line(robot.home, [0.02, 0, 0.02], Quintic(0.02))
    run = gough.simulate(gough.Scenario(robot, simulation.computed_torque(kp=50, kd=5), motion,
                                        plant=plant, sampling=simulation.Sampling(5e-5, 8),
                                        duration=0.01))  # fmt: skip
    work = np.sum(run["command"][:-1] * np.diff(run["leg_length"], axis=0), axis=1)
    stored = run["stored_energy"].sum(axis=1)
    assert stored - stored[0] == pytest.approx(np.r_[0, np.cumsum(work)], abs=1e-8 * stored.max())


def test_it_is_saved_with_the_robot(tmp_path):
    robot = flexible(tmp_path, 2)
    gough.save(gough.Robot.from_dict(robot.to_dict()), tmp_path / "again.toml")
    again = gough.load(tmp_path / "again.toml")
    assert again == robot
    assert again.fingerprint == robot.fingerprint
    assert len(again.with_parameters(again.parameters).flexibility.platform_modes.frequencies) == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"platform.mass": 1.0}, "finite elements of 2.4 kg, more than the platform's mass"),
        ({"flexibility.platform.mass.file": "none.npy"}, "none.npy"),
        ({"flexibility.platform.mass.file": "M.txt"}, "M.txt"),
        ({"flexibility.platform.mass.modes": -1}, "modes"),
        ({"flexibility.platform.quantity": "compliance"}, "a compliance of 78 coordinates and a"),
        ({"legs[0].platform": [0.5, 0.1, 0.0]}, "not of a free platform with the joints of this"),
    ],
)
def test_what_is_not_a_platform_is_refused(tmp_path, change, words):
    with pytest.raises(gough.GoughError, match=words):
        flexible(tmp_path).replace(change)


def test_a_compliance_that_has_no_stiffness_is_refused(tmp_path):
    data = flexible(tmp_path, 0).to_dict()
    data["flexibility"]["platform"] = np.diag([0.0] + [1e-8] * 17).tolist()
    with pytest.raises(gough.GoughError, match=r"flexibility\.platform: some force displaces no"):
        gough.Robot.from_dict(data)


def test_matrices_that_do_not_go_together_are_refused(tmp_path):
    data = flexible(tmp_path).written.data
    K, M = (np.load(tmp_path / f"{name}.npy") for name in "KM")
    lighter = np.where(np.isin(np.arange(78), range(2, 21, 3)), 0.5, 1.0)  # along z
    for name, matrix, words in (
        ("M", M[:-1, :-1], "a stiffness of 78 coordinates and a mass of 77"),
        ("M", M + np.triu(M, 1), "not symmetric"),
        ("K", np.where(np.arange(78)[:, None] < 77, K, 0) * (np.arange(78) < 77), "loose"),
        ("M", np.where(np.eye(78), np.nan, M), "not all numbers are finite"),
        ("M", M * np.outer(lighter, lighter), "not that of a rigid body.* got '2.4, 2.4, 1.4235"),
    ):
        np.save(tmp_path / "K.npy", K)
        np.save(tmp_path / "M.npy", M)
        np.save(tmp_path / f"{name}.npy", matrix)
        with pytest.raises(gough.GoughError, match=words):
            gough.Robot.from_dict(data)
