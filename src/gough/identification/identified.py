"""Results of identifications: of a machine, and of a payload."""

from dataclasses import dataclass
from math import floor, log10
from typing import ClassVar

import numpy as np

from gough.arrays import Array
from gough.checks import by_name
from gough.digits import short_decimal
from gough.disk.plain_data import PlainData
from gough.display import Brief, Cell, Displayable, Head, Rows, Table, data_of
from gough.model.structure import Structure, structure_of
from gough.motion.tasks.task import Payload
from gough.robot import UPPER, Robot

SIGNIFICANT = 3.0  # minimum distance from zero of what is significant [standard deviations]


@dataclass(frozen=True)
class Parameter:
    """A number that was estimated [SI]."""

    name: str
    formula: str
    """Meaning: for base parameters a sum of standard ones."""
    value: float
    sigma: float
    """Standard deviation of the value; NaN if the measurements leave it open."""
    prior: float
    """Value in the robot file; 0 for frames, which are steps from their nominal fit."""
    unit: str = "SI"
    listed: ClassVar = "change significant"

    @property
    def change(self) -> float:
        """From the prior."""
        return self.value - self.prior

    @property
    def significant(self) -> bool:
        """Whether it differs from zero by more than chance would have it."""
        return abs(self.value) > SIGNIFICANT * self.sigma


@dataclass(frozen=True)
class Lag:
    """By how much efforts come later than lengths or positions."""

    value: float  # [s]
    sigma: float  # its standard deviation [s]; zero where it was given
    period: float = 0.0  # time between the samples of the recording [s]
    listed: ClassVar = "certain"

    @property
    def certain(self) -> bool:
        """Whether there is one, so that it was taken into account."""
        return abs(self.value) > SIGNIFICANT * self.sigma

    @property
    def applied(self) -> float:
        """Lag that was corrected [s]."""
        return self.value if self.certain else 0.0

    @property
    def text(self) -> str:
        """In milliseconds, and what was done."""
        if not self.sigma:
            return f"{1e3 * self.value:.3g} ms, as given"
        places = max(0, 1 - floor(log10(1e3 * self.sigma)))
        found = f"{1e3 * self.value:.{places}f} ± {1e3 * self.sigma:.{places}f} ms"
        if not self.certain:
            return f"{found}: none"
        if abs(self.value - self.period / 2) >= self.period / 10 + SIGNIFICANT * self.sigma:
            return f"{found}: taken into account"
        return (
            f"{found}: taken into account; half a sample: commands that are held from sample to "
            f"sample ({1e3 * self.period:.3g} ms) act so late"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Brief):
    """A motion that the estimate did not see: forces of the actuators (T, n) [N, N m], filtered."""

    time: Array
    measured: Array
    predicted: Array
    before: Array
    """Prediction of the robot file."""

    @property
    def rms(self) -> float:
        """RMS of measured minus predicted forces [N, N m]."""
        return rms(self.measured - self.predicted)

    @property
    def rms_before(self) -> float:
        """RMS with the robot file's own numbers [N, N m]."""
        return rms(self.measured - self.before)


@dataclass(frozen=True, eq=False)
class Identified(Displayable):
    """A robot as a recording shows it: the result of `gough.identify`, with an example there.

    >>> import gough
    >>> gough.Identified.result_kind
    'identification'
    """

    robot: Robot
    """Physically consistent: its bodies can exist."""
    parameters: tuple[Parameter, ...]
    condition: float
    """Condition number of the weighted columns, each of length one."""
    time: Array
    """(T) of the residuals [s]."""
    residuals: Array
    """(T, n) forces of the actuators that are not explained [N, N m], filtered.

    Of redundant actuators (T, d), the forces that do work, one for each degree of freedom."""
    noise: Array
    """(n) their standard deviations."""
    cutoff: float
    """Cutoff of the filter [Hz]."""
    covariance: Array
    """Covariance of the parameters."""
    lag: Lag
    """Lag of efforts behind lengths or positions."""
    notes: tuple[str, ...] = ()
    """Notes of irregularities of the recording, and their treatment."""
    validation: Validation | None = None
    warnings: tuple[str, ...] = ()
    """Why standard deviations may be too small."""
    not_separable: tuple[str, ...] = ()
    """Numbers that forces tell at most as a part of a sum: what `robot` has of them is a
    convention, the split that is nearest to the robot file and whose bodies can exist."""

    result_kind: ClassVar = "identification"
    listed: ClassVar = "robot condition cutoff noise notes warnings not_separable lag parameters"

    def __getitem__(self, name: str) -> Parameter:
        """The parameter of a name; GoughError where none has it."""
        return by_name(self.parameters, name, f"no parameter is called {name!r}")

    @property
    def rows(self) -> list[str]:
        """Names of the forces in `residuals`: actuators, or degrees of freedom."""
        return force_rows(structure_of(self.robot))

    @property
    def unit(self) -> str:
        """Unit of the actuators' forces: N, N m, or both."""
        return structure_of(self.robot).force_unit

    def tables(self) -> list[Table]:
        """Return the fraction of the forces that is explained, and the parameters."""
        unit = self.unit
        found = sum(parameter.significant for parameter in self.parameters)
        rows: Rows = [
            ("significant parameters", f"{found} of {len(self.parameters)}", ""),
            ("condition number", f"{self.condition:.0f}", ""),
            ("filter cutoff", self.cutoff, "Hz"),
            ("not explained, rms", rms(self.residuals), unit),
        ]
        if self.validation is not None:
            rows += [
                ("not explained of the unseen motion, rms", self.validation.rms, unit),
                ("  with the numbers of the robot file", self.validation.rms_before, unit),
            ]
        rows.append(("lag of efforts", self.lag.text, ""))
        rows += [("recording", note, "") for note in self.notes]
        numbers = [
            (p.value, p.sigma, p.prior, p.formula if p.significant else f"? {p.formula}")
            for p in self.parameters
        ]
        heads = ("value", "sigma", "prior", "parameter, SI units")
        note = "? not significant: within three standard deviations of zero"
        return [Table.properties("", rows), Table.of("Parameters", heads, numbers, note)]

    def parameter_table(self) -> Table:
        """The parameters as a page has room for them: with intervals, and how much they changed."""
        heads = (
            Head("Parameter", kind="words", hint="a sum of standard parameters, or friction"),
            Head("Before", "SI", hint="as the robot file says"),
            Head("After", "SI", hint="as the recording says"),
            Head("Standard deviation", "SI"),
            Head("95 % interval", "SI", hint="after, less and more two standard deviations"),
            Head("Change over deviation"),
        )
        rows = []
        for p in self.parameters:
            doubtful = "" if p.significant else "not significant: within three deviations of zero"
            after = Cell(p.value, kind="none" if doubtful else "", hint=doubtful)
            low, high = (short_decimal(p.value + side * 1.96 * p.sigma) for side in (-1, 1))
            changed = abs(p.change) / p.sigma if p.sigma else None
            words = Cell(p.formula, kind="words")
            rows.append((words, p.prior, after, p.sigma, f"{low} … {high}", changed))
        return Table.of("Parameters", heads, rows)

    def remarks(self) -> list[str]:
        """The warnings, and what forces cannot tell."""
        note = (
            f"not separable: {len(self.not_separable)} numbers, which forces tell at most as a "
            "part of a sum. How the robot splits it is a convention: as near to the file as "
            "bodies can exist; `known` states what is known otherwise"
        )
        return [*self.warnings, *([note] if self.not_separable else ())]

    def to_dict(self) -> PlainData:
        """Everything but the series as plain data."""
        seen = self.validation and data_of(self.validation, "rms rms_before")
        return super().to_dict() | {"validation": seen}


