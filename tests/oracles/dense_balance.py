"""Reactions of all joints from Newton's and Euler's equations of all bodies, six for each, at once.

Bodies move as Pinocchio says. Every joint has unknown components of force and moment where its
kind lets it carry some; efforts are known. Overconstrained machines leave a null space.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Balance(NamedTuple):
    """Reactions in base axes at the joints' centres, one solution, and what no body feels."""

    force: np.ndarray
    moment: np.ndarray
    unfelt: np.ndarray
    """Force and moment (joints, 6, solutions)."""
    residual: float
    coupled: np.ndarray
    """Efforts of couplings on their first joints (couplings, 1 + solutions)."""


def dense_balance(oracle, state, wrench, effort):
    """Solve all bodies' equations; the base is none of them."""
    mechanism = oracle.mechanism
    names = ["platform", *(body.name for body in mechanism.bodies)]
    needed = np.concatenate([body_need(oracle, state, name) for name in names])
    origin = state.pose[:3]
    needed[:6] -= np.concatenate([wrench[:3], wrench[3:] + np.cross(origin, wrench[:3])])
    efforts = dict(zip((joint.name for joint in mechanism.driven), effort, strict=True))
    columns, owners, directions = [], [], []
    for k, joint in enumerate(mechanism.joints):
        carried, driven = _carried(oracle, state, joint)
        center = oracle.carried(state, joint.between[0], joint.at)
        if joint.is_driven:
            needed -= _on_bodies(names, joint, center, driven * efforts[joint.name])
        for direction in carried:
            columns.append(_on_bodies(names, joint, center, direction))
            owners.append(k)
            directions.append(direction)
    for coupling in mechanism.couplings:
        column = np.zeros(len(needed))
        for name, weight in zip(coupling.joints, coupling.weights, strict=True):
            joint = next(j for j in mechanism.joints if j.name == name)
            center = oracle.carried(state, joint.between[0], joint.at)
            column += _on_bodies(names, joint, center, weight * _carried(oracle, state, joint)[1])
        columns.append(column)
    W = np.array(columns).T
    x = np.linalg.lstsq(W, needed, rcond=1e-9)[0]
    _, sigma, Vt = np.linalg.svd(W)
    N = Vt[int((sigma > 1e-9 * sigma.max()).sum()) :]
    felt = np.zeros((len(mechanism.joints), 6, 1 + len(N)))
    for i, (owner, direction) in enumerate(zip(owners, directions, strict=True)):
        felt[owner] += np.outer(direction, [x[i], *N[:, i]])
    coupled = np.vstack([x, N])[:, len(owners) :].T
    for coupling, efforts_of in zip(mechanism.couplings, coupled, strict=True):
        for name, weight in zip(coupling.joints, coupling.weights, strict=True):
            k = [joint.name for joint in mechanism.joints].index(name)
            motor = _carried(oracle, state, mechanism.joints[k])[1]
            felt[k] += np.outer(weight * motor, efforts_of)
    for k, joint in enumerate(mechanism.joints):
        if joint.is_driven:
            felt[k, :, 0] += _carried(oracle, state, joint)[1] * efforts[joint.name]
    residual = float(np.abs(W @ x - needed).max())
    return Balance(felt[:, :3, 0], felt[:, 3:, 0], felt[:, :, 1:], residual, coupled)


def body_need(oracle, state, name):
    """What moves a body: force, and moment about the base's origin."""
    mass, inertia, turn = oracle.weighed(state, name)
    center, _, acceleration = oracle.mass_center(state, name)
    omega, alpha = oracle.turning(state, name)
    I = turn @ inertia @ turn.T
    f = mass * (acceleration - np.array(oracle.mechanism.gravity))
    n = I @ alpha + np.cross(omega, I @ omega)
    return np.concatenate([f, n + np.cross(center, f)])


def _on_bodies(names, joint, center, direction):
    f, n = direction[:3], direction[3:]
    wrench, column = np.concatenate([f, n + np.cross(center, f)]), np.zeros((len(names), 6))
    for body, sign in zip(joint.between, (-1, 1), strict=True):
        if body != "base":
            column[names.index(body)] += sign * wrench
    return column.ravel()


def _carried(oracle, state, joint):
    """Directions of force and moment that a joint carries, and that of its motor."""
    turn = oracle.turn(state, joint.between[0])
    axes = [turn @ axis for axis in joint.lines[:1]]
    across = list(np.linalg.svd(axes[0][None])[2][1:]) if axes else []
    free, none = list(np.eye(3)), np.zeros(3)
    forces, moments, motor = {
        "R": (free, across, [none, *axes]),
        "P": (across, free, [*axes, none]),
        "H": (across, across, [none, *axes]),
        "C": (across, across, [none, none]),
        "S": (free, [], [none, none]),
        "U": (free, [], [none, none]),
        "fixed": (free, free, [none, none]),
    }[joint.type]
    if joint.type == "U":
        second = oracle.turn(state, joint.between[1]) @ joint.lines[1]
        moments = [np.cross(axes[0], second)]
    carried = [np.concatenate([f, none]) for f in forces]
    carried += [np.concatenate([none, n]) for n in moments]
    if joint.type == "H":  # thrust, and the moment that drives the thread back
        carried.append(np.concatenate([axes[0], -joint.pitch / (2 * np.pi) * axes[0]]))
    return carried, np.concatenate(motor)
