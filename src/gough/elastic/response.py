"""Frequency responses of compliant machines, and measures of isolation and coupling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table
from gough.errors import GoughError
from gough.poses.given import array_of_numbers
from gough.robot import MOVES

if TYPE_CHECKING:
    from control import StateSpace

Outputs = Literal[
    "displacement", "acceleration", "length", "push",
    "position", "speed", "force", "angle", "rate", "torque",
]  # fmt: skip
Inputs = Literal["force", "stroke", "torque", "turn", "wrench", "base"]
UNITS: dict[str, tuple[str, str]] = {
    "displacement": ("m", "rad"),
    "acceleration": ("m/s^2", "rad/s^2"),
    "wrench": ("N", "N m"),
    "base": ("m/s^2", "rad/s^2"),
    **dict.fromkeys(("length", "position", "stroke"), ("m", "")),
    **dict.fromkeys(("angle", "turn"), ("rad", "")),
    **dict.fromkeys(("push", "force"), ("N", "")),
    "speed": ("m/s", ""),
    "rate": ("rad/s", ""),
    "torque": ("N m", ""),
}
"""Units of each group of signals: of translations or actuators, and of rotations."""


@dataclass(frozen=True)
class FrequencyResponse(Displayable):
    """Frequency response of outputs to inputs."""

    frequencies: Array
    """(f) [Hz]"""
    values: AnyArray
    """(f, outputs, inputs) complex: amplitude by amplitude, and phase, in units of both."""
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    output_units: tuple[str, ...]
    input_units: tuple[str, ...]
    listed = "frequency=frequencies gain phase outputs inputs output_units input_units"

    @property
    def heading(self) -> tuple[str, str]:
        """The kind of result, and the signals."""
        ends = (f"{names[0]} … {names[-1]}" for names in (self.inputs, self.outputs))
        return "frequency response", " to ".join(ends)

    def tables(self) -> list[Table]:
        """Maximum gains of all outputs by each input, with the frequency [Hz]."""
        largest, at = self.gain.max(0), self.frequencies[self.gain.argmax(0)]
        rows = [
            (name, given, float(largest[i, j]), f"({unit})/({by})", float(at[i, j]))
            for i, (name, unit) in enumerate(zip(self.outputs, self.output_units, strict=True))
            for j, (given, by) in enumerate(zip(self.inputs, self.input_units, strict=True))
        ]
        heads = ("output", "input", "maximum gain", "unit", "frequency [Hz]")
        return [Table.of("", heads, rows, most=12)]

    @property
    def gain(self) -> Array:
        """(f, outputs, inputs) amplitude of an output by that of an input."""
        return np.abs(self.values)

    @property
    def phase(self) -> Array:
        """(f, outputs, inputs) by which an output is ahead of an input [rad]."""
        return np.angle(self.values)

    @property
    def transmissibility(self) -> Array:
        """(f) [–] root mean square gain from translations of the base to those of the platform.

        Frobenius norm over the root of the number of inputs [Spanos, Rahman and Blackwood 1995]:
        1 of a machine that follows its base, small where it isolates. Rotations are left out.
        """
        return self._followed("m/s^2")

    @property
    def rotational_transmissibility(self) -> Array:
        """(f) [–] the same from rotations of the base to those of the platform."""
        return self._followed("rad/s^2")

    def _followed(self, unit: str) -> Array:
        rows = [k for k, own in enumerate(self.output_units) if own == unit]
        columns = [k for k, own in enumerate(self.input_units) if own == unit]
        if not rows or len(rows) != len(columns):
            raise GoughError(
                f"transmissibility is from base to acceleration; these are from {self.inputs[0]} "
                f"to {self.outputs[0]} and others"
            )
        block = self.gain[:, rows][..., columns]
        return np.asarray(np.linalg.norm(block, axis=(1, 2)) / np.sqrt(len(columns)))

    @property
    def coupling(self) -> Array:
        """(f) [–] maximum gain off the diagonal over the minimum on it: 0 if decoupled."""
        n = len(self.inputs)
        if len(self.outputs) != n or len({*self.output_units}) * len({*self.input_units}) != 1:
            raise GoughError(
                f"coupling is of as many outputs as inputs of one unit each; these are "
                f"{len(self.outputs)} outputs and {n} inputs"
            )
        beside = self.gain[:, ~np.eye(n, dtype=bool)].max(-1)
        return np.asarray(beside / np.diagonal(self.gain, axis1=1, axis2=2).min(-1))


@dataclass(frozen=True)
class BaseExcitation(Displayable):
    """Response of a platform to base excitation and to a wrench at one frequency or several."""

    robot: str  # the machine's name
    transmissibility: FrequencyResponse  # from the acceleration of the base to that of the platform
    compliance: FrequencyResponse  # from a wrench on the platform to its displacement

    result_kind: ClassVar = "response to motions of the base and to wrenches"

    @classmethod
    def of(cls, system: StateSpace, frequencies: ArrayLike, robot: str = "") -> BaseExcitation:
        """The responses of an `elastic_state_space` at frequencies [Hz]."""
        return cls(
            robot,
            frequency_response(system, frequencies, "acceleration", "base"),
            frequency_response(system, frequencies, "displacement", "wrench"),
        )

    def tables(self) -> list[Table]:
        """Gains at each frequency, as two matrices."""
        titles = {
            "Motion of the platform by the base's at {:g} Hz [–, m/rad]": self.transmissibility,
            "Displacement by wrench at {:g} Hz [m/N, rad/N, rad/(N m)]": self.compliance,
        }
        axes, tables = [*MOVES[:3], *(f"about {name[1:]}" for name in MOVES[3:])], []
        for k, hertz in enumerate(self.compliance.frequencies):
            for title, found in titles.items():
                pairs = zip(axes, found.gain[k].tolist(), strict=True)
                rows = [(axis, *row) for axis, row in pairs]
                tables.append(Table.of(title.format(hertz), ("", *axes), rows))
        return tables

    def to_dict(self) -> PlainData:
        """Gains and phases of each frequency as plain data."""
        parts = {"transmissibility": self.transmissibility, "compliance": self.compliance}
        found = {name: {"gain": one.gain, "phase": one.phase} for name, one in parts.items()}
        return {"frequency": self.compliance.frequencies, **found}


def frequency_response(
    system: StateSpace, frequencies: ArrayLike, outputs: Outputs, inputs: Inputs
) -> FrequencyResponse:
    """Compute the response of an `elastic_state_space` from a group of inputs to one of outputs.

    Frequencies (f) are in Hz. Outputs: "displacement", "acceleration", "length", "push",
    "position", "speed", "force", and of hinges "angle", "rate", "torque". Inputs: "force" or
    "stroke" of the actuators, of hinges "torque" or "turn"; "wrench", "base". A base that rotates
    tilts, so that gravity rotates in it: the response to it is infinite at 0 Hz.
    """
    hertz = array_of_numbers(frequencies, "frequencies")
    if hertz.ndim != 1 or not np.isfinite(hertz).all():
        raise GoughError(f"frequencies have the shape {hertz.shape}; expected (f,) finite numbers")
    rows = group_of(system.output_labels, outputs, get_args(Outputs), "outputs")
    columns = group_of(system.input_labels, inputs, get_args(Inputs), "inputs")
    s = 2j * np.pi * hertz
    every = system(s, squeeze=False)
    values = every[np.ix_(rows, columns)]
    if inputs == "base":
        tilts = [k for k, name in enumerate(system.input_labels) if name.endswith("_tilt")]
        by_angle = every[np.ix_(rows, tilts)]
        with np.errstate(divide="ignore", invalid="ignore"):  # by angular acceleration
            twice_integrated = np.where(s == 0, np.inf, by_angle / s**2)
        values[:, -len(tilts) :] += np.where(by_angle == 0, 0, twice_integrated)
    shown = tuple(system.output_labels[k] for k in rows)
    given = tuple(system.input_labels[k] for k in columns)
    units = (
        tuple(UNITS[group][name.partition("_")[0] in MOVES[3:]] for name in names)
        for group, names in ((outputs, shown), (inputs, given))
    )
    return FrequencyResponse(hertz, np.moveaxis(values, -1, 0), shown, given, *units)


def group_of(labels: list[str], group: str, known: tuple[str, ...], what: str) -> list[int]:
    """Places of the signals of a group; GoughError if there are none."""
    if group not in known:
        raise GoughError(f"{what} is {group!r}; expected one of {', '.join(known)}")
    if group == "displacement":
        return [labels.index(move) for move in MOVES]
    return named_places(labels, (group,), what)


def named_places(labels: list[str], groups: tuple[str, ...], what: str) -> list[int]:
    """Places of the signals of any of some groups; GoughError if there are none."""
    endings = tuple(f"_{group}" for group in groups)
    found = [k for k, name in enumerate(labels) if name.endswith(endings)]
    if not found:
        raise GoughError(
            f"the system has no {what} {' or '.join(map(repr, groups))}: its {what} are "
            f"{', '.join(labels[:3])} …; expected actuators that are compliant or free"
        )
    return found
