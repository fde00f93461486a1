"""Machines of one kind whose numbers differ, geometry too: equations in the numbers of their file.

The home configuration is made of traced numbers (see `traced`), so that every constant of the
equations is a formula in the file's numbers; decisions for the machine itself hold for all. This is
checked on a neighbour, which is analysed by itself: it must be of the same kind, and the family's
equations must give its positions and rates.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.closure.assembled import posture
from gough.equations.closure.constraint_rows import PlatformPlacement
from gough.equations.machine import Leg, Machine
from gough.equations.spatial.algebra import Value
from gough.equations.tree.joints import Prismatic
from gough.errors import GoughError
from gough.model.mechanism import reading
from gough.model.mechanism.decisions.freedoms import possible_twists
from gough.model.mechanism.decisions.positions import Trial, with_positions
from gough.model.mechanism.home.drawing import Given, drawn
from gough.model.mechanism.legs.bearings import loads_of
from gough.model.mechanism.legs.carriers import description_of
from gough.model.mechanism.numbers import weights
from gough.model.mechanism.numbers.mass import NUMBERS, Mass
from gough.model.mechanism.numbers.traced import Traced, as_value
from gough.model.mechanism.numbers.weights import Masses, asymmetries, loaded_with, rigid_bodies
from gough.model.named_numbers import Numbers, constants, shaped, taken_from
from gough.model.standard import first_moving_joints, standard_points
from gough.model.variables import by_name, with_chosen
from gough.robot import Mechanism
from gough.robot.numbers import one_by_one
from gough.robot.variables import drawn_numbers, stated_numbers

AWAY = 0.01
"""Difference of the neighbour's numbers from the machine's, relative or in machine sizes."""
EXACT = 1e-7  # tolerance of the family's equations for the rates of the neighbour's joints


def machine_of_mechanism(
    mechanism: Mechanism, vector: Value | None, names: tuple[str, ...]
) -> Machine:
    """The machine with the robot's numbers as constants, or those of a vector: see `machine_of`.

    Its geometry is none of the parameters: few machines keep their mobility when one of their
    points moves. With `names` it is made of the numbers of the file; GoughError if other numbers
    there make another kind of machine.
    """
    if vector is None:
        return reading.analysed(mechanism).machine
    if names:
        return _Family(mechanism, names, vector).machine()
    found = reading.analysed_geometry(reading.geometry_of(mechanism))
    return reading.completed(mechanism, found, taken_from(mechanism, vector))


@lru_cache(maxsize=64)
def _neighbour(
    mechanism: Mechanism, names: tuple[str, ...], file: str
) -> tuple[Array, reading.Analysis]:
    """All numbers of the file (2, v), these a little different, and the analysis of the latter."""
    stated = stated_numbers(mechanism)
    own, known = np.concatenate([*stated.values()]), one_by_one(stated)
    free = np.isin(known, names)
    rng = np.random.default_rng(1)
    step = rng.uniform(0.5, 1.0, len(own)) * rng.choice([-1.0, 1.0], len(own)) * AWAY
    size = reading.analysed_geometry(reading.geometry_of(mechanism)).masses.size
    other = own + np.where(free, step * np.where(own == 0.0, size, own), 0.0)
    given = drawn_numbers(mechanism, by_name(stated, other.tolist()))
    found = reading.analysed_drawing(mechanism, drawn(mechanism, given))
    before, after = (
        asymmetries(found.masses, rigid_bodies(mechanism, numbers))
        for numbers in (constants(mechanism), _numbers(mechanism, given))
    )
    for body in after.keys() - before.keys():
        raise GoughError(after[body])
    return np.array([own, other]), found


def _numbers(mechanism: Mechanism, given: Given) -> Numbers:
    """Numbers of a robot by their names: those given, others as they are."""
    own = constants(mechanism)
    return lambda name: shaped(as_value(np.array(given[name]))) if name in given else own(name)


class _Family:
    """The equations of a machine in some numbers of its file."""

    def __init__(self, mechanism: Mechanism, names: tuple[str, ...], parameters: Value) -> None:
        self.mechanism, self.parameters = mechanism, parameters
        known = one_by_one(stated_numbers(mechanism))
        self.places = [known.index(name) for name in names]
        self.found = reading.analysed_geometry(reading.geometry_of(mechanism))
        with _explained(mechanism, names):
            values, near = _neighbour(mechanism, names, str(mechanism.written.in_full))
            _refuse_other_kind(self.found, near)
            pairs = zip(values[:, self.places].T, ca.vertsplit(parameters), strict=True)
            traced = with_chosen(mechanism, names, [Traced(*pair) for pair in pairs])
            self.given = drawn_numbers(mechanism, traced)
            """All that is drawn from the file's numbers, those with names as symbols."""
            self.numbers = _numbers(mechanism, self.given)
            self.draft = self._draft(self._masses())
            self.legs = self._solved(values, near)

    def machine(self) -> Machine:
        """With all its numbers."""
        carriers, axes = self.draft.carriers, self.found.decided.axes
        loads, members = loads_of(carriers, self.draft.masses, axes)
        pairs = zip(loads.bearings, self.found.machine.description.loads.bearings, strict=True)
        loads = replace(loads, bearings=tuple(replace(b, known=k.known) for b, k in pairs))
        machine = replace(
            self.found.machine,
            legs=self.legs,
            frame_convention=reading.frame_convention_of(
                self.mechanism, self.found.decided, self.draft
            ),
            description=description_of(carriers, loads),
        )
        masses = self._weighing(self.draft, members)
        gravity, bodies = self.numbers("gravity"), rigid_bodies(self.mechanism, self.numbers)
        heavy = replace(machine, gravity=machine.frame_convention.axes @ gravity)
        loaded = weights.weighed(
            machine, masses, gravity, bodies, partial(self._with_bodies, heavy)
        )
        return reading.with_other_numbers(
            loaded,
            masses,
            self.mechanism,
            self.numbers,
            reading.analysed(self.mechanism).machine.springs,
        )

    def _draft(self, masses: Sequence[Mass]) -> reading.Draft:
        decided = self.found.decided
        drawing = drawn(self.mechanism, self.given, masses).with_joints(decided.held)
        return reading.turned_draft(drawing, decided.axes, decided.turning)

    def _masses(self) -> list[Mass]:
        """Return the masses of the platform in its own frame, and of all bodies."""
        bodies = {f"bodies[{k}]": body for k, body in enumerate(self.mechanism.bodies)}
        return [
            Mass.of_body(
                *(
                    np.array(self.given.get(f"{at}.{key}", getattr(record, key)))
                    for key in ("mass", "center_of_mass", "inertia")
                )
            )
            for at, record in {"platform": self.mechanism.platform, **bodies}.items()
        ]

    def _weighing(self, draft: reading.Draft, members: tuple[Mass, ...]) -> Masses:
        decided, mechanism = self.found.decided, self.mechanism
        weight = mechanism.platform.mass + sum(body.mass for body in mechanism.bodies)
        points = standard_points(mechanism)
        return weights.masses_of(draft, decided.turning, members, points, decided.draft, weight)

    def _with_bodies(self, machine: Machine, standard: Value) -> Machine:
        """Return the machine with these standard inertial parameters of its bodies."""
        masses = []
        joints = [None, *first_moving_joints(self.mechanism)]
        values = np.random.default_rng(2).uniform(0.5, 1.0, standard.shape[0])
        own = [Traced([x, x], standard[k]) for k, x in enumerate(values)]
        for k, joint in enumerate(joints):
            m, *rest = own[k * NUMBERS : (k + 1) * NUMBERS]
            xx, yy, zz, xy, xz, yz = rest[3:]
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            sigma = np.trace(J) / 2 * np.eye(3) - J
            at = np.zeros(3) if joint is None else np.array(self.given[f"joints[{joint}].at"])
            masses.append(Mass(m, np.array(rest[:3]), sigma).seen_from(np.eye(3), at))
        return loaded_with(machine, self._weighing(self._draft(masses), ()), None)

    def _solved(self, both: Array, near: reading.Analysis) -> tuple[Leg, ...]:
        """The legs with plans and positions, tried on the machine and on its neighbour."""
        trials = [
            Trial(found.decided.samples, self.parameters, ca.DM(values[self.places]))
            for found, values in zip((self.found, near), both, strict=True)
        ]
        pairs, legs = zip(self.draft.parts, self.found.machine.legs, strict=True), []
        for k, (part, template) in enumerate(pairs):
            leg = replace(part.leg, plan=template.plan)
            closes = self.found.decided.T is not None
            at_home = self.draft.at_home
            solved = with_positions(leg, k, at_home, trials, closes, template=template)
            if solved.iterated and (not template.iterated or self.mechanism.branch is not None):
                raise GoughError("the positions of a leg have no closed form there")
            if not solved.iterated:
                _refuse_other_rates(solved, k, trials[-1])
            legs.append(solved)
        return reading.counted_as_drawn(self.mechanism, legs, self.found.machine.own_numbers)


