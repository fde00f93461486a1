"""Results on disk: numbers as Parquet and what else is wanted, the rest as JSON and TOML."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from gough.analysis.quantities import table_of
from gough.analysis.results import Quantity, Results, Scalar, SingularPoint, Studied, Summary
from gough.disk.labelled import need_h5py, write_hdf5, write_mat
from gough.disk.manifest import are_texts
from gough.disk.plain_data import PlainData, PlainMapping, write_json
from gough.disk.tables import read_table, write_csv, write_parquet
from gough.disk.target import opened, results_of, staged
from gough.errors import GoughError
from gough.robot import Robot, save

SUMMARY, STUDY, ROBOT = "summary.json", "study.json", "robot.toml"

Kind = TypeVar("Kind", bound=Studied)


class TableFormat(NamedTuple):
    """A file with all numbers of results, for other tools."""

    ending: str
    write: Callable[[Any, Path], None]
    several: bool = True
    """Whether it can hold the results of several runs."""


FORMATS = {
    "csv": TableFormat(
        ".csv", lambda found, path: write_csv(found.columns(found.units), path), False
    ),
    "mat": TableFormat(".mat", lambda results, path: write_mat(results.arrays(), path)),
    "hdf5": TableFormat(".h5", lambda results, path: write_hdf5(results.arrays(), path)),
}
"""File formats of numbers besides Parquet, from which alone they are read."""


def wanted_formats(**wanted: bool) -> tuple[str, ...]:
    """The names of those FORMATS that are wanted; a GoughError if a package is missing for one."""
    if wanted["hdf5"]:
        need_h5py()
    return tuple(name for name in FORMATS if wanted[name])


class StoredParts(NamedTuple):
    """Contents of a folder of results, without the facts of their kind."""

    robot: Robot
    study: PlainData
    versions: dict[str, str]
    columns: PlainData
    """Columns of the table, by heading."""


@dataclass(frozen=True)
class Form(Generic[Kind]):
    """Storage of one kind of results in a folder: a table of numbers, and facts beside it."""

    table: str
    """The name of the table, without its ending."""
    mark: str
    """Key that only facts of this kind have."""
    other: str
    """Message for results of another kind."""
    facts: Callable[[Kind], PlainData]
    """Facts that are written beside the table, besides names, limits and versions."""
    made: Callable[[StoredParts, PlainMapping], Kind]
    """The results of what lies in a folder."""

    def names(self, formats: Iterable[str] = ()) -> list[str]:
        """The files that `write` writes."""
        endings = [".parquet", *(FORMATS[name].ending for name in formats)]
        return [*(f"{self.table}{ending}" for ending in endings), SUMMARY, STUDY, ROBOT]

    def write(self, results: Kind, folder: Path, formats: Iterable[str] = ()) -> None:
        """Write all files into a folder that exists."""
        write_parquet(results.columns(), folder / f"{self.table}.parquet")
        write_formats(results, folder / self.table, formats)
        about = {"name": results.name, "robot": results.robot.name, **self.facts(results)}
        limits, versions = results.limits._asdict(), results.versions
        write_json(folder / SUMMARY, {**about, "limits": limits, "versions": versions})
        write_json(folder / STUDY, results.study)
        save(results.robot, folder / ROBOT, in_full=True)

    def save(self, results: Kind, folder: Path, formats: Iterable[str] = ()) -> None:
        """Write all files, or none of them, in the place of earlier results."""
        known_by = unnamed(results.name, results.versions)
        with opened(folder) as target, staged(target, known_by) as part:
            self.write(results, part, formats)

    def load(self, folder: Path) -> Kind:
        """Read what `save` wrote."""
        with results_of(folder) as stored:
            facts = stored.table(SUMMARY)
            if self.mark not in facts:
                raise GoughError(f"{stored.folder}: {self.other}")
            table, versions = f"{self.table}.parquet", facts["versions"]
            data = tomllib.loads(stored.read(ROBOT).decode())
            robot = Robot.from_dict(data, file=stored.folder / ROBOT)
            made_with = dict(zip(versions, texts([*versions.values()]), strict=True))
            columns = read_table(stored.read(table), stored.folder / table)
            return self.made(StoredParts(robot, stored.table(STUDY), made_with, columns), facts)


def write_formats(results: object, table: Path, formats: Iterable[str]) -> None:
    """Write all results in these formats; the path is without its ending."""
    for form in map(FORMATS.__getitem__, formats):
        form.write(results, table.with_name(f"{table.name}{form.ending}"))


def unnamed(name: str, versions: Mapping[str, str]) -> PlainData:
    """Return the description of results whose study is not available."""
    return {"name": name, "inputs": None, "versions": dict(versions)}


def texts(data: Any) -> tuple[str, ...]:
    """A list of texts."""
    if not are_texts(data):
        raise ValueError(f"{data!r:.60} is no list of texts")
    return tuple(data)


def _facts(results: Results) -> PlainData:
    every = results.quantities.values()
    return {
        "warnings": list(results.warnings),
        "singularities": [asdict(point) for point in results.singularities],
        "summary": results.summary.to_dict(),
        "quantities": [[q.name, q.unit, q.meaning, list(q.values.shape[1:])] for q in every],
    }


def _made(parts: StoredParts, facts: PlainMapping) -> Results:
    time = parts.columns.pop("time [s]")
    values = iter(parts.columns.values())
    quantities, table = {}, table_of(parts.robot)
    for name, unit, meaning, shape in facts["quantities"]:
        flat = [next(values) for _ in range(int(np.prod(shape, dtype=int)))]
        array = np.stack(flat, axis=-1).reshape(len(time), *shape)
        quantities[name] = Quantity.of(name, array, unit, meaning, table=table)
    points = ({**point, "pose": tuple(point["pose"])} for point in facts["singularities"])
    results = Results(
        parts.robot,
        parts.study,
        time,
        quantities,
        texts(facts["warnings"]),
        Summary((name, _scalar(name, data)) for name, data in facts["summary"].items()),
        tuple(SingularPoint(**point) for point in points),
        versions=parts.versions,
    )
    _ = results.simulation  # what is wrong with it shows now
    return results


def _scalar(name: str, data: PlainMapping) -> Scalar:
    """A figure from its plain data, in which null is a number that there is not."""
    value, *legs = (nan if x is None else float(x) for x in (data["value"], *data["per_leg"]))
    known = {"value": value, "per_leg": tuple(legs), "labels": texts(data.get("labels", []))}
    return Scalar(name=name, **{**data, **known})


RESULTS: Form[Results] = Form(
    "results", "quantities", "results of variations; use GridResults.load", _facts, _made
)
