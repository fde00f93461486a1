"""Random linkages of one freedom in a plane: six-bars and eight-bars, all joints hinges."""

import numpy as np
from drawings import Mechanism
from drawn_machines import UP, Drawer

FOUR_BAR = ("base a", "a b", "b c", "c base")
WATT = ("p q", "p a", "a b", "b q", "p c", "c d", "d q")
STEPHENSON = ("p a", "a q", "p b", "b q", "p c", "c d", "d q")
TRIAD = (*FOUR_BAR, "base d", "b e", "c f", "d t", "e t", "f t")

LINKAGES = {
    "Watt I": (WATT, "a"),
    "Watt II": (WATT, "p"),
    "Stephenson I": (STEPHENSON, "a"),
    "Stephenson II": (STEPHENSON, "c"),
    "Stephenson III": (STEPHENSON, "p"),
    "Watt I and a dyad": ((*WATT, "b x", "x y", "y d"), "a"),
    "Watt II and a dyad": ((*WATT, "a x", "x y", "y c"), "p"),
    "Stephenson II and a dyad": ((*STEPHENSON, "a x", "x y", "y d"), "c"),
    "Stephenson III and a dyad": ((*STEPHENSON, "a x", "x y", "y p"), "p"),
    "four-bar and a triad": (TRIAD, "base"),
}
"""Pairs of links by kind, and which of the links is the base."""


def linkage(kind, seed):
    """A linkage of random shape and masses; one joint of its base is driven, one link the platform.

    Which link is the platform goes round with the seeds.
    """
    pairs, base = LINKAGES[kind]
    pairs = [tuple(pair.split()) for pair in pairs]
    links = sorted({link for pair in pairs for link in pair} - {base})
    names = {base: "base", links[seed % len(links)]: "platform"}
    between = [tuple(names.get(link, link) for link in pair) for pair in pairs]
    d = Drawer(seed)
    points = np.column_stack([d.shape.uniform(-0.5, 0.5, (len(pairs), 2)), np.zeros(len(pairs))])
    driven = next(k for k, pair in enumerate(between) if "base" in pair)
    for link in links:
        if link not in names:
            d.body(link, *(p for p, pair in zip(points, between, strict=True) if link in pair))
    for k, (pair, point) in enumerate(zip(between, points, strict=True)):
        d.joint(f"joint{k}", "R", pair, point, UP, driven=k == driven)
    drawn = d.machine(kind, ("x",), np.append(d.shape.uniform(-0.5, 0.5, 2), 0.0))
    return Mechanism(kind, drawn.platform, drawn.bodies, drawn.joints, (0.0, -9.81, 0.0))
