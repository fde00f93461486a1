"""Spring network of a machine with elastic links and bearings: its minimum of energy.

V is the platform's displacement, e the strains of links and bearings, whose compliance is C. Drives
and flexures move by N V + P e and push back by k; other rows tie both together: N V + P e = 0. With
the forces s of all of these [Pashkevich, Chablat & Wenger 2009]

    e = -C Pᵀ s,  s = k (N V + P e),  Nᵀ s = wrench

where s, in place of k, is what holds the ties. Overconstrained machines have more ties than the
platform needs: these strain one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import cross, dot

from gough.equations.closure.assembled import Assembled, LegPosture
from gough.equations.closure.constraint_rows import CutRod, Held, wrench_of
from gough.equations.motion import motions
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, unit
from gough.equations.tree import description as tree
from gough.equations.tree.bodies import ZERO, Twist

TYPICAL = 1e-7  # a compliance [m/N, rad/(N m)] that brings forces and displacements to like sizes


@dataclass(frozen=True)
class Network:
    """Springs condensed to the platform's coordinates u, in the machine's axes."""

    K: Value  # stiffness along u, with no other load (n x n)
    T: Value  # derivative of the platform's displacement by u (6 x n)
    C: Value  # compliance of the platform at constant u (6x6)


def network(at: Assembled, springs: tree.Springs, stiffness: Sequence[Value]) -> Network:
    """The springs with these stiffnesses of the motors."""
    inside, outside = at.machine.freedom.inside, at.machine.freedom.outside
    parts, C = _parts(at, springs, stiffness)
    N, P = ca.vertcat(*(N for N, _, _ in parts)), ca.vertcat(*(P for _, P, _ in parts))
    ks = [k for N_k, _, k in parts for _ in range(N_k.shape[0])]
    gain = ca.diag(ca.vertcat(*(1 / TYPICAL if k is None else k for k in ks)))
    share = ca.diag(ca.vertcat(*(ca.DM(k is not None) for k in ks)))  # 0 for those of ties
    n, across, count = inside.shape[1], outside.shape[0], N.shape[0]
    first = [share + gain @ (P @ C @ P.T), -TYPICAL * (gain @ N @ outside.T)]
    matrix = ca.blockcat([first, [outside @ N.T, ca.DM.zeros(across, across)]])
    found = solve(matrix, ca.diagcat(gain @ N @ inside, ca.DM.eye(across)))
    s, y = found[:count, :], TYPICAL * found[count:, :]
    return Network(
        inside.T @ N.T @ s[:, :n], inside + outside.T @ y[:, :n], outside.T @ y[:, n:] @ outside
    )


def _parts(
    at: Assembled, springs: tree.Springs, stiffness: Sequence[Value]
) -> tuple[list[tuple[Value, Value, Value | None]], Value]:
    """N, P and k (None of a tie) of all drives, ties and flexures; compliance of all strains."""
    frames, parts = motions.frames_of(at.platform, at.legs), springs.elastic_parts
    legs = [strained(k, leg, frames, parts) for k, leg in enumerate(at.legs)]
    found: list[tuple[Value, Value, Value | None]] = []
    by_V = [leg.jacobian(ca.DM.eye(6)) for leg in at.legs]
    for (leg, joint), k in zip(at.machine.motors, stiffness, strict=True):
        found.append((by_V[leg][joint], _among(legs, leg, legs[leg].q_dot[joint]), k))
    for strained_leg, closing in zip(legs, springs.closing, strict=True):
        for row in closing:
            N, opened = strained_leg.closing(row)
            found.append((N, _among(legs, strained_leg.number, -opened), None))
    bent = strained_flexures(at, frames, legs, springs.flexures)
    flexures = flexure_springs(at, springs.flexures, ca.DM.eye(6))
    found += [(N, P, k) for (k, N), P in zip(flexures, bent, strict=True)]
    ordered = (part for leg in legs for part in parts if part.leg == leg.number)
    return found, ca.diagcat(*(_compliance(part, frames) for part in ordered))


def _compliance(part: tree.ElasticPart | tree.ElasticRod, frames: motions.LinkFrames) -> Value:
    """Compliance of a part at a pose."""
    own = part.compliance
    if not isinstance(own, tree.Telescope):
        return own
    assert isinstance(part, tree.ElasticPart)
    length = ca.norm_2(frames.point(part.place) - frames.point(own.start))
    return tree.telescope_compliance(length, own.cylinder, own.piston)


def _among(legs: Sequence[Strained], number: int, row: Value) -> Value:
    """A row over the strains of one leg among those of all."""
    return ca.horzcat(
        *(row if leg.number == number else ca.DM.zeros(1, len(leg.strains)) for leg in legs)
    )


# Flexures: joints that resist their motion, as springs between the bodies that they join


def flexure_springs(
    at: Assembled, flexures: Sequence[tree.Flexure], basis: Value
) -> list[tuple[Value, Value]]:
    """Stiffness of all flexures, and their rates by the columns of a twist basis."""
    if not flexures:
        return []
    twists = [Twist.of(V) for V in ca.horzsplit(basis)]
    moving = [motions.velocities_of(at, twist) for twist in twists]
    found, spins = [], dict[int, list[tuple[Value, Value]]]()
    for flexure in flexures:
        k, pair = flexure.stiffness, flexure.pair
        N = ca.horzcat(*(ca.vertcat(*rates.of_pair(pair)) for rates in moving))
        if flexure.line is not None:
            line, _, sign = tree.line_of(pair)
            s = unit(moving[0].frames.direction(line))
            spins.setdefault(flexure.line, []).append((k, -sign * (s.T @ N)))
            N -= s @ (s.T @ N)
        found.append((k, N))
    for (k, x), (l, y) in (ends for ends in spins.values() if len(ends) == 2):
        found.append((k * l / (k + l), x - y))  # in series: between them all spins
    return found


def strained_flexures(
    at: Assembled,
    frames: motions.LinkFrames,
    legs: Sequence[Strained],
    flexures: Sequence[tree.Flexure],
) -> list[Value]:
    """Rates of all flexures by the strains of all legs; none of them ends a line that spins."""
    if not flexures:
        return []
    every = ((leg, k, strain) for leg in legs for k, strain in enumerate(leg.strains))
    moving = [(strain, rates_of_strain(at, frames, leg, k)) for leg, k, strain in every]
    found = []
    for flexure in flexures:
        pair, k = flexure.pair, flexure.joint
        columns = (rates.of_pair(pair, strain.rotation(k)) for strain, rates in moving)
        found.append(ca.horzcat(*(ca.vertcat(*column) for column in columns)))
    return found


# Strains: small displacements e of elastic parts of a leg, beside the rates of the joints:
# A q̇ + E e = B V


@dataclass(frozen=True)
class Strain:
    """One strain of a leg: a unit translation or rotation at a point, in the machine's axes."""

    part: tree.ElasticPart | tree.ElasticRod
    way: Value
    turn: Value
    at: Value

    def opens(self, number: int, held: Held) -> Sequence[Value | float]:
        """Return the effect of the strain on the rows of a cut joint."""
        if isinstance(self.part, tree.ElasticRod):
            long = held.cut.length if isinstance(held.cut, CutRod) else ca.DM(0)
            return [long if number == self.part.cut else ca.DM(0)] * len(held.rows)
        sign = dict(self.part.cuts).get(number, 0)
        if not sign:
            return [ca.DM(0)] * len(held.rows)
        axes, point = held.reach.axes, held.reach.position if sign > 0 else held.position
        v, omega = axes.T @ self.velocity(point), axes.T @ self.turn
        return [sign * (dot(row.force, v) + dot(row.couple, omega)) for row in held.rows]

    def rotation(self, joint: int) -> Value:
        """Return the relative rotation of a joint's bodies that is strain, not motion of it."""
        beyond = dict(self.part.joints) if isinstance(self.part, tree.ElasticPart) else {}
        return beyond.get(joint, 0) * self.turn

    def velocity(self, point: Value) -> Value:
        """Return the velocity of a point beyond the strain."""
        return self.way + cross(self.turn, point - self.at)