@contextmanager
def _explained(mechanism: Mechanism, names: tuple[str, ...]) -> Iterator[None]:
    """Say of which machine and numbers it is that something cannot be."""
    try:
        yield
    except GoughError as error:
        some = ", ".join(names[:4]) + (" and others" if len(names) > 4 else "")
        raise GoughError(
            f"{mechanism.name}: {some} cannot be parameters: at other values it is no machine of "
            f"the same kind: {error}"
        ) from None


def _refuse_other_kind(own: reading.Analysis, other: reading.Analysis) -> None:
    """Refuse a neighbour that moves otherwise, or has other legs."""
    mine, its, here, there = own.structure, other.structure, own.decided, other.decided
    same = {
        "freedoms": mine.mobility == its.mobility,
        "conditions that say nothing new": mine.overconstrained == its.overconstrained,
        "joints": mine.joints == its.joints,
        "loops": mine.loop_joints == its.loop_joints,
        "bodies that spin": mine.passive_rotations == its.passive_rotations,
        "axes of its turns": here.turning == there.turning,
        "moves that are constant": (here.T is None) == (there.T is None),
        "reactions known": [r.known for r in mine.reactions] == [r.known for r in its.reactions],
        "moves": here.T is None or there.T is None or _agree(here.T, there.T),
        "planes of motion": _agree(here.axes, there.axes),
        "change points": _agree(
            *(np.array(found.machine.freedom.on_branch or ()) for found in (own, other))
        ),
    }
    for words, agree in same.items():
        if not agree:
            raise GoughError(f"it has other {words}")


def _agree(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=0.0, atol=1e-9))


def _refuse_other_rates(leg: Leg, number: int, trial: Trial) -> None:
    """Refuse equations that do not give the rates of a leg's joints of a neighbour."""
    if not leg.joints:
        return
    p, R, V = ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3), ca.SX.sym("V", 6)
    at = posture(leg, leg.positions(p, R), PlatformPlacement(p, R))
    rates = ca.vertcat(*at.jacobian(V))
    function = ca.Function("rates", [p, R, V, trial.symbols], [rates])
    slides = np.array([isinstance(joint, Prismatic) for joint in leg.joints])
    for sample in trial.samples:
        twist = possible_twists(sample).sum(axis=1)
        wanted = np.linalg.lstsq(sample.A[number], sample.B[number] @ twist, rcond=1e-9)[0]
        place = sample.position, sample.rotation, twist * sample.scales
        found = np.array(function(*place, trial.values)).ravel()
        scales = np.where(slides, sample.scales[0], 1.0)
        if not np.abs(found / scales - wanted).max() < EXACT * max(1.0, np.abs(wanted).max()):
            raise GoughError("its joints move otherwise")
