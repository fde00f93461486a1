"""Rigid-body programs that know nothing of Gough, on the same random machines."""

import casadi as ca
import numpy as np
import pytest
from dynamic_robots import MIXES, model
from machines import parameters, random_machine, random_state
from oracles.hexapod import HexapodData, State
from oracles.mujoco_hexapod import MujocoHexapod
from oracles.pinocchio_hexapod import PinocchioHexapod

SEEDS = range(12)


def machine_and_state(mix, seed, **options):
    rng = np.random.default_rng(seed)
    return random_machine(rng, MIXES[mix]), State(*random_state(rng, **options))


def arguments(machine, state):
    return parameters(machine), state.pose, state.twist


def scaled(error, *values):
    return np.abs(error).max() / max(1.0, *(np.abs(v).max() for v in values))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mix", MIXES)
def test_forces_are_pinocchios(mix, seed):
    machine, state = machine_and_state(mix, seed, speed=3.0)
    ours = model(mix).inverse_dynamics(*arguments(machine, state), state.acceleration, state.wrench)
    theirs = PinocchioHexapod(HexapodData.from_machine(machine)).forces(state)
    assert scaled(ours - theirs, theirs) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mix", MIXES)
def test_accelerations_are_pinocchios(mix, seed):
    machine, state = machine_and_state(mix, seed, speed=3.0)
    force = 50 * np.random.default_rng(seed).normal(size=6)
    ours = model(mix).forward_dynamics(*arguments(machine, state), force, state.wrench)
    theirs = PinocchioHexapod(HexapodData.from_machine(machine)).accelerations(state, force)
    assert scaled(ours - theirs, theirs) < 1e-9


@pytest.mark.parametrize("mix", MIXES)
def test_mass_matrices_are_pinocchios(mix):
    for seed in SEEDS:
        machine, state = machine_and_state(mix, seed)
        ours = model(mix).mass_matrix(parameters(machine), state.pose)
        theirs = PinocchioHexapod(HexapodData.from_machine(machine)).mass_matrix(state.pose)
        assert scaled(ours - theirs, theirs) < 1e-9


@pytest.mark.parametrize("mix", MIXES)
def test_reactions_are_pinocchios(mix):
    for seed in SEEDS:
        machine, state = machine_and_state(mix, seed)
        ours = reactions_in_base_axes(model(mix), machine, state)
        theirs = PinocchioHexapod(HexapodData.from_machine(machine)).reactions(state)
        for name, mine in ours.items():
            assert scaled(mine - getattr(theirs, name), theirs.base_force) < 1e-9, name


def reactions_in_base_axes(m, machine, state):
    """Those of each leg; of its slide across the leg, and about the platform joint."""
    given = arguments(machine, state)
    centers, axes, _ = m.reaction_axes(*given[:2])
    found = m.reactions(*given, state.acceleration, state.wrench)
    force, moment = (np.einsum("kij,ki->kj", axes, x).reshape(-1, 3, 3) for x in found)
    hip, slide, wrist = np.moveaxis(centers.reshape(-1, 3, 3), 1, 0)
    s = (wrist - hip) / np.linalg.norm(wrist - hip, axis=1)[:, None]
    return {
        "base_force": force[:, 0],
        "base_moment": moment[:, 0],
        "platform_force": force[:, 2],
        "slide_force": force[:, 1] - np.sum(force[:, 1] * s, axis=1)[:, None] * s,
        "slide_moment": moment[:, 1] + np.cross(slide - wrist, force[:, 1]),
    }


@pytest.mark.parametrize("mix", MIXES)
def test_accelerations_are_mujocos(mix):
    """MuJoCo's constraints are stiff springs, and soft beside a nearly singular J: cond < 100."""
    compared = 0
    for seed in SEEDS:
        machine, state = machine_and_state(mix, seed)
        if np.linalg.cond(model(mix).jacobian(parameters(machine), state.pose)) < 100:
            force = 50 * np.random.default_rng(seed).normal(size=6)
            ours = model(mix).forward_dynamics(*arguments(machine, state), force, state.wrench)
            theirs = MujocoHexapod(HexapodData.from_machine(machine)).accelerations(state, force)
            assert scaled(ours - theirs, theirs) < 1e-3
            compared += 1
    assert compared >= len(SEEDS) // 2


def test_the_oracles_are_given_the_same_machine():
    machine, _ = machine_and_state("mixed", 0)
    data = HexapodData.from_machine(machine)
    assert data.platform.mass == float(ca.DM(machine.platform.mass))
    spins = [leg.base_joint.spins for leg in machine.legs]
    assert [leg.kind for leg in data.legs] == ["UPS" if spin else "SPS" for spin in spins]