@dataclass(frozen=True, eq=False)
class IdentifiedPayload(Displayable):
    """Payload of a platform: the result of `gough.identify_payload`, with an example there.

    >>> import gough
    >>> gough.IdentifiedPayload.result_kind
    'payload'
    """

    robot: Robot
    """The robot with the payload joined to its platform, and what else was estimated of it."""
    payload: Payload
    """A body that can exist: of all such ones the nearest to the estimate."""
    mass: float
    """[kg]"""
    mass_sigma: float
    center_of_mass: Array
    """(3) in the platform's frame [m]; not a number where it is not identifiable."""
    center_sigma: Array
    inertia: Array
    """(3, 3) about its own mass centre, on the platform's axes [kg m^2]."""
    inertia_sigma: Array
    not_explained: float
    """Root mean square of the actuators' forces [N, N m], filtered."""
    without: float
    """Root mean square of the forces without a payload [N, N m]."""
    lag: Lag
    """Lag of efforts behind lengths or positions."""
    notes: tuple[str, ...] = ()
    """Notes of irregularities of the recording, and their treatment."""
    warnings: tuple[str, ...] = ()
    """Why standard deviations may be too small."""

    result_kind: ClassVar = "payload"
    listed: ClassVar = (
        "mass mass_sigma center_of_mass center_sigma inertia inertia_sigma not_explained without "
        "lag notes warnings"
    )

    @property
    def _numbers(self) -> list[tuple[str, float, float, str]]:
        """Name, value, standard deviation and unit of all numbers of the payload."""
        J, sigma, pairs = self.inertia, self.inertia_sigma, zip(*UPPER, strict=True)
        centre = zip("xyz", self.center_of_mass, self.center_sigma, strict=True)
        moments = ((f"{'xyz'[i]}{'xyz'[j]}", J[i, j], sigma[i, j]) for i, j in pairs)
        return [
            ("mass", self.mass, self.mass_sigma, "kg"),
            *((f"centre {axis}", x, s, "m") for axis, x, s in centre),
            *((f"inertia {axes}", x, s, "kg m^2") for axes, x, s in moments),
        ]

    def tables(self) -> list[Table]:
        """The payload with standard deviations, and how well it explains forces."""
        unit = structure_of(self.robot).force_unit
        rows: Rows = [
            ("not explained without a payload, rms", self.without, unit),
            ("not explained with it, rms", self.not_explained, unit),
            ("lag of efforts", self.lag.text, ""),
            *(("recording", note, "") for note in self.notes),
        ]
        known = [row for row in self._numbers if np.isfinite(row[2])]
        others = [name for name, _, sigma, _ in self._numbers if not np.isfinite(sigma)]
        note = f"not identifiable: {', '.join(others)}" if others else ""
        heads = ("", "value", "standard deviation", "unit")
        return [Table.of("Payload", heads, known, note), Table.properties("Forces", rows)]


def force_rows(structure: Structure) -> list[str]:
    """Names of the forces that are explained: of actuators; of redundant ones, along each DoF."""
    if structure.determined:
        return [f"actuator {k + 1}" for k in range(structure.actuators)]
    return [f"forces along {name}" for name in structure.degrees_of_freedom]


def rms(values: Array) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(values**2)))
