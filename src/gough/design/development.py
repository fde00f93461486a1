"""A machine developed in one loop [Baiges 1996, Fig. 1.5]: design, control, simulation, verdict."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import degrees, inf
from sys import float_info
from typing import Any

from gough.analysis import Results, Scalar
from gough.analysis.figures import FIGURES, figure_of
from gough.analysis.limits import CONTACT_FORCE, LIMITS, Limit
from gough.analysis.quantities import table_of
from gough.checks import RandomSource, unknown
from gough.design.design import STARTS, Design, NoDesignError
from gough.design.design_result import DesignResult
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table, data_of, plain_value, shown_unit
from gough.errors import GoughError, inside
from gough.fields import Dimension, to_si
from gough.progress import shows_progress
from gough.robot import Robot
from gough.simulation import Tuned, tune
from gough.simulation.results import OF_THE_RUN
from gough.simulation.simulate import UNSTABLE
from gough.simulation.tuning.margins import SaturatedError
from gough.studies import Study, run_one
from gough.studies.reading import read_tables

FASTER = 1.5
"""Factor by which the loop's frequency is raised where the platform does not follow well."""
ROUNDS = 8  # maximum number of frequencies
_SLOWER = "a shorter period or delay of the controller, other sensors, or a slower motion"
_STRONGER = "actuators (gough select) with more force, or a motion with less"


@dataclass(frozen=True)
class LimitCheck:
    """A figure of the simulation beside its limit."""

    figure: Scalar
    bound: float
    """[unit of the figure]"""
    at_least: bool
    """Whether the figure must be at least the bound, not at most."""

    @property
    def holds(self) -> bool:
        """Whether it does; a figure without a number does not."""
        value = self.figure.value
        return value >= self.bound if self.at_least else value <= self.bound

    @property
    def excess(self) -> float:
        """The value as a multiple of the bound, of which it is at most."""
        return self.figure.value / max(self.bound, float_info.min)

    @property
    def is_error(self) -> bool:
        """Whether it is an error of following, which a faster loop makes smaller."""
        quantity = figure_of(self.figure.name).quantity
        return quantity is not None and quantity.group == "following"

    @property
    def row(self) -> tuple[str, float, float, str, str, str]:
        """Figure, value, bound, unit, place, and whether it holds."""
        name, holds = self.figure.name.replace("_", " "), "yes" if self.holds else "no"
        unit = shown_unit(self.figure.unit)
        return name, self.figure.value, self.bound, unit, self.figure.place, holds

    def __str__(self) -> str:
        name, value, bound, unit, place, _ = self.row
        words = f"{name} is {value:.4g} {unit}".rstrip() + (f" ({place})" if place else "")
        side = "at least" if self.at_least else "at most"
        return f"{words}; expected {side} {bound:.4g} {unit}".rstrip()


