"""The makers of motions as users have them: each warns about the jumps of what it made."""

from __future__ import annotations

from gough.motion.motions import cycles, expressions, screws, sequences, splines
from gough.motion.samples import announced

adept_cycle = announced(cycles.adept_cycle)
expression = announced(expressions.expression)
hold = announced(screws.hold)
line = announced(screws.line)
recorded = announced(splines.recorded)
rotation = announced(screws.rotation)
screw = announced(screws.screw)
sequence = announced(sequences.sequence)
stretched = announced(sequences.stretched)
travelling = announced(screws.travelling)
waypoints = announced(splines.waypoints)
