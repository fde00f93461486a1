"""Warnings that a user must know before using a study's figures."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import degrees

import numpy as np

from gough.analysis.axes import SUFFIXES
from gough.analysis.limits import LIMITS
from gough.analysis.quantities import DEFINITIONS, OF_RESTING_BASE, in_groups, table_of, wanted
from gough.analysis.results import Quantity, Scalar, SingularPoint
from gough.analysis.singular import Approach, Encounters
from gough.arrays import Array
from gough.fields.display_units import SI, DisplayUnits
from gough.motion import Missed, Motion, MotionSamples, Task, missed_between, missed_load
from gough.robot import Robot

FEW = 10_000
"""Maximum number of samples that are made again for a check whose result is cached."""
_SAMPLES_A_PERIOD = 10
"""Samples per period that show the peak of a sine to 5 %, wherever they are."""


def warnings_of(
    summary: Mapping[str, Scalar],
    samples: int,
    met: Encounters | None = None,
    jumps: Sequence[float] = (),
    units: DisplayUnits = SI,
) -> tuple[str, ...]:
    """Warnings of a study with samples, singular points `met` and `jumps` of acceleration [s]."""
    met = met or Encounters()
    when = ", ".join(f"{t:.4g} s" for t in jumps[:6]) + (", …" if len(jumps) > 6 else "")
    jumping = [f"the acceleration of the motion jumps at {when}: forces jump there as well"]
    return (
        *_singular(met.points, units),
        *_without_forces(summary, samples, met.points),
        *_limits(summary, units),
        *(_near_singular(approach, units) for approach in met.approaches),
        *(jumping if jumps else ()),
    )


def reach_warnings(time: Array, positions: Quantity) -> list[str]:
    """A warning that actuators cannot reach what is asked of them; none if they all can."""
    missing = np.isnan(positions.values)
    at = missing.any(axis=1)
    if not at.any():
        return []
    first = int(np.argmax(at))
    names = positions.axes[0].titles(missing.shape[1])
    those = ", ".join(names[k] for k in np.flatnonzero(missing[first]))
    return [
        f"the machine does not reach {at.sum()} of {len(time)} samples, first at {time[first]:.6g} "
        f"s: the leg of {those} cannot be assembled there"
    ]


def resting_base_warnings(
    names: Sequence[str], robot: Robot, *, tolerances: bool = False
) -> list[str]:
    """A warning that quantities asked for are left out, because they need a base at rest."""
    lost = wanted(names) & OF_RESTING_BASE & table_of(robot).keys()
    lost -= set() if tolerances else {*in_groups("tolerances")}
    known = (name for name in DEFINITIONS if name in lost)
    words = dict.fromkeys(name if name in names else DEFINITIONS[name].group for name in known)
    none = " and no ".join(words)
    return [f"the results have no {none}: known for a base at rest only"] if words else []


def motion_warnings(
    motion: Motion,
    samples: MotionSamples,
    time: Array,
    units: DisplayUnits = SI,
    name: str = "the motion",
) -> list[str]:
    """Warnings about a motion that is a guess, or faster than its samples at some times [s]."""
    if len(time) <= FEW and _can_be_hashed(motion):
        content = b"".join(values.tobytes() for values in samples)
        missed = _missed(motion, float(time[0]), float(time[-1]), len(time), content)
    else:
        missed = missed_between(motion, samples, time)
    if missed is None:
        return list(motion.cautions)
    return [*motion.cautions, f"{name} {_between_samples(missed, time, units)}"]


def base_warnings(base: Motion, time: Array, units: DisplayUnits = SI) -> list[str]:
    """Warnings about the motion of the base, at some times [s]."""
    return motion_warnings(base, base(time), time, units, "the motion of the base")


def _can_be_hashed(motion: Motion) -> bool:
    try:
        hash(motion)
    except TypeError:
        return False
    return True


@lru_cache(maxsize=64)
def _missed(motion: Motion, start: float, end: float, count: int, content: bytes) -> Missed | None:
    """Return the change that `count` samples of a motion miss; most grid points share a motion.

    A motion of a user may change: `content`, the samples, are others then.
    """
    del content
    time = np.linspace(start, end, count)
    return missed_between(motion, motion(time), time)


def task_warnings(
    tasks: Sequence[Task],
    motion: Motion,
    samples: MotionSamples,
    time: Array,
    units: DisplayUnits = SI,
) -> list[str]:
    """Warnings about tasks that samples at equally spaced times [s] do not show as they are."""
    step = float(time[1] - time[0])
    found = []
    for k, task in enumerate(tasks):
        start, end = task.active
        if start > end:
            found.append(f"tasks[{k}] never acts: its table has no times while it is active")
        elif not ((time >= start) & (time <= end)).any():
            found.append(
                f"tasks[{k}] never acts: it is active from {start:.6g} s to {end:.6g} s, and the "
                f"samples are from {time[0]:.6g} s to {time[-1]:.6g} s, {step:.3g} s apart"
            )
        elif task.period is not None and task.period < _SAMPLES_A_PERIOD * step * (1 - 1e-9):
            found.append(
                f"tasks[{k}] repeats every {task.period:.3g} s, and the samples are {step:.3g} s "
                "apart: its peaks are missed, and it can look slower than it is; expected a rate "
                f"of at least {_SAMPLES_A_PERIOD / task.period:.6g} Hz"
            )
        elif missed := missed_load(task, motion, samples, time):
            found.append(f"tasks[{k}] {_between_samples(missed, time, units)}")
    return found


def _between_samples(missed: Missed, time: Array, units: DisplayUnits) -> str:
    """Return a description of a change between samples."""
    rate = "a much higher rate" if missed.rate is None else f"a rate of {missed.rate:.6g} Hz"
    return (
        f"changes between samples that are {time[1] - time[0]:.3g} s apart, first after "
        f"{missed.after:.6g} s, where its {missed.what} is "
        f"{units.text(missed.size, missed.unit, 2)} from what they show: peaks are missed; "
        f"expected {rate}"
    )


def _singular(points: Sequence[SingularPoint], units: DisplayUnits) -> list[str]:
    """Return warnings of singular configurations for the forces: those without a bound first."""
    unbounded, passed = ([p for p in points if p.bounded == which] for which in (False, True))
    lacking = [
        f"{units.text(abs(p.residual), 'N')} at {p.time:.6g} s ({100 * p.share:.3g} %)"
        for p in unbounded
        if p.residual is not None and p.share is not None
    ]
    needs = "; of what the motion needs along the escaping motion the actuators lack "
    more = needs + ", ".join(lacking[:6]) if lacking else ""
    found = {
        f"the motion meets {_listed(unbounded)}: forces have no bound there, and no figures of "
        f"forces are given{more}": unbounded,
        f"the motion crosses {_listed(passed)}: it can, because what it needs does no work on the "
        "escaping motion; forces are the limits along the motion, their shares have none": passed,
    }
    return [words for words, those in found.items() if those]


def _listed(points: Sequence[SingularPoint]) -> str:
    times = ", ".join(f"{p.time:.6g} s ({p.words})" for p in points[:6])
    more = f" and {len(points) - 6} more" if len(points) > 6 else ""
    return f"{len(points)} singular configuration{'s' * (len(points) > 1)}, at {times}{more}"


def _without_forces(
    summary: Mapping[str, Scalar], samples: int, points: Sequence[SingularPoint]
) -> list[str]:
    figure = summary.get("samples_without_forces")
    if figure is None or not figure.value:
        return []
    lost = any(not point.bounded for point in points)
    why = "next to singular configurations they have no bound" if lost else "they are not numbers"
    count = f"{int(figure.value)} of {samples} samples have no forces"
    return [f"{count}, the first at {figure.time:.6g} s: {why}"]


def _limits(summary: Mapping[str, Scalar], units: DisplayUnits) -> Iterator[str]:
    """Who passes a limit most, by how much and when, and how many others do."""
    limits = {limit.figure + kind: limit for limit in LIMITS for kind in SUFFIXES}
    for limit, figure in ((limits[name], summary[name]) for name in limits if name in summary):
        if (size := -figure.value) > 0:
            others = sum(value < 0 for value in figure.per_leg) - 1
            holder = "joint" if "joint" in limit.holder else "actuator"
            what = f"{holder if figure.labels else 'leg'}{'s' * (others > 1)}"
            also = f" ({others} more {what} too)" if others > 0 else ""
            amount = units.text(size, figure.unit, 3 if figure.unit == "W" else 4)
            own = {"size": size, "percent": 100 * size, "angle": _angle(size, units)}
            words = limit.passed.format(amount=amount, **own)
            at = "" if figure.time is None else f" at {figure.time:.4g} s"
            yield f"{figure.place} {words}{at}{also}".strip()


def _angle(value: float, units: DisplayUnits) -> str:
    return units.text(value, "rad", 3) if units.angle else f"{degrees(value):.3g} deg"


def _near_singular(approach: Approach, units: DisplayUnits) -> str:
    number, leg, kind = approach.condition_number, approach.leg, approach.kind
    words = f"the motion comes near a singular configuration: condition number {number:.3g}"
    if kind == "first axis":
        angle = _angle(1 / number, units)
        words = f"leg {leg} comes near the first axis of its universal joint: {angle} from it"
    elif kind == "no length":
        words = f"leg {leg} is almost without length"
    elif kind in ("serial", "passive", "constraint"):
        pivot = f"pivot{'' if leg is None else f' {leg}'} is {1 / number:.3g} of that at home"
        words = f"the motion comes near a {kind} singularity: {pivot}"
    grow = "forces grow there, and between samples they can be larger than at any of them"
    return f"{words} at {approach.time:.4g} s; {grow}"
