"""Parametric models for any mix of legs, and batches of random robots and states for them."""

from __future__ import annotations

from functools import cache

import numpy as np
from interpreted import InterpretedModel
from machines import parameters, random_machine, random_state

import gough

FORMULATIONS = ("newton-euler", "lagrange", "virtual-work", "kane", "recursive")
MIXES = {"UPS": ("UPS",), "SPS": ("SPS",), "mixed": ("UPS", "SPS", "SPS")}


@cache
def model(mix, formulation="newton-euler"):
    """A parametric model of six legs of these kinds."""
    data = gough.load("kalani-2016").to_dict()
    axes = [leg.pop("first_axis") for leg in data["legs"]]
    kinds = MIXES[mix]
    data["leg"].pop("kind")
    for k, leg in enumerate(data["legs"]):
        leg["kind"] = kinds[k % len(kinds)]
        if leg["kind"] == "UPS":
            leg["first_axis"] = axes[k]
    return InterpretedModel(gough.Robot.from_dict(data), formulation=formulation, parametric=True)


def random_robots(mix, count, seed, *, heavy=1.0, speed=1.0):
    """Parameter vectors and states: legs `heavy` times as heavy, motions `speed` times as fast."""
    rng = np.random.default_rng(seed)
    names = model(mix).parameter_names
    machines = (random_machine(rng, MIXES[mix], matrix=np.array) for _ in range(count))
    robots = np.array([parameters(machine) for machine in machines])
    of_legs = [n.startswith("legs") and (".mass" in n or ".inertia" in n) for n in names]
    robots[:, of_legs] *= heavy
    states = [
        np.array(x) for x in zip(*(random_state(rng, speed) for _ in range(count)), strict=True)
    ]
    return robots, states


def relative_error(got, expected):
    """The largest difference in each sample, relative to the sample's largest entry."""
    axes = tuple(range(1, got.ndim))
    scale = np.maximum(np.abs(expected).max(axes), np.finfo(float).tiny)
    return np.abs(got - expected).max(axes) / scale
