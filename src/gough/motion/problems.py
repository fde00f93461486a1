"""What can be wrong with a motion or a task: errors, and the warning about jumps."""

from __future__ import annotations

from gough.errors import GoughError, RobotError


class MotionError(GoughError):
    """A motion, profile or task that is wrong; `key` says which of its values."""

    def __init__(
        self, problem: str, *, key: str = "", value: object = None, expected: str | None = None
    ) -> None:
        self.problem, self.key, self.value, self.expected = problem, key, value, expected
        super().__init__(str(RobotError(problem, key=key, value=value, expected=expected)))

    def inside(self, place: str) -> MotionError:
        """The same error with its key as seen from a table around it."""
        dot = "." if place and self.key and not self.key.startswith("[") else ""
        key = f"{place}{dot}{self.key}"
        return MotionError(self.problem, key=key, value=self.value, expected=self.expected)


class MotionWarning(UserWarning):
    """A motion that is made as it was asked for, but should be looked at."""
