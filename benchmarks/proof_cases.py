"""Random small proofs against two other answers, whose equations are written here, without Gough.

Hexapods with random joints, strokes and boxes of poses: lengths of legs, and the sign of the
determinant of their lines, are those of NumPy at 20 000 sampled poses of each box, corners among
them; a counter-example is evaluated with 50 digits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

import gough
from gough.arrays import Array

CASES, BOXES = 200, 10
"""Number of boxes, and of those of each robot."""
SAMPLES, DIGITS = 20_000, 50
LIMITS = [
    gough.kinematics.Limits(families=x) for x in (("stroke", "singularity"), ("singularity",))
]


def random_robot(rng: np.random.Generator) -> gough.Robot:
    """A hexapod about 1 m high, with strokes of 0.1 to 0.5 m around its home."""
    pairs, angles = np.repeat(np.arange(3), 2) * 2 * np.pi / 3, np.tile([-1.0, 1.0], 3)
    around = [pairs + angles * spread for spread in rng.uniform([0.1, 0.6], [0.4, 0.9])]
    base, platform = (
        radius * np.column_stack([np.cos(a), np.sin(a), np.zeros(6)])
        for radius, a in zip((1.0, 0.6), around, strict=True)
    )
    base, platform = (x + 0.05 * rng.standard_normal((6, 3)) for x in (base, platform))
    height = rng.uniform(0.7, 1.2)
    length = np.linalg.norm(platform + [0, 0, height] - base, axis=1)
    strokes = length[:, None] + rng.uniform(0.05, 0.25, (6, 2)) * [-1, 1]
    legs = [{"base": a.tolist(), "platform": b.tolist(), "stroke": s.tolist()}
            for a, b, s in zip(base, platform, strokes, strict=True)]  # fmt: skip
    part = {"mass": 0.1, "center_of_mass": 0.3, "inertia": [1e-3, 1e-3, 0]}
    return gough.Robot.from_dict({
        "schema": "gough/1", "name": "random", "gravity": [0, 0, -9.81],
        "platform": {"mass": 1.0, "inertia": [0.1] * 3, "home": {"position": [0, 0, height]}},
        "leg": {"kind": "SPS", "cylinder": part, "piston": part}, "legs": legs,
    })  # fmt: skip


class Doubles:
    """Functions of arrays."""

    number, cos, sin, sqrt = float, np.cos, np.sin, np.sqrt


class Decimals:
    """Functions of decimals, of angles by their series."""

    number, sqrt = Decimal, Decimal.sqrt

    @staticmethod
    def cos(x: Decimal) -> Decimal:
        """Return the cosine."""
        return _series(x, Decimal(1), 0)

    @staticmethod
    def sin(x: Decimal) -> Decimal:
        """Return the sine."""
        return _series(x, x, 1)


def _series(x: Decimal, term: Decimal, k: int) -> Decimal:
    total = term
    while abs(term) > Decimal(10) ** -DIGITS:
        k += 2
        term = -term * x * x / (k * (k - 1))
        total += term
    return total


def determinant(rows: Sequence[Sequence[Decimal]]) -> Decimal:
    """Return the determinant, by elimination."""
    left, found = [list(row) for row in rows], Decimal(1)
    while left:
        k = max(range(len(left)), key=lambda k: abs(left[k][0]))
        pivot = left.pop(k)
        found *= -pivot[0] if k % 2 else pivot[0]
        if not pivot[0]:
            return found
        left = [[a - row[0] / pivot[0] * b for a, b in zip(row[1:], pivot[1:], strict=True)]
                for row in left]  # fmt: skip
    return found


def legs_at(robot: gough.Robot, step: Sequence[Any], of: Any) -> tuple[list[Any], list[list[Any]]]:
    """Lengths of the legs, and rows (l, b x l) of their lines, at a step from home.

    Roll, pitch and yaw about base axes, in this order. `of` has functions of its numbers.
    """
    x, y, z, roll, pitch, yaw = step
    (cr, sr), (cp, sp), (cy, sy) = ((of.cos(a), of.sin(a)) for a in (roll, pitch, yaw))
    R = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    lengths, rows = [], []
    for leg in robot.legs:
        foot, arm, home = ([of.number(c) for c in p] for p in (leg.base, leg.platform, robot.home))
        b = [sum(R[i][j] * arm[j] for j in range(3)) for i in range(3)]
        v = [(x, y, z)[i] + home[i] + b[i] - foot[i] for i in range(3)]
        turn = [b[i - 2] * v[i - 1] - b[i - 1] * v[i - 2] for i in range(3)]
        lengths.append(of.sqrt(sum(c * c for c in v)))
        rows.append([*v, *turn])
    return lengths, rows


def sampled(
    robot: gough.Robot, halves: Array, strokes_count: bool, rng: np.random.Generator
) -> bool:
    """Whether strokes, if they count, and the side of the singularity hold at sampled poses."""
    steps = rng.uniform(-1, 1, (SAMPLES, 6))
    steps[::4] = np.sign(steps[::4])
    lengths, rows = legs_at(robot, (steps * halves).T, Doubles)
    strokes = np.array([leg.stroke for leg in robot.legs]).T[..., None]
    inside = (strokes[0] - 1e-12 <= lengths) & (lengths <= strokes[1] + 1e-12)
    home = np.array(legs_at(robot, np.zeros(6), Doubles)[1])
    side = np.linalg.det(np.moveaxis(np.array(rows), -1, 0)) * np.sign(np.linalg.det(home))
    return bool((inside.all() or not strokes_count) and (side > -1e-12).all())


def is_violated(robot: gough.Robot, example: gough.kinematics.CounterExample) -> bool:
    """Whether a counter-example violates its limit, with 50 digits."""
    with localcontext(prec=DIGITS + 10):
        lengths, rows = legs_at(robot, [Decimal(float(x)) for x in example.coordinates], Decimals)
        if example.limit.kind == "side":
            home = legs_at(robot, [Decimal(0)] * 6, Decimals)[1]
            return determinant(rows) * determinant(home) <= 0
        (k,) = (int(of.rpartition(" ")[2]) - 1 for of in example.limit.of)
        low, high = robot.legs[k].stroke
        return bool(lengths[k] < Decimal(low) or lengths[k] > Decimal(high))


def counted(cases: int = CASES) -> Counter[str]:
    """Count verdicts, proofs that a sample contradicts, and counter-examples that do not hold.

    Every other proof is about singularities alone, in a larger box.
    """
    found, rng = Counter[str](), np.random.default_rng(34)
    robots = [random_robot(rng) for _ in range(cases // BOXES)]
    for case in range(cases):
        robot, limits, larger = robots[case // BOXES], LIMITS[case % 2], 0.6 * (case % 2)
        halves = 10 ** rng.uniform(-2.5 + larger, -0.8 + larger, 6) * (rng.random(6) < 0.7)
        halves[0] = max(halves[0], 1e-4)
        proof = gough.prove(robot, halves[:3], halves[3:], limits=limits, at_most=5000)
        example = proof.counter_example
        found[proof.verdict] += 1
        found["undecided by more than 1 %"] += proof.share_undecided > 0.01 and example is None
        at = np.random.default_rng(case)
        held = proof.verdict != "proved" or sampled(robot, halves, limits is LIMITS[0], at)
        found["contradicted"] += not held
        if example is not None:
            found[f"refuted by {example.limit.family}"] += 1
            found["not violated"] += not is_violated(robot, example)
    return found
