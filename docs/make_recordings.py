"""Make the recordings of docs/how-to/excitation.md: `python docs/make_recordings.py`.

A demo-hexapod follows an exciting motion for 10 s, without and with a payload of 20 kg. Lengths are
read in steps of 1 µm, torques of the motors with a noise of 7.5 N at the legs: a simulation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import gough

FOLDER = Path(__file__).parents[1] / "studies"
STEP, NOISE = 1e-6, 7.5
PAYLOAD = {
    "kind": "payload", "mass": 20.0, "center_of_mass": [0.03, -0.02, 0.15],
    "inertia": [0.25, 0.3, 0.2],
}  # fmt: skip


def record(robot: gough.Robot, study: dict[str, Any], file: Path, seed: int) -> None:
    """Write what encoders and amplifiers would tell of a motion."""
    results, generator = gough.run(study), np.random.default_rng(seed)
    drive = robot.legs[0].drive
    turns = 2 * np.pi * drive.gear_ratio / drive.screw_lead
    torque = results["motor_torque"]
    torque = torque + NOISE / turns * generator.standard_normal(torque.shape)
    length = (results["leg_length"] / STEP).round() * STEP
    columns = {"time [s]": results.time}
    for k in range(len(robot.legs)):
        columns[f"leg_length_{k + 1} [m]"] = length[:, k].round(6)
        columns[f"motor_torque_{k + 1} [N m]"] = torque[:, k].round(6)
    pyarrow.parquet.write_table(pa.table(columns), file, compression="zstd", compression_level=19)


def main() -> None:
    """Write both."""
    robot = gough.load("demo-hexapod")
    study = {
        "schema": "gough-study/1",
        "name": "recorded",
        "robot": "demo-hexapod",
        "rate": 250.0,
        "motion": gough.excitation(robot, margin=0.0).table,
        "outputs": {"quantities": ["drives"]},
    }
    record(robot, study, FOLDER / "recorded.parquet", 1)
    record(robot, study | {"tasks": [PAYLOAD]}, FOLDER / "loaded.parquet", 2)


if __name__ == "__main__":
    main()
