"""Statements on a list of assembly modes, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gough.kinematics.assembly.modes import AssemblyModes


_WORDS = {2: "two", 6: "six", 40: "forty"}


def statement(modes: AssemblyModes) -> list[str]:
    """Return statements on the number of poses, all solutions, and completeness."""
    return [_poses(modes), _account(modes), _completeness(modes)]


def doubts(modes: AssemblyModes) -> Iterator[str]:
    """Yield reasons why it is not proved that no pose is missing."""
    if modes.complete:
        return
    if len(modes.q) > len(modes.robot.freedom_rows):
        yield "the fit of more motors than degrees of freedom is computed, not proved"
        return
    if modes.self_motion.any():
        yield (
            "the platform can move with these legs fixed, and the poses marked self-motion are "
            "samples of its path"
        )
    elif modes.n_on_curves:
        yield "there are curves of complex solutions, on which no real pose was found"
    if modes.n_lost:
        yield f"{_counted(modes.n_lost, 'path was', 'paths were')} lost, so poses may be missing"
    searched = int(((modes.multiplicity == 0) & ~modes.self_motion).sum())
    if searched:
        found = _counted(searched, "pose was", "poses were")
        yield f"{found} found that no path had reached: others may be missing"
    without = _without_certificate(modes)
    if without:
        solutions = _counted(without, "solution is", "solutions are")
        yield f"{solutions} singular, nearly so, or far away"
    if modes.n_infinite:
        yield "which solutions are at infinity is computed, not proved"
    if modes.n_proved == modes.n_complex and not modes.n_infinite:
        yield "of solutions near each other it is not proved which are real"


def _poses(modes: AssemblyModes) -> str:
    free = int(modes.self_motion.sum())
    facts = [
        f"{len(modes) - free} real of {modes.n_complex} complex solutions",
        f"{int(modes.certified.sum())} certified",
    ]
    if free:
        facts.append(_counted(free, "sample", "samples") + " of self-motions")
    if modes.has_limits:
        facts.append(f"{int(modes.within_limits.sum())} within limits")
    return "; ".join(facts)


def _account(modes: AssemblyModes) -> str:
    known = {
        "certified": modes.n_proved,
        "without certificate": _without_certificate(modes),
        "on curves of solutions": modes.n_on_curves,
        "at infinity": modes.n_infinite,
    }
    all_of_them = _WORDS[modes.degree]
    how_many = f"only {sum(known.values())} of {all_of_them}"
    how_many = f"all {all_of_them}" if modes.n_lost == 0 else how_many
    kinds = ", ".join(f"{n} {where}" for where, n in known.items() if n)
    return f"{how_many} complex solutions accounted for: {kinds}"


def _completeness(modes: AssemblyModes) -> str:
    if modes.complete:
        count = _WORDS[modes.degree]
        proof = f"{count} solutions are certified, and there are no more"
        return f"proved complete among {modes.scope}: {proof}"
    return f"not proved complete among {modes.scope}: " + "; ".join(doubts(modes))


def _without_certificate(modes: AssemblyModes) -> int:
    return modes.n_complex - modes.n_proved - modes.n_on_curves


def _counted(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
