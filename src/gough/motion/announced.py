"""The makers of motions as users have them: each warns about the jumps of what it made."""

from __future__ import annotations

from gough.motion.motions import cycles, expressions, framed, screws, sequences, splines
from gough.motion.motions import fourier as waves
from gough.motion.samples import announced

adept_cycle = announced(cycles.adept_cycle)
expression = announced(expressions.expression)
fourier = announced(waves.fourier)
hold = announced(screws.hold)
in_frames = announced(framed.in_frames)
line = announced(screws.line)
recorded = announced(splines.recorded)
rotation = announced(screws.rotation)
screw = announced(screws.screw)
sequence = announced(sequences.sequence)
stretched = announced(sequences.stretched)
travelling = announced(screws.travelling)
waypoints = announced(splines.waypoints)
