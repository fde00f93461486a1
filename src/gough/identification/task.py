"""The task of an identification: which numbers of a machine are estimated, and what they explain.

Effort = F + friction + μ s F: of the force F at the leg, which bodies and joints take, and the
load's friction μ, where s is the sign of F times that of the speed. Numbers that are known are as
the robot file states them. Of a sum of numbers of which some go through the drive and
others not, such as that of an arm and its rotor, F has the part that it has by the robot file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.linalg import block_diag

from gough.arrays import AnyArray, Array
from gough.identification.base import Terms, grouped
from gough.identification.consistent import consistent
from gough.identification.efforts import Efforts
from gough.identification.estimation import Estimate
from gough.identification.filtering import Lowpass
from gough.identification.friction import (
    Part,
    direction,
    force_factor,
    load_priors,
    loads_drive,
    terms_of,
)
from gough.identification.gains import gain_names
from gough.identification.legs import Alike, body_of, is_offset, tied
from gough.identification.measured import MeasuredMotion, measured_motion
from gough.identification.rebuilt import contained_parameters, rebuilt
from gough.identification.recording import Measured, Recording
from gough.model.kernels import Kernels
from gough.model.standard import standard_parameters
from gough.motion.tasks.payload import Payload
from gough.robot import Robot
from gough.robot.numbers import matching


class Task:
    """What is estimated of which machine, from such efforts.

    `parts` say which friction acts. `known` are patterns of names whose numbers are as the robot
    file states them; of a machine that is `identified` all are, but offsets among the parts.
    """

    def __init__(
        self,
        model: Kernels,
        alike: Alike,
        parts: tuple[Part, ...],
        measured: Measured,
        known: Sequence[str] = (),
        *,
        identified: bool = False,
    ) -> None:
        self.model, self.parts, self.measured = model, parts, measured
        load, held = load_priors(model.robot, parts, measured), set[str]()

        def known_of(names: list[str]) -> set[str]:
            every = [*names, *load.names]
            held.update(matching(every, known))
            if identified:
                held.update(name for name in every if not is_offset(name))
            return held

        self.base = grouped(
            model, alike, lambda states: self.beside(MeasuredMotion.of(model, states)), known_of
        )
        self.load_names = load.names
        self.load_free, self.load_ties = tied(model.robot, load.names, alike)
        self.load = np.linalg.pinv(self.load_ties) @ load.priors
        stated = [name in held for name in load.names]
        self.load_known = (self.load_ties[stated] != 0.0).any(axis=0)

    def beside(self, motion: MeasuredMotion) -> Terms:
        """What drives and joints add to a motion's forces."""
        return terms_of(self.model, motion, self.parts, self.measured)

    @property
    def loads(self) -> list[str]:
        """Names of the numbers of the load's friction that are estimated."""
        pairs = zip(self.load_free, self.load_known, strict=True)
        return [name for name, known in pairs if not known]

    def robot(self, found: Estimate, names: list[str], priors: Array) -> tuple[Robot, Array]:
        """The robot whose bodies can exist, nearest to an estimate of numbers by these names.

        Beside it the estimate with its own numbers in their place.
        """
        robot, base = self.model.robot, self.base
        gains = [name for name in gain_names(robot) if name in names]
        told = [*base.names, *self.loads, *gains]
        if not told:
            return robot, found.values
        rows = [names.index(name) for name in told]
        constants = priors[[names.index(name) for name in gains]]
        felt = block_diag(base.matrix, np.eye(len(self.load))[~self.load_known], np.eye(len(gains)))
        free, start = (*base.free, *self.load_free, *gains), [base.described, self.load, constants]
        described = np.concatenate(start)
        own = dict(zip(told, found.values[rows], strict=True))
        known = np.concatenate([base.known, self.load_known, np.zeros(len(gains), bool)])
        spread = np.where(known, 0.0, _spread(free, described, own))
        E = block_diag(base.ties, self.load_ties, np.eye(len(gains)))
        within = contained_parameters(robot)
        contained = np.linalg.pinv(E) @ np.pad(within, (0, len(E) - len(within)))
        estimate = found.values[rows], found.root[rows]
        best = consistent(free, described, felt, *estimate, spread, contained)
        every = (*base.every, *self.load_names, *gains)
        values = found.values.copy()
        values[rows] = felt @ best
        return rebuilt(robot, dict(zip(every, E @ best, strict=True))), values


