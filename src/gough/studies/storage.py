"""Results on disk: numbers as Parquet and CSV, everything else as JSON and TOML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.robot import load, save
from gough.studies.files import read_json, staged, write_json
from gough.studies.results import Quantity, Results, Scalar, SingularPoint

RESULTS, SUMMARY, STUDY, ROBOT = "results", "summary.json", "study.json", "robot.toml"


def save_results(results: Results, folder: Path, *, csv: bool = True) -> None:
    """Write all files of one study, or none of them."""
    with staged(folder) as part:
        write_results(results, part, csv=csv)


def write_results(results: Results, folder: Path, *, csv: bool = True) -> None:
    """Write all files of one study into a folder that exists."""
    write_table(results.columns(), folder / RESULTS, csv=csv)
    write_json(folder / SUMMARY, _summary(results))
    write_json(folder / STUDY, results.study)
    save(results.robot, folder / ROBOT)


def load_results(folder: Path) -> Results:
    """Read what `save_results` wrote."""
    facts = read_json(folder / SUMMARY)
    if not isinstance(facts, dict) or "quantities" not in facts:
        raise GoughError(f"{folder}: results of variations; use GridResults.load")
    columns = read_table(folder / f"{RESULTS}.parquet")
    time = columns.pop("time [s]")
    values = iter(columns.values())
    quantities = {}
    for name, unit, meaning, shape in facts["quantities"]:
        flat = [next(values) for _ in range(int(np.prod(shape, dtype=int)))]
        array = np.stack(flat, axis=-1).reshape(len(time), *shape)
        quantities[name] = Quantity(name, unit, meaning, array)
    return Results(
        robot=load(folder / ROBOT),
        study=read_json(folder / STUDY),
        time=time,
        quantities=quantities,
        warnings=tuple(facts["warnings"]),
        summary={name: scalar_of(data) for name, data in facts["summary"].items()},
        singularities=tuple(
            SingularPoint(**{**point, "pose": tuple(point["pose"])})
            for point in facts["singularities"]
        ),
        versions=facts["versions"],
    )


def scalar_of(data: Mapping[str, Any]) -> Scalar:
    """A figure from its plain data, in which null is a number that there is not."""
    numbers = {"value": _number(data["value"]), "per_leg": tuple(map(_number, data["per_leg"]))}
    return Scalar(**{**data, **numbers})


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def write_table(columns: Mapping[str, Any], path: Path, *, csv: bool = True) -> None:
    """Columns of numbers or text as a .parquet file and, if wanted, a .csv file."""
    import pyarrow as pa  # noqa: PLC0415  (slow to import)
    import pyarrow.csv as pa_csv  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    pq.write_table(table, path.with_suffix(".parquet"), compression="zstd")
    if csv:
        pa_csv.write_csv(table, path.with_suffix(".csv"))


def read_table(path: Path) -> dict[str, Any]:
    """The columns of a .parquet file."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise GoughError(f"{path}: no such file") from None
    except (OSError, pa.ArrowException) as error:
        raise GoughError(f"{path}: cannot be read: {error}") from None
    return {name: table.column(name).to_numpy() for name in table.column_names}


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
