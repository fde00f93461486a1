"""The checker: its arithmetic encloses, it is short and knows no compiler, changes are refused."""

from __future__ import annotations

import ast
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gough.errors import GoughError
from gough.kinematics import check_proof
from gough.kinematics.proof import certificate, checker
from gough.kinematics.proof.checker import ONE, UNKNOWN, Claim, Interval, exact

SIZE = ONE.low
NUMBERS = st.floats(-8, 8)
FUNCTIONS = {
    "ratio": lambda a, b: (a - b) / (2 + b * b) + 1 / (3 + ca.fabs(a)),
    "root": lambda a, b: ca.sqrt(a * a + b**2 + 1e-3),
    "waves": lambda a, b: ca.sin(a) * ca.cos(3 * b) - ca.sin(20 * b),
    "angle": lambda a, b: ca.atan2(a, b + 8.5) + ca.atan2(b + 9, a),
    "choice": lambda a, b: ca.if_else(a < b, a + 1, b * b),
    "extremes": lambda a, b: ca.fmin(a, b) * ca.fmax(a, 1) - ca.copysign(a, b),
    "logic": lambda a, b: ca.if_else(
        ca.logic_or(ca.logic_and(a > 0, ca.logic_not(b <= 1)), a < -4), a, -b
    ),
    "growth": lambda a, b: ca.log(9 + a) + ca.sign(b),
}


def test_the_checker_is_short_and_knows_neither_compiler_nor_equations():
    source = Path(checker.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 300
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    outside = {name for name in names if name.partition(".")[0] in ("gough", "numpy", "scipy")}
    assert outside == {"gough.errors"}


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=12, deadline=None)
@given(a=NUMBERS, b=NUMBERS, width=st.sampled_from([0.0, 1e-9, 0.01, 1.0]), seed=st.integers(0, 99))
def test_bounds_enclose_values_and_slopes_of_samples(name, a, b, width, seed):
    x = ca.SX.sym("x", 2)
    f = ca.Function("f", [x], [FUNCTIONS[name](x[0], x[1])])
    box = [exact(Fraction(c)) | exact(Fraction(c) + Fraction(width)) for c in (a, b)]
    ((_, _, found, _),) = checker._over(f, (box, [], []))
    shares = np.random.default_rng(seed).random((20, 2))
    for share in (*shares, [0, 0], [1, 1]):
        sample = float(f([a + width * share[0], b + width * share[1]]))
        if found.is_known():  # doubles are rounded
            assert found.low / SIZE - 1e-13 <= sample <= found.high / SIZE + 1e-13
    if not width and name in ("ratio", "root", "waves", "angle"):
        assert found.high - found.low < 1e-13 * SIZE


@settings(max_examples=12, deadline=None)
@given(st.floats(-1e3, 1e3), st.integers(0, 10**6))
def test_cosines_are_narrow_and_satisfy_identities(x, k):
    cosine, sine = (
        checker._cosine(exact(x) - quarter) for quarter in (exact(0), checker.PI / exact(2))
    )
    assert cosine.high - cosine.low < 1e-28 * SIZE
    assert cosine.low / SIZE - 1e-15 <= math.cos(x) <= cosine.high / SIZE + 1e-15
    one = cosine * cosine + sine * sine
    assert one.low <= SIZE <= one.high
    turned = checker._cosine(exact(x) + checker.PI * exact(2 * k))
    assert turned.low <= cosine.high
    assert cosine.low <= turned.high


def test_pi_is_enclosed_as_machin_says():
    def arc_tangent(x):
        return sum(Fraction((-1) ** k, 2 * k + 1) * x ** (2 * k + 1) for k in range(80))

    pi = 16 * arc_tangent(Fraction(1, 5)) - 4 * arc_tangent(Fraction(1, 239))
    assert checker.PI.low < pi * SIZE < checker.PI.high


def test_jumps_and_what_is_unknown_have_no_slopes():
    unsure = Interval(0, SIZE)
    assert checker.RULES[ca.OP_IF_ELSE_ZERO](unsure, ONE)[1] == UNKNOWN
    assert checker.RULES[ca.OP_LT](unsure, exact(0.5))[1:] == (UNKNOWN, UNKNOWN)
    for operation in (ca.OP_FMAX, ca.OP_FMIN, ca.OP_COPYSIGN, ca.OP_ADD, ca.OP_MUL, ca.OP_ATAN2):
        assert checker.RULES[operation](ONE, UNKNOWN)[0] == UNKNOWN
    for operation in (ca.OP_FABS, ca.OP_SIGN, ca.OP_COS, ca.OP_SQRT, ca.OP_INV, ca.OP_LOG):
        assert checker.RULES[operation](UNKNOWN)[0] == UNKNOWN
    infinite = exact(math.inf)
    for operation in (ca.OP_LT, ca.OP_LE):
        assert checker.RULES[operation](UNKNOWN, infinite)[0] == unsure
        assert checker.RULES[operation](ONE, infinite)[0] == ONE