@dataclass(frozen=True)
class Strained:
    """A leg, and by column what its strains do to it."""

    number: int
    posture: LegPosture
    strains: list[Strain]
    E: list[Value]  # by row of the leg

    @property
    def q_dot(self) -> list[Value]:
        """By joint: its rate by each strain, with the platform at rest."""
        if not self.strains:
            return [ca.DM(1, 0)] * len(self.posture.leg.joints)
        return self.posture.rows.solved([-row for row in self.E])

    def closing(self, row: int) -> tuple[Value, Value]:
        """A row that fixes no joint, freed of all: what it says of V equals what it says of e."""
        weights = self.posture.rows.left_over(row)
        none = ca.DM.zeros(1, len(self.strains))
        opened = sum((w * e for w, e in zip(weights, self.E, strict=True) if self.strains), none)
        return wrench_of(self.posture.cuts, weights).T, opened


def strained(
    number: int,
    posture: LegPosture,
    frames: motions.LinkFrames,
    parts: Sequence[tree.ElasticPart | tree.ElasticRod],
) -> Strained:
    """Return a leg with those elastic parts that are its own."""
    own = (part for part in parts if part.leg == number)
    strains = [strain for part in own for strain in _strains(part, frames)]
    cuts, count = list(enumerate(posture.cuts)), sum(len(held.rows) for held in posture.cuts)
    opened = [[gap for k, held in cuts for gap in strain.opens(k, held)] for strain in strains]
    E = [ca.horzcat(*(column[row] for column in opened)) for row in range(count)]
    return Strained(number, posture, strains, E)


def rates_of_strain(
    at: Assembled, frames: motions.LinkFrames, leg: Strained, number: int
) -> motions.Velocities:
    """Return the rates of all joints by one strain of a leg, with the platform fixed."""
    strain = leg.strains[number]
    q_dot = [[ca.DM(0)] * len(other.leg.joints) for other in at.legs]
    q_dot[leg.number] = [rates[number] for rates in leg.q_dot]
    velocities = motions.velocities_by(at, frames, q_dot, (ZERO, ZERO)).by_link
    if isinstance(strain.part, tree.ElasticPart):
        for link in strain.part.links:
            carrier = tree.LinkRef(leg.number, link)
            v, omega = velocities[carrier]
            more = strain.velocity(frames.by_link[carrier][1])
            velocities[carrier] = v + more, omega + strain.turn
    return motions.Velocities(frames, velocities, q_dot)


def _strains(part: tree.ElasticPart | tree.ElasticRod, frames: motions.LinkFrames) -> list[Strain]:
    if isinstance(part, tree.ElasticRod):
        return [Strain(part, ZERO, ZERO, ZERO)]
    axes = frames.axes(part.place.carrier) @ part.axes
    at = frames.point(part.place)
    units = ((axes[:, c], ZERO) if c < 3 else (ZERO, axes[:, c - 3]) for c in part.components)
    return [Strain(part, *unit, at) for unit in units]
