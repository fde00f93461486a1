"""The errors that Gough raises: every one of them is a GoughError, and a ValueError."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

MOST_OTHERS = 7
"""Maximum number of problems listed beside the first; the rest are counted."""
_PARTS = ("problem", "file", "key", "leg", "value", "expected", "others")


class GoughError(ValueError):
    """Bad input, or a request that cannot be met. The message says what, where and what to do.

    It can be printed anywhere: what it quotes from a user has its control characters spelt out.
    Lines after the first begin with two spaces; other ends of lines are a user's.

    >>> import gough
    >>> try:
    ...     gough.load("kalany-2016")
    ... except gough.GoughError as error:
    ...     print("kalani-2016" in str(error))
    True
    """

    def __init__(self, message: str = "") -> None:
        super().__init__("\n".join(map(_printable, re.split(r"\n(?=  )", message))))

    def __reduce__(self) -> tuple[object, ...]:
        """To another process it goes with its message and its parts."""
        return ValueError.__new__, (type(self), *self.args), self.__dict__


class InputError(GoughError):
    """Something that a user wrote and that is wrong: file, key, leg, value and expectation.

    The parts are attributes, so that a program can use them; the message joins those that are
    known: `my.toml: legs[2].cylinder.mass (leg 3): out of range, got -1; expected a mass …`.

    >>> import gough
    >>> try:
    ...     gough.load("kalani-2016").replace({"platform.mass": -1})
    ... except gough.InputError as error:
    ...     print(error.key, error.value)
    platform.mass -1
    """

    def __init__(
        self,
        problem: str,
        *,
        file: Path | None = None,
        key: str = "",
        leg: int | None = None,
        value: object = None,
        expected: str | None = None,
        others: Sequence[InputError] = (),
    ) -> None:
        """`leg` counts from 1, as people do; `key` is the path inside the file.

        `others` are further problems of the same input: a line each in the message.
        """
        self.problem, self.file, self.key = problem, file, key
        self.leg, self.value, self.expected = leg, value, expected
        self.others = tuple(alone for other in others for alone in other.problems)
        more = [f"  {other}" for other in self.others[:MOST_OTHERS]]
        if len(self.others) > MOST_OTHERS:
            more.append(f"  and {len(self.others) - MOST_OTHERS} more problems")
        super().__init__("\n".join([self._line(), *more]))

    def _line(self) -> str:
        place = [str(self.file)] if self.file else []
        if self.key:
            key = clipped(self.key, 200)
            place.append(f"{key} (leg {self.leg})" if self.leg else key)
        text = ": ".join([*place, clipped(self.problem, 600)])
        if self.value is not None and f'"{self.value}"' not in self.problem:
            text += f", got {clipped(repr(self.value), 80)}"
        return f"{text}; expected {self.expected}" if self.expected else text

    @property
    def problems(self) -> tuple[InputError, ...]:
        """This problem and the others, each alone."""
        return (self.of(self, others=()) if self.others else self, *self.others)

    @classmethod
    def of(cls, error: InputError, **changes: object) -> Self:
        """Return the error as one of this class, with some of its parts changed."""
        parts = {name: getattr(error, name) for name in _PARTS}
        return cls(**{**parts, **changes})

    @classmethod
    def together(cls, errors: Sequence[InputError]) -> Self:
        """Several errors as one."""
        first, *others = [problem for error in errors for problem in error.problems]
        return cls.of(first, others=others)

    def inside(self, place: str) -> Self:
        """Return the error with its key as seen from a table around it."""
        others = [other.inside(place) for other in self.others]
        return self.of(self, key=joined(place, self.key), others=others)


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Something that is read at a place: that goes into the key of a complaint."""
    try:
        yield
    except InputError as error:
        raise error.inside(place) from None


@contextmanager
def needing(package: str, extra: str, what: str) -> Iterator[None]:
    """An import of a package that not everybody has; a GoughError says how to get it."""
    try:
        yield
    except ImportError:
        raise GoughError(
            f"{what} need the package {package}; expected {install_command(extra)}"
        ) from None


def install_command(extra: str) -> str:
    """Return the command that adds an extra to Gough, the way this Gough was installed."""
    import json  # noqa: PLC0415  (errors are rare, and all are slow to import)
    import shutil  # noqa: PLC0415
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415
    from urllib.request import url2pathname  # noqa: PLC0415

    try:
        installed = distribution("gough")
        origin = json.loads(installed.read_text("direct_url.json") or "{}")
        installer = (installed.read_text("INSTALLER") or "").strip()
    except PackageNotFoundError:
        origin, installer = {}, ""
    address = origin.get("url", "")
    folder = urlsplit(address)
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    source = url2pathname(folder.path) if folder.scheme == "file" else "gough"
    source += f"[{extra}]"
    if "vcs_info" in origin:
        source += f" @ {origin['vcs_info']['vcs']}+{address}"
    if "pipx" in Path(sys.prefix).parts:
        return f'pipx install --force {editable}"{source}"'
    python = sys.executable  # which is named where the shell would find another
    by_uv = installer == "uv"
    if Path(shutil.which("python") or "").parent == Path(python).parent:
        program = "uv pip install" if by_uv else "pip install"
    else:
        program = f"uv pip install --python {python}" if by_uv else f"{python} -m pip install"
    return f'{program} {editable}"{source}"'


