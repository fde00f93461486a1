"""A recording of a machine laid over results of the same motion: both curves, and their error E."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gough.analysis.axes import POSE_ERROR, AxisPart
from gough.analysis.figures import RECORDING_ERROR, figure_of
from gough.analysis.quantities import RECORDED, table_of
from gough.analysis.results import Quantity, Results, Scalar, Summary
from gough.arrays import AnyArray, Array
from gough.checks import require_instance
from gough.digits import short_decimal
from gough.errors import InputError
from gough.identification import recording as recordings
from gough.poses import difference
from gough.poses.quaternions import continuous


def with_recording(results: Results, recording: object) -> Results:
    """Return results with a recording of the same motion beside them.

    The recording is a file (.parquet, .csv), results, or columns by name, as `gough.identify` reads
    them. Its `leg_length`, `pose`, `motor_current` and so on are added as `recorded_leg_length`, at
    the times of the results; `recording_error_leg_length` is E of Bingul 2012 (70), the mean over
    samples of the sum over channels of |recorded - computed|, with the mean of each channel. What
    is interpolated, missing or not compared is listed among the warnings.

    >>> import gough
    >>> robot = gough.load("demo-hexapod")
    >>> results = gough.run(gough.Study(robot, gough.motion.hold(robot.home, 1.0)))
    >>> both = gough.with_recording(results, results)
    >>> both.summary["recording_error_leg_length"].value < 1e-12  # [m]
    True
    """
    require_instance("results", results, Results)
    table = table_of(results.robot)
    with recordings.about_recording(recording):
        columns = recordings.recorded_columns(recording)
        written = recordings.time_of(columns)
        rows, notes = recordings.rows_of(written)
        own, figures, used = dict[str, Quantity](), dict[str, Scalar](), {"time [s]", "t [s]"}
        known = {n: q.columns for n, q in results.quantities.items() if f"recorded_{n}" in RECORDED}
        there = [name for name in known if not columns.keys().isdisjoint(known[name])]
        if not there:
            some = ", ".join(headings[0] for headings in known.values())
            raise InputError("nothing to compare", expected=f"columns such as {some}")
        for name in there:
            values = recordings.columns_of(columns, known[name], len(written))[rows]
            found, remarks = _at(results.time, name, written[rows], values)
            own[f"recorded_{name}"] = Quantity.of(f"recorded_{name}", found, table=table)
            figures |= {figure.name: figure for figure in _errors(results, name, found)}
            notes, used = (*notes, *remarks), used | {*known[name]}
            if lacking := int((~_known(results[name])).sum()):
                words = f"no {name} is computed at {lacking} of {len(found)} samples"
                notes = (*notes, f"{words}, which its error leaves out")
    if others := [heading for heading in columns if heading not in used]:
        more = f" and {len(others) - 6} more" if len(others) > 6 else ""
        notes = (*notes, f"not compared: {', '.join(others[:6])}{more}")
    said = (*results.warnings, *(f"recording: {words}" for words in dict.fromkeys(notes)))
    quantities, summary = {**results.quantities, **own}, Summary(results.summary | figures)
    return replace(results, quantities=quantities, warnings=said, summary=summary)


def _at(time: Array, name: str, recorded: Array, values: Array) -> tuple[Array, tuple[str, ...]]:
    """Return recorded values (T, n) at other times [s], NaN where there are none, and remarks."""
    channel, step = recordings.channel_of(name, recorded, values), float(time[1] - time[0])
    if name == "pose":  # q and -q are the same attitude
        channel.values[:, 3:] = continuous(channel.values[:, 3:])
    found = channel.on(time)
    if name == "pose":
        found[:, 3:] /= np.linalg.norm(found[:, 3:], axis=1, keepdims=True)
    known = _known(found)
    if not known.any():
        expected = f"some between {time[0]:g} and {time[-1]:g} s, as the results have"
        problem = f"times from {recorded[0]:g} to {recorded[-1]:g} s"
        raise InputError(problem, key="time [s]", expected=expected)
    remarks = []
    own = time[known]
    if len(channel.time) != len(own) or np.abs(channel.time - own).max() > recordings.JITTER * step:
        rates = (short_decimal(1 / s) for s in (channel.step, step))
        remarks.append("recorded at {} Hz, interpolated at the {} Hz of the results".format(*rates))
    if not known.all():
        remarks.append(f"no {name} at {(~known).sum()} of {len(time)} samples of the results")
    for beyond, where in ((time[0] - recorded[0], "before"), (recorded[-1] - time[-1], "behind")):
        if beyond > step:
            remarks.append(f"{short_decimal(beyond)} s {where} the results are not compared")
    return found, tuple(remarks)


def _known(values: Array) -> AnyArray:
    """Whether all numbers of each sample are known."""
    return np.asarray(np.isfinite(values).reshape(len(values), -1).all(axis=1))


def _errors(results: Results, name: str, recorded: Array) -> Iterator[Scalar]:
    """Yield E of a quantity, and the mean error of each channel; those of other units apart."""
    known = _known(recorded) & _known(results[name])
    if not known.any():
        return
    quantity, recorded = results.quantity(name), recorded[known]
    error = replace(quantity, values=recorded - quantity.values[known])
    if name == "pose":
        turned = difference(recorded, quantity.values[known])
        error = replace(quantity, values=turned, axes=(POSE_ERROR,), unit="m, rad")
    parts = error.parts() or [(AxisPart("", ()), error.unit, error.values)]
    for unit in (units := dict.fromkeys(unit for _, unit, _ in parts)):
        alike = [(part, values) for part, own, values in parts if own == unit]
        suffix = f"_{alike[0][0].name}" if len(units) > 1 else ""
        each = np.abs(np.concatenate([values for _, values in alike], axis=-1)).mean(axis=0)
        labels = tuple(label for part, _ in alike for label in part.labels)
        figure = figure_of(full := f"{RECORDING_ERROR}{name}{suffix}")
        leg = int(np.argmax(each)) + 1
        means, total = tuple(each.tolist()), float(each.sum())
        yield Scalar(full, unit, figure.meaning, total, means, leg, labels=labels)