@dataclass(frozen=True, eq=False)
class Development(Displayable):
    """The verdict on a machine, with all that led to it."""

    robot: Robot
    """The machine that was found; of infeasible requirements the one to begin with."""
    design: DesignResult | None = None
    """None of a machine that was given, or where no design was found."""
    frequency: float | None = None
    """Frequency of the controller's poles [Hz]; None with gains of one's own."""
    tuned: Tuned | None = None
    results: Results | None = None
    """The simulation; None if there was none."""
    checks: tuple[LimitCheck, ...] = ()
    reasons: tuple[str, ...] = ()
    """Reasons why it is refused; none if it is accepted."""
    changes: tuple[str, ...] = ()
    """Changes that would help."""

    @property
    def accepted(self) -> bool:
        """Whether all requirements and limits hold."""
        return not self.reasons

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and the verdict."""
        return self.robot.name, "accepted" if self.accepted else "refused"

    @property
    def warnings(self) -> list[str]:
        """Reasons and changes."""
        return [*self.reasons, *(f"change: {words}" for words in self.changes)]

    def tables(self) -> list[Table]:
        """The figures beside their limits, the controller, the design with its requirements."""
        heads = ("figure", "value", "limit", "unit", "where", "holds")
        tables = [Table.of("Limits", heads, [check.row for check in self.checks])]
        if self.tuned is not None:
            phase = degrees(min(leg.phase for leg in self.tuned.quality.legs))
            rows = [("frequency", self.frequency, "Hz"), ("minimum phase margin", phase, "deg")]
            tables.append(Table.properties(self.tuned.controller.name, rows))
        return [*tables[not self.checks :], *(self.design.tables() if self.design else ())]

    def to_dict(self) -> PlainData:
        """Everything but the robot as plain data."""
        checks = [
            data_of(check.figure, "name value unit place") | data_of(check, "bound at_least holds")
            for check in self.checks
        ]
        parts = {"limits": checks, "controller": self.tuned, "simulation": self.results}
        more = {name: plain_value(part) for name, part in parts.items()}
        return data_of(self, "accepted reasons changes frequency design") | more


@shows_progress
def develop(
    design: Design | Robot,
    study: Study,
    *,
    limits: Mapping[str, float | str] | None = None,
    starts: int = STARTS,
    rng: RandomSource = 0,
    progress: bool = False,
) -> Development:
    """Design a machine, tune its controller, simulate it, and accept it or tell what to change.

    The machine of a `design` is optimised; a robot is taken as it is. The `study` is a simulation
    from a file or a table, whose robot it replaces. The frequency of its controller is raised until
    all `limits` hold, the loop is no longer stable, or an actuator is at a limit. `limits` are of
    figures of the simulation by name [SI, or text with a unit], such as `peak_position_error`:
    maxima, of margins minima. Limits that the robot states are checked in any case.
    """
    if study.controller is None or not study.written or study.variations:
        problem = "no controller" if study.controller is None else "no single table of a file"
        raise GoughError(f"{study.name}: a study with {problem}; expected one simulation of a file")
    robot = design if isinstance(design, Robot) else design.robot
    bounds = {name: _bound(robot, name, given) for name, given in (limits or {}).items()}
    if isinstance(design, Robot):
        return _controlled(Development(design), study.written, bounds)
    try:
        found = design.optimise(starts=starts, rng=rng)
    except NoDesignError as error:
        needed = (error.needed,) if error.relaxations else ()
        return Development(design.robot, reasons=(str(error),), changes=needed)
    return _controlled(Development(found.robot, found), study.written, bounds)


def _bound(robot: Robot, name: str, given: float | str) -> float:
    """Return a limit of a figure, in its unit on this machine."""
    figure, table = figure_of(name), table_of(robot)
    if figure.name not in FIGURES:
        raise unknown(f"no figure is called {name!r}", name, FIGURES)
    own = table.get(figure.quantity.name) if figure.quantity else None
    as_quantity = own is not None and figure.quantity and figure.unit == figure.quantity.unit
    groups = own.by_unit if own is not None and as_quantity else []
    unit = next((g.unit for g in groups if figure.name + g.suffix == name), figure.unit)
    with inside(f"limits.{name}"):
        return to_si(given, Dimension(f"a limit [{unit}]", unit, f'1 or "1 {unit}"'))


def _controlled(begun: Development, data: PlainData, bounds: Mapping[str, float]) -> Development:
    """Return the verdict on a machine, its loop made faster while that alone can help."""
    tables: Any = read_tables(data)
    best, least, frequency = begun, inf, tables.controller.frequency
    for _ in range(ROUNDS):
        own = {} if frequency is None else {"frequency": frequency}
        changed = {"robot": begun.robot.to_dict(), "controller": {**data["controller"], **own}}
        study = Study.from_dict({**data, **changed})
        try:
            tuned = None if frequency is None else _tuned(study.robot, tables, frequency)
        except SaturatedError as error:
            return replace(begun, reasons=(str(error),), changes=(_STRONGER,))
        if tuned is not None and not tuned.quality.stable:
            return _not_faster(best, frequency, "not stable")
        results = run_one(study)
        tried = _judged(replace(begun, frequency=frequency, tuned=tuned), results, bounds)
        failed = [check for check in tried.checks if not check.holds]
        others = [*(check for check in failed if not check.is_error), *_faults(results)]
        excess = max((check.excess for check in failed), default=0.0)
        if best is not begun and (others or not excess < least):
            return _not_faster(best, frequency, others[0] if others else "errors are no smaller")
        best, least = tried, excess
        if frequency is None or others or not failed:
            break
        frequency *= FASTER
    return best


def _not_faster(best: Development, frequency: float, why: object) -> Development:
    """Return a refused machine with the reason why a faster loop does not help."""
    reasons = (*best.reasons, f"poles of {frequency:.4g} Hz do not help: {why}")
    return replace(best, reasons=reasons, changes=(*best.changes, _SLOWER))


def _faults(results: Results) -> list[str]:
    """Return warnings of a loop that is not stable, and of commands or motors at their limit."""
    return [x for x in results.warnings if x.startswith(UNSTABLE) or OF_THE_RUN in x]


def _tuned(robot: Robot, tables: Any, frequency: float) -> Tuned:
    law = tables.controller
    kind = f"{law.kind}-task" if (law.kind, law.space) == ("computed-torque", "task") else law.kind
    own = {"damping": law.damping, "integral_rate": law.integral_rate}
    own |= {"sampling": tables.simulation.sampling, "drives": tables.plant.drives}
    return tune(robot, kind, frequency, **own)


def _judged(begun: Development, results: Results, bounds: Mapping[str, float]) -> Development:
    """Return a simulated machine with its checks, reasons against it and what would change them."""
    checks = tuple(_checks(results, bounds))
    failed = [check for check in checks if not check.holds]
    limits = {limit.figure: limit for limit in LIMITS}
    passed = [limits.get(figure_of(check.figure.name).name) for check in failed]
    changes = [_change(limit) for limit in passed if limit]
    if any(check.is_error for check in failed):
        changes.append("a controller that knows the machine's dynamics, or a slower motion")
    faults = _faults(results)
    changes += [_SLOWER if words.startswith(UNSTABLE) else _STRONGER for words in faults]
    reasons, ended = [*map(str, failed), *faults], results.simulation and results.simulation.ended
    if ended and ended.kind != "completed":
        reasons.append(ended.text or f"the run ended early: {ended.kind}")
    gains = begun.design.gains if begun.design and reasons else []
    told = tuple(reasons), tuple(dict.fromkeys([*changes, *gains]))
    return replace(begun, results=results, checks=checks, reasons=told[0], changes=told[1])


def _change(limit: Limit) -> str:
    """Return what would keep a limit."""
    if limit is CONTACT_FORCE:
        return "softer connectors, a slower approach, or a higher limit of the contact force"
    whose = "joints" if "joint" in limit.holder else "actuators (gough select)"
    return f"{whose} with more {limit.name}, or a motion with less"


def _checks(results: Results, bounds: Mapping[str, float]) -> Iterator[LimitCheck]:
    """Yield the limits that were given, and the margins of those that the robot states."""
    summary = results.summary
    for name, bound in bounds.items():
        if name not in summary:
            raise unknown(f"the simulation has no figure {name!r}", name, summary)
        yield LimitCheck(summary[name], bound, figure_of(name).worst == "min")
    for name, figure in summary.items():
        if figure_of(name).alarming == "below zero" and name not in bounds:
            yield LimitCheck(figure, 0.0, at_least=True)
