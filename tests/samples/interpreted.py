"""Kernels and equations that CasADi interprets, without the wait for machine code."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import replace

import casadi as ca
import numpy as np

import gough
from gough.equations.closure.assembled import platform_at, posture_at
from gough.equations.closure.closing import leg_step


class InterpretedModel(gough.Model):
    """A model that compiles nothing: for tests of equations, not of what is made of them."""

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._definitions:
            return super().__getattr__(name)
        self.__dict__[name] = interpreted(self.function(name))
        return self.__dict__[name]


def interpreted(function):
    """A kernel of a symbolic function that holds no iteration; optional inputs are zero."""
    result = namedtuple(f"{function.name}_result", [a.name for a in function.outputs])

    def kernel(*arrays):
        given = [np.asarray(x, dtype=float) for x in arrays]
        given += [np.zeros(a.shape) for a in function.inputs[len(given) :]]
        pairs = list(zip(given, function.inputs, strict=True))
        batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(a.shape)] for x, a in pairs))
        columns = [np.broadcast_to(x, (*batch, *a.shape)).reshape(-1, a.size).T for x, a in pairs]
        found = function.casadi.call([ca.DM(x) for x in columns])
        shaped = [
            np.array(x).T.reshape((*batch, *a.shape))
            for x, a in zip(found, function.outputs, strict=True)
        ]
        return result(*shaped) if len(shaped) > 1 else shaped[0]

    return kernel


def numbers(value):
    """What an equation gives for numbers, as an array."""
    return np.array(ca.evalf(ca.SX(value)))


def placed(machine, pose):
    """Return the machine whose iterated legs stand where Newton's method brings them from home."""
    platform = platform_at(machine, ca.DM(pose))
    place = ca.DM(platform.position), ca.DM(platform.rotation)
    return replace(machine, legs=tuple(_placed(leg, *place) for leg in machine.legs))


def _placed(leg, position, rotation):
    if not leg.iterated:
        return leg
    q = ca.SX.sym("q", len(leg.joints))
    step = ca.Function("step", [q], [leg_step(posture_at(leg, q, position, rotation))])
    at = ca.DM([joint.at_home for joint in leg.joints])
    for _ in range(12):
        at += step(at)
    known = [joint.position(at[k]) for k, joint in enumerate(leg.joints)]
    return replace(leg, positions=lambda *_: known, iterated=False)
