"""What an identification found."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

import numpy as np

from gough.arrays import Array
from gough.digits import short_decimal
from gough.errors import GoughError, nearest
from gough.model.structure import structure_of
from gough.robot import Robot
from gough.shown.brief import brief

SIGNIFICANT = 3.0
"""So many standard deviations from zero a parameter counts as found, or a lag as one."""


@dataclass(frozen=True)
class Parameter:
    """A number that was estimated [SI]."""

    name: str
    formula: str
    """What it is: of base parameters a sum of standard ones."""
    value: float
    sigma: float
    """Standard deviation of the value."""
    prior: float
    """What the robot file says."""

    @property
    def significant(self) -> bool:
        """Whether it differs from zero by more than chance would have it."""
        return abs(self.value) > SIGNIFICANT * self.sigma


@dataclass(frozen=True)
class Lag:
    """By how much efforts come later than lengths or positions."""

    value: float
    """[s]"""
    sigma: float
    """Its standard deviation [s]; zero where it was given."""
    period: float = 0.0
    """Time between the samples of the recording [s]."""

    @property
    def certain(self) -> bool:
        """Whether there is one, so that it was taken into account."""
        return abs(self.value) > SIGNIFICANT * self.sigma

    @property
    def applied(self) -> float:
        """What was taken into account [s]."""
        return self.value if self.certain else 0.0

    @property
    def text(self) -> str:
        """In milliseconds, and what was done."""
        if not self.sigma:
            return f"{1e3 * self.value:.3g} ms, as given"
        places = max(0, 1 - floor(log10(1e3 * self.sigma)))
        found = f"{1e3 * self.value:.{places}f} ± {1e3 * self.sigma:.{places}f} ms"
        return f"{found}: {'taken into account' if self.certain else 'none'}{self._held}"

    @property
    def _held(self) -> str:
        """Why it is half a sample, where it is: so late acts a command that is held meanwhile."""
        off = abs(self.value - self.period / 2)
        if not (self.certain and off < self.period / 10 + SIGNIFICANT * self.sigma):
            return ""
        late = f"{1e3 * self.period:.3g} ms"
        return f"; half a sample: commands that are held from sample to sample ({late}) act so late"


@dataclass(frozen=True, eq=False)
class Validation:
    """A motion that the estimate did not see: forces of the actuators (T, n) [N, N m], filtered."""

    time: Array
    measured: Array
    predicted: Array
    before: Array
    """As the robot file predicts them."""

    __repr__ = brief

    @property
    def rms(self) -> float:
        """Of measured less predicted forces [N, N m]."""
        return _rms(self.measured - self.predicted)

    @property
    def rms_before(self) -> float:
        """The same with the robot file's own numbers."""
        return _rms(self.measured - self.before)


@dataclass(frozen=True, eq=False)
class Identified:
    """A robot as a recording shows it."""

    robot: Robot
    """Physically consistent: its bodies can exist."""
    parameters: tuple[Parameter, ...]
    condition: float
    """Of the weighted columns, each of length one."""
    time: Array
    """(T) of the residuals [s]."""
    residuals: Array
    """(T, n) forces of the actuators that are not explained [N, N m], filtered."""
    noise: Array
    """(n) their standard deviations."""
    cutoff: float
    """Of the filter [Hz]."""
    covariance: Array
    """Of the parameters."""
    lag: Lag
    """Of efforts behind lengths or positions."""
    notes: tuple[str, ...] = ()
    """What was odd about the recording, and what was done about it."""
    validation: Validation | None = None
    warnings: tuple[str, ...] = ()
    """Why standard deviations may be too small."""
    not_separable: tuple[str, ...] = ()
    """Numbers that forces tell at most as a part of a sum: what `robot` has of them is a
    convention, the split that is nearest to the robot file and whose bodies can exist."""

    __repr__ = brief

    def __getitem__(self, name: str) -> Parameter:
        """The parameter of a name; GoughError where none has it."""
        names = [parameter.name for parameter in self.parameters]
        if name not in names:
            near = nearest(name, names)
            hint = f"did you mean {near}?" if near else f"expected one of {', '.join(names)}"
            raise GoughError(f"no parameter is called {name!r}; {hint}")
        return self.parameters[names.index(name)]

    @property
    def unit(self) -> str:
        """Of forces of the actuators: N, N m, or both."""
        return structure_of(self.robot).force_unit

    def report(self) -> str:
        """All that was found, as text."""
        unit = self.unit
        found = sum(parameter.significant for parameter in self.parameters)
        lines = [
            f"{self.robot.name}: {found} of {len(self.parameters)} parameters are significant",
            f"condition number   {self.condition:.0f}",
            f"filter             {short_decimal(self.cutoff, 3)} Hz",
            f"not explained      {short_decimal(_rms(self.residuals), 3)} {unit} rms",
        ]
        if self.validation is not None:
            after, before = self.validation.rms, self.validation.rms_before
            lines.append(
                f"unseen motion      {short_decimal(after, 3)} {unit} rms not explained, "
                f"{short_decimal(before, 3)} {unit} by the robot file"
            )
        lines.append(f"lag of efforts     {self.lag.text}")
        lines += [f"recording          {note}" for note in self.notes]
        lines += [f"warning            {warning}" for warning in self.warnings]
        lines.append("     value      sigma      prior    parameter")
        for p in self.parameters:
            numbers = (f"{short_decimal(x, 4):>10}" for x in (p.value, p.sigma, p.prior))
            lines.append(f"{' '.join(numbers)}  {' ' if p.significant else '?'} {p.formula}")
        lines.append("? not significant: within three standard deviations of zero")
        if self.not_separable:
            lines.append(
                f"not separable: {len(self.not_separable)} numbers, which forces tell at most as a "
                "part of a sum. How the robot splits it is a convention: as near to the file as "
                "bodies can exist; `known` states what is known otherwise."
            )
        return "\n".join(lines)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
