"""What can be wrong with a motion or a task: errors, and the warning about jumps."""

from __future__ import annotations

from gough.errors import InputError


class MotionError(InputError):
    """A motion, profile or task that is wrong; `key` says which of its values."""


class MotionWarning(UserWarning):
    """A motion that is made as it was asked for, but should be looked at."""