class RecordedEfforts:
    """The efforts of a recording (T, n), kept and filtered, and what explains them.

    A `payload` that is known is carried; of one that is not, `unknown` has the places of its
    numbers among the standard parameters, which are estimated besides. A recording without it
    tells the other numbers: it is not `carried`.
    """

    def __init__(
        self,
        task: Task,
        recording: Recording,
        smooth: Lowpass,
        *,
        payload: Payload | None = None,
        unknown: AnyArray | None = None,
        carried: bool = True,
    ) -> None:
        robot, base, self.smooth = task.model.robot, task.base, smooth
        self.efforts = Efforts.of(recording, smooth, force_factor(robot, recording.measured))
        motion = measured_motion(task.model, recording, smooth)
        Y = np.asarray(task.model.regressor(*motion.states))
        every = np.concatenate([Y, task.beside(motion).columns], -1)
        known, through = base.described * base.known, _through_drives(base.free)
        of_sums = _through_drives(base.names)
        shares = base.matrix @ (base.described * through) - base.values * of_sums
        columns, added = every @ base.ties[:, base.kept], Y @ _added(robot, payload)
        given = added + every @ (base.ties @ known)
        given_load = added + every @ (base.ties @ (known * through)) + columns @ shares
        places = np.empty(0, int) if unknown is None else unknown
        columns = np.concatenate([columns, Y[..., places] * carried], -1)
        self.names = [*base.names, *(f"payload[{k}]" for k in places), *task.loads]
        self.priors = np.concatenate(
            [base.values, np.zeros(len(places)), task.load[~task.load_known]]
        )
        self._kept, self._given = smooth.at_kept(columns), smooth.at_kept(given)
        self.linear = not task.load_names
        if task.load_names:
            self._of_load = np.flatnonzero(np.append(of_sums, np.ones(len(places))))
            self._columns, self._given_load = columns[..., self._of_load], given_load
            self._direction = direction(robot, motion.speed)
            self._mu, self._mu_known = (
                task.load_ties[:, ~task.load_known],
                task.load_ties @ (task.load * task.load_known),
            )

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""
        if self.linear:
            return self._kept, self._kept @ values + self._given
        count, of_load = self._kept.shape[-1], self._of_load
        force = self._columns @ values[of_load] + self._given_load
        sign = np.sign(force) * self._direction
        loads = self.smooth.at_kept(sign[..., None] * self._columns)
        load = loads @ values[of_load] + self.smooth.at_kept(sign * self._given_load)
        mu = self._mu_known + self._mu @ values[count:]
        columns = self._kept.copy()
        columns[..., of_load] += mu[:, None] * loads
        predicted = self._kept @ values[:count] + self._given + mu * load
        return np.concatenate([columns, load[..., None] * self._mu], -1), predicted


def _through_drives(names: Sequence[str]) -> Array:
    """One for each number whose forces go through drives, else zero."""
    return np.array([*map(loads_drive, names)], dtype=float)


def _added(robot: Robot, payload: Payload | None) -> Array:
    """What a payload adds to the standard parameters."""
    own = standard_parameters(robot)
    return (
        np.zeros_like(own)
        if payload is None
        else standard_parameters(payload.carried_by(robot)) - own
    )


def _spread(names: Sequence[str], values: Array, found: Mapping[str, float]) -> Array:
    """How far numbers may be from what the file says: as far as their body, or they, are large."""
    own = dict(zip(names, values, strict=True))
    spread = []
    for name in names:
        if not (body := body_of(name)):
            spread.append(max(abs(own[name]), abs(found.get(name, 0.0))))
            continue
        m = own[f"{body}.mass"]
        J = max(v for key, v in own.items() if body_of(key) == body and "inertia" in key)
        size = (m, np.sqrt(m * J), J)
        spread.append(size[0 if name.endswith(".mass") else 1 if "first_moment" in name else 2])
    return np.asarray(np.maximum(spread, 1e-3 * np.max(spread)))