@contextmanager
def about_file(file: Path) -> Iterator[None]:
    """Something that is read in a file: a complaint says which."""
    try:
        yield
    except InputError as error:
        raise InputError.of(error, file=file) from None
    except GoughError as error:
        raise InputError(str(error), file=file) from None


@contextmanager
def named_by(key: str, file: Path | None = None) -> Iterator[None]:
    """Something that is read in another file: a complaint is about the key that names the file."""
    try:
        yield
    except InputError as error:
        alone = [InputError.of(problem, file=file or error.file) for problem in error.problems]
        found = [InputError(str(problem), key=key) for problem in alone]
        raise InputError.together(found) from None


class RobotError(InputError):
    """A robot description that is wrong; of a key `legs[2]…`, the leg is 3.

    >>> import gough
    >>> try:
    ...     gough.Robot.from_dict({"schema": "gough/1"})
    ... except gough.RobotError as error:
    ...     print(error.problem)
    missing
    """

    def __init__(self, problem: str, *, key: str = "", **parts: Any) -> None:
        found = re.match(r"legs\[(\d+)\]", key)
        parts["leg"] = parts.get("leg") or (int(found[1]) + 1 if found else None)
        parts["others"] = [RobotError.of(other) for other in parts.get("others", ())]
        super().__init__(problem, key=key, **parts)


class Problems:
    """Errors of several steps, so that a user learns of all at once."""

    def __init__(self) -> None:
        self.found: list[InputError] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """A step whose error waits until the others are done."""
        try:
            yield
        except InputError as error:
            self.found.append(error)
        except GoughError as error:
            self.found.append(InputError(str(error)))

    def raise_any(self) -> None:
        """Raise what was found, if anything was."""
        if self.found:
            raise InputError.together(self.found)


SINGULAR_WORDS = {
    "actuators": "condition number of J {condition:.3g}; no actuator forces can balance every "
    "wrench there",
    "universal joint": "leg {leg} stands along the first axis of its universal joint, which cannot "
    "follow it there",
    "leg length": "leg {leg} has no length, hence no direction",
    "reach": "the legs cannot reach it",
    "loops": "the loops of the machine do not close there: it cannot take that pose, or only when "
    "assembled in another way than at home",
    "change point": "a change point lies between home and it: from there the machine can go on in "
    "two ways, and a pose does not say which it took",
    "motors": "the leg of {name} is stretched out or folded: {name} cannot move the platform there",
    "passive joints": "{name} cannot follow the platform there",
    "constraint": "the platform can move there beyond its degrees of freedom",
}
"""Kinds of singular configurations, and their consequences."""


class SingularConfiguration(GoughError):  # noqa: N818  (a state of the machine)
    """No actuator forces can be found: J is singular, or a leg. Has the pose and J's condition.

    `kind` is one of SINGULAR_WORDS; `leg` counts from 1, and is None where it is not about a leg
    of a hexapod; `name` is that of the joints of a machine of another kind.

    >>> import gough
    >>> try:
    ...     gough.Model(gough.load("kalani-2016")).checked_inverse_dynamics(gough.pose([0, 0, 0]))
    ... except gough.SingularConfiguration as error:
    ...     print(error.kind)
    actuators
    """

    def __init__(
        self,
        pose: tuple[float, ...],
        condition: float,
        index: tuple[int, ...],
        kind: str = "actuators",
        leg: int | None = None,
        name: str = "",
    ) -> None:
        """`index` is the place of the first singular pose in its batch."""
        self.pose, self.condition, self.index = pose, condition, index
        self.kind, self.leg, self.name = kind, leg, name
        where = f" at index {list(index)}" if index else ""
        listed = ", ".join(f"{x:.6g}" for x in pose)
        self.words = SINGULAR_WORDS[kind].format(condition=condition, leg=leg, name=name)
        super().__init__(f"singular configuration{where}: pose [{listed}], {self.words}")


class LegLengthError(GoughError):
    """A pose at which a leg is too short or too long for its parts."""


class KernelArgumentError(GoughError):
    """A kernel was called with an argument that does not fit; names the argument and the shape.

    >>> import gough
    >>> try:
    ...     gough.Model(gough.load("kalani-2016")).jacobian([1, 2, 3])
    ... except gough.KernelArgumentError as error:
    ...     print(error)
    jacobian: argument 'pose' has shape (3,); expected (..., 7)
    """


class CompilerError(GoughError):
    """A function that cannot be compiled, or a target that is not there.

    >>> import gough
    >>> issubclass(gough.CompilerError, gough.GoughError)
    True
    """


def joined(place: str, key: str) -> str:
    """A key as seen from the table around it; items of a list have keys like `[0]`."""
    if not place or not key:
        return place or key
    return f"{place}{key}" if key.startswith("[") else f"{place}.{key}"


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The one of the known names that is most like a name; empty if none is like it."""
    from difflib import get_close_matches  # noqa: PLC0415  (of errors alone)

    return next(iter(get_close_matches(name, list(known), 1, likeness)), "")


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The nearest of the known names as a question, or nothing if none is near."""
    near = nearest(name, known, likeness)
    return f' (did you mean "{near}"?)' if near else ""


def clipped(text: str, limit: int) -> str:
    """Text in one line that is not too long: the end is left, as it often says the reason."""
    line = " ".join(text.splitlines())
    half = limit // 2
    return line if len(line) <= limit else f"{line[:half]}…{line[half + 1 - limit :]}"


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
