"""Gains for a machine, and how good a loop is with them."""

from gough.simulation.tuning.margins import quality, step_response
from gough.simulation.tuning.pole_placement import TUNABLE, place_poles
from gough.simulation.tuning.tune import Tuned, tune

__all__ = ["TUNABLE", "Tuned", "place_poles", "quality", "step_response", "tune"]