def test_a_fixed_point_is_enclosed_only_where_it_is_the_only_one():
    """y² = x: of x in [1, 1.2] there is one root near 1, near 0 of [-0.1, 0.1] there is none."""
    x, z, hints = ca.SX.sym("x"), ca.SX.sym("z"), ca.SX.sym("hints", 2)
    y, C = hints[0] + z, hints[1]
    inputs = [ca.vertcat(x, z), ca.SX.sym("given", 0), hints]
    mapped = ca.Function("f", inputs, [z - C * (y * y - x)])
    margins, solution = (ca.Function("f", inputs, [out]) for out in (2 - y, y))
    joint = ca.Function("f", [ca.SX.sym("m"), ca.SX.sym("given", 0), hints], [ca.SX(0, 1)])
    for low, high, near, closes in ((1.0, 1.2, 1.04, True), (-0.1, 0.1, 0.2, False)):
        whole = [exact(low) | exact(high)]
        claim = Claim(whole, [0], lambda _, y=near: [y, 1 / (2 * y)], margins, mapped, solution, [],
                      joint, [("y", [[0]])])  # fmt: skip
        part = claim.part(whole)
        assert (UNKNOWN not in part[2]) == closes
        if closes:
            (root,) = claim.solved([exact(high)], part)
            assert root.low <= Fraction(math.sqrt(high)) * SIZE <= root.high
        assert bool(claim.failing(part, "+")) != closes


def leaves(content, at=()):
    """Places of all words and numbers of a certificate, but that of its SHA-256."""
    parts = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in parts:
        if isinstance(value, dict | list):
            yield from leaves(value, (*at, key))
        elif key != "sha256":
            yield (*at, key)


def changed(content, place, rng):
    """A certificate with one word or number that is another one, and its SHA-256."""
    content = json.loads(json.dumps(content))
    of = content
    for key in place[:-1]:
        of = of[key]
    old = of[place[-1]]
    if isinstance(old, str):
        k = rng.randrange(len(old))
        of[place[-1]] = old[:k] + rng.choice("+-?aAb0") + old[k + rng.randrange(2) :]
    elif isinstance(old, bool) or old is None:
        of[place[-1]] = not old
    else:
        factor = rng.choice([-1.0, 0.0, 1 + 2.0**-52, 0.9, 1.001, 2.0, 1e3, math.nan])
        of[place[-1]] = old * factor if old else rng.choice([1e-9, 1e-3, -1.0])
    return content | {"sha256": certificate.digest(content)}


def boxes_of(claim, code):
    """Boxes of a code, with their signs."""
    for path, sign in certificate.paths_of(code):
        box = list(claim.whole)
        for letter in path:
            k = claim.axes[ord(letter.lower()) - ord("a")]
            middle = box[k].middle()
            upper = Interval(middle.low, box[k].high)
            box[k] = Interval(box[k].low, middle.low) if letter.islower() else upper
        yield box, sign


def is_true(content, robot):
    """Whether no sample contradicts what a certificate states: doubles, without any bounds."""
    claim = certificate._claims(certificate._of_box(content, robot), proved=False)[-1]
    example = content["counter_example"]
    rng, count = np.random.default_rng(0), len(claim.requirements)

    def margins(point):
        z, numbers = [0.0] * claim.mapped.nnz_out(), claim.numbers(list(point))
        given = claim.margins.nnz_in(1)
        found = claim.margins([*point, *z], numbers[:given], numbers[given:])
        return np.array(found)[:count, 0]

    if example is not None:
        return margins(example["coordinates"])[example["requirement"]] < 0
    for box, sign in list(boxes_of(claim, content["boxes"][0]))[:10]:
        for share in rng.random((5, len(box))):
            ends = [(side.low / SIZE, side.high / SIZE) for side in box]
            point = [a + x * (b - a) if a < b else a for x, (a, b) in zip(share, ends, strict=True)]
            least = margins(point).min()
            if (sign == "+" and least < -1e-9) or (sign == "-" and least > 0):
                return False
    return True


def changes_are_refused_or_true(path, robot, count, seed=0):
    """Certificates with one change do not hold, or what they state then is true as well."""
    content, rng = json.loads(path.read_text()), random.Random(seed)
    places, other = list(leaves(content)), path.with_name("changed.json")
    for place in rng.sample(places, min(count, len(places))):
        new = changed(content, place, rng)
        if new == content:
            continue
        other.write_text(json.dumps(new | {"sha256": content["sha256"]}))
        with pytest.raises(GoughError, match="the certificate was changed"):
            check_proof(other, robot, at_most=1)
        other.write_text(json.dumps(new))
        try:
            check_proof(other, robot)
        except GoughError:
            continue
        assert is_true(new, robot), place


