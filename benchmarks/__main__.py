"""Run all measurements, or those named: `python -m benchmarks compiler`."""

import sys

from benchmarks import (
    bench_calibration,
    bench_cluster,
    bench_compiler,
    bench_design,
    bench_dynamics,
    bench_embedded,
    bench_enclosures,
    bench_families,
    bench_gradient,
    bench_identification,
    bench_kinematics_assembly,
    bench_kinematics_forward,
    bench_kinematics_workspace,
    bench_learning,
    bench_linuxcnc,
    bench_mechanisms,
    bench_proof,
    bench_simulation,
    bench_studies,
    bench_tolerances,
    bench_vibration,
    bench_waiting,
    bench_workbench,
    published,
)

BENCHMARKS = {
    "compiler": bench_compiler.run,
    "dynamics": bench_dynamics.run,
    "mechanisms": bench_mechanisms.run,
    "published": published.run,
    "assembly": bench_kinematics_assembly.run,
    "forward": bench_kinematics_forward.run,
    "embedded": bench_embedded.run,
    "workspace": bench_kinematics_workspace.run,
    "proof": bench_proof.run,
    "enclosures": bench_enclosures.run,
    "linuxcnc": bench_linuxcnc.run,
    "vibration": bench_vibration.run,
    "tolerances": bench_tolerances.run,
    "calibration": bench_calibration.run,
    "design": bench_design.run,
    "families": bench_families.run,
    "identification": bench_identification.run,
    "studies": bench_studies.run,
    "cluster": bench_cluster.run,
    "simulation": bench_simulation.run,
    "gradient": bench_gradient.run,
    "learning": bench_learning.run,
    "waiting": bench_waiting.run,
    "workbench": bench_workbench.run,
}


def main(names: list[str]) -> None:
    """Run the named benchmarks, one after another."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    for name in names or BENCHMARKS:
        BENCHMARKS[name]()


if __name__ == "__main__":  # workers import this file, too
    main(sys.argv[1:])
