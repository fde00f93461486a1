"""A simulation of several cases, one of which cannot be run."""

from gough.studies.study import Study

CASES = {
    "heavy": {"robot.platform.mass": 150},
    "noisy": {"simulation.noise": "1 um", "simulation.seed": 7},
    "soft": {"controller.gains": {"kp": 100, "kd": 20}},
    "coarse": {"plant.legs": "complete", "simulation.period": "50 ms"},
    "stiff": {},
}


def compared(*names):
    """Some of the cases, or all."""
    return Study.from_dict(
        {
            "schema": "gough-study/1",
            "name": "compared",
            "robot": "demo-hexapod",
            "motion": {"kind": "line", "displacement": [0.02, 0, 0.02], "duration": 0.3},
            "controller": {"kind": "computed-torque", "gains": {"kp": 900, "kd": 60}},
            "simulation": {"duration": "20 ms"},
            "plant": {},
            "outputs": {"quantities": ["motion", "forces"], "report": False},
            "cases": [{"name": name, "changes": CASES[name]} for name in names or CASES],
        }
    )
