"""Results on disk: numbers as Parquet and CSV, everything else as JSON and TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.results import Quantity, Results, Scalar, SingularPoint
from gough.disk.manifest import are_texts
from gough.disk.plain_data import write_json
from gough.disk.stored import Stored, results_of
from gough.disk.tables import read_table, write_table
from gough.disk.target import opened, staged
from gough.errors import GoughError
from gough.robot import Robot, save

RESULTS, SUMMARY, STUDY, ROBOT = "results", "summary.json", "study.json", "robot.toml"


def save_results(results: Results, folder: Path, *, csv: bool = True) -> None:
    """Write all files of one study, or none of them, in the place of earlier results."""
    known_by = unnamed(results.name, results.versions)
    with opened(folder) as target, staged(target, known_by) as part:
        write_results(results, part, csv=csv)


def unnamed(name: str, versions: Mapping[str, str]) -> dict[str, Any]:
    """What results are known by whose study is not at hand."""
    return {"name": name, "inputs": None, "versions": dict(versions)}


def result_names(csv: bool) -> list[str]:
    """The files that `write_results` writes."""
    return [f"{RESULTS}.parquet", *([f"{RESULTS}.csv"] if csv else []), SUMMARY, STUDY, ROBOT]


def write_results(results: Results, folder: Path, *, csv: bool = True) -> None:
    """Write all files of one study into a folder that exists."""
    write_table(results.columns(), folder / RESULTS, csv=csv)
    write_json(folder / SUMMARY, _summary(results))
    write_json(folder / STUDY, results.study)
    save(results.robot, folder / ROBOT)


def load_results(folder: Path) -> Results:
    """Read what `save_results` wrote."""
    with results_of(folder) as stored:
        return _loaded(stored)


def _loaded(stored: Stored) -> Results:
    facts = stored.table(SUMMARY)
    if "quantities" not in facts:
        raise GoughError(f"{stored.folder}: results of variations; use GridResults.load")
    columns = table_of(stored, RESULTS)
    time = columns.pop("time [s]")
    values = iter(columns.values())
    quantities = {}
    for name, unit, meaning, shape in facts["quantities"]:
        flat = [next(values) for _ in range(int(np.prod(shape, dtype=int)))]
        array = np.stack(flat, axis=-1).reshape(len(time), *shape)
        quantities[name] = Quantity.of(name, array, unit=unit, meaning=meaning)
    return Results(
        robot=robot_of(stored),
        study=stored.table(STUDY),
        time=time,
        quantities=quantities,
        warnings=texts(facts["warnings"]),
        summary={name: scalar_of(data) for name, data in facts["summary"].items()},
        singularities=tuple(
            SingularPoint(**{**point, "pose": tuple(point["pose"])})
            for point in facts["singularities"]
        ),
        versions=texts_by_name(facts["versions"]),
    )


def table_of(stored: Stored, name: str) -> dict[str, Any]:
    """The columns of a table."""
    name = f"{name}.parquet"
    return read_table(stored.read(name), stored.folder / name)


def robot_of(stored: Stored) -> Robot:
    """The robot as it was studied."""
    data = tomllib.loads(stored.read(ROBOT).decode())
    return Robot.from_dict(data, file=stored.folder / ROBOT)


def scalar_of(data: Mapping[str, Any]) -> Scalar:
    """A figure from its plain data, in which null is a number that there is not."""
    numbers = {"value": _number(data["value"]), "per_leg": tuple(map(_number, data["per_leg"]))}
    return Scalar(**{**data, **numbers})


def texts(data: Any) -> tuple[str, ...]:
    """A list of texts."""
    if not are_texts(data):
        raise ValueError(f"{data!r:.60} is no list of texts")
    return tuple(data)


def texts_by_name(data: Any) -> dict[str, str]:
    """Texts by their names."""
    return dict(zip(data, texts(list(data.values())), strict=True))


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _summary(results: Results) -> dict[str, Any]:
    return {
        "name": results.name,
        "robot": results.robot.name,
        "warnings": list(results.warnings),
        "singularities": [asdict(point) for point in results.singularities],
        "summary": {name: asdict(scalar) for name, scalar in results.summary.items()},
        "quantities": [
            [q.name, q.unit, q.meaning, list(q.values.shape[1:])]
            for q in results.quantities.values()
        ],
        "limits": results.limits._asdict(),
        "versions": results.versions,
    }