def roots(ends=(), sheet=lambda _: 1.0):
    """y² = x, from x = 1 to 4, near roots with signs by x."""
    x, z, hints = ca.SX.sym("x"), ca.SX.sym("z"), ca.SX.sym("hints", 2)
    inputs = [ca.vertcat(x, z), ca.SX.sym("given", 0), hints]
    y = hints[0] + hints[1] * (x - hints[0] ** 2) + z
    functions = [ca.Function("f", inputs, [out]) for out in (y**2, z - hints[1] * (y**2 - x), y)]
    joint = ca.Function("f", [ca.SX.sym("m"), ca.SX.sym("given", 0), hints], [ca.SX(0, 1)])

    def numbers(point):
        root = sheet(point[0]) * math.sqrt(point[0])
        return [root, 1 / (2 * root)]

    points = [[exact(x)] for x in ends]
    return Claim([exact(1) | exact(4)], [0], numbers, *functions, points, joint, [("y²", [[0]])])


def complex_roots(point):
    """Principal root of a complex number, and the inverse of its square's derivative."""
    root = complex(*point) ** 0.5
    slope = 1 / (2 * root)
    return [root.real, root.imag, slope.real, slope.imag, *point]


def around_zero():
    """(u + iv)² = x + iy in a square: its root changes sign on a way around zero."""
    x, z, hints = ca.SX.sym("x", 2), ca.SX.sym("z", 2), ca.SX.sym("hints", 6)
    inputs = [ca.vertcat(x, z), ca.SX.sym("given", 0), hints]
    (a, b), d = (hints[2], hints[3]), x - hints[4:]
    y = hints[:2] + ca.vertcat(a * d[0] - b * d[1], a * d[1] + b * d[0]) + z
    gap = ca.vertcat(y[0] ** 2 - y[1] ** 2, 2 * y[0] * y[1]) - x
    mapped = z - ca.vertcat(a * gap[0] - b * gap[1], a * gap[1] + b * gap[0])
    functions = [ca.Function("f", inputs, [out]) for out in (ca.sumsqr(y), mapped, y)]
    joint = ca.Function("f", [ca.SX.sym("m"), ca.SX.sym("given", 0), hints], [ca.SX(0, 1)])
    whole = [exact(-1) | exact(1), exact(-1) | exact(1)]
    return Claim(whole, [0, 1], complex_roots, *functions, [], joint, [("size", [[0]])])


def checked(verdict, codes, claims, home=()):
    boxes = sum(letter in checker.SIDES for code in codes for letter in code)
    checker.check(verdict, codes, claims, list(home), ["a box"] * boxes)


@pytest.mark.parametrize("code", ["+", "a++", "aa++a++", "aa?+a+?"])
def test_boxes_with_solutions_of_two_branches_are_refused(code):
    verdict = "undecided" if "?" in code else "proved"
    checked(verdict, [code], [roots()])
    with pytest.raises(GoughError, match="boxes that touch have different solutions"):
        checked(verdict, [code], [roots(sheet=lambda x: 1.0 if x < 2.4 else -1.0)])


def test_solutions_begin_at_home_and_continue_from_claim_to_claim():
    ways = [roots([1, 4]), roots([4, 2]), roots([2, 2])]
    checked("proved", ["+", "a++", "+"], ways, [exact(1)])
    other = roots([2, 2], lambda _: -1.0)
    for claims, home in ((ways, -1), (ways, 1 + 1e-8), ([*ways[:2], other], 1), ([other], 2)):
        with pytest.raises(GoughError, match="begins with another solution than home"):
            checked("proved", ["+", "a++", "+"][: len(claims)], claims, [exact(home)])


def code_around_zero(low, high, left_out, depth=0):
    """Code of squares, of which some are left out."""
    if depth == 6:
        return "?" if left_out((low + high) / 2) else "+"
    k, upper, lower = depth % 2, low.copy(), high.copy()
    upper[k] = lower[k] = (low[k] + high[k]) / 2
    halves = (
        code_around_zero(*ends, left_out, depth + 1) for ends in ((low, lower), (upper, high))
    )
    return "ab"[k] + "".join(halves)


def test_a_branch_that_changes_around_a_hole_is_refused():
    """Each box of a ring has one root; no choice of roots is the same in all that touch."""
    square = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    ring = code_around_zero(*square, lambda x: np.abs(x).max() < 0.5)
    with pytest.raises(GoughError, match="boxes that touch have different solutions"):
        checked("undecided", [ring], [around_zero()])
    open_ring = code_around_zero(
        *square, lambda x: np.abs(x).max() < 0.5 or (x[0] < 0 and -0.25 < x[1] < 0)
    )
    checked("undecided", [open_ring], [around_zero()])
    assert open_ring.count("+") > 40
