"""The one memory of what was compiled: each thing is made once, for all rooms, and the last stay.

What a maker makes depends on its arguments alone, and these can be hashed: machines, options. (The
machine code itself is kept on disk, for other processes: see `compiler.native.cache`.) What is
compiled goes to other processes as what it is made of, and is found or made there: machine code is
good on one kind of processor only. What a maker of Gough made goes as the call of that maker, some
hundred bytes and a robot; anything else as its symbols. And notices of what is being compiled, for
those who wait for it.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from importlib import import_module
from inspect import unwrap
from operator import attrgetter
from threading import RLock
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from gough.compiler.identity import UnidentifiedError, fingerprint
from gough.disk.plain_data import PlainData
from gough.errors import GoughError

KEPT = 256
"""Maximum number of products kept, of all makers; large kernels take about a megabyte each."""
held = WeakValueDictionary[str, Any]()
"""Products that are on disk and that somebody has, by their keys there."""

Given = ParamSpec("Given")
Made = TypeVar("Made")


def remembered(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Decorate a maker, which then returns its earlier product for equal arguments."""

    @wraps(make)
    def made(*arguments: Given.args, **options: Given.kwargs) -> Made:
        for given in (*arguments, *options.values()):
            if type(given).__hash__ is None:
                raise GoughError(f"{make.__name__}: {given!r:.80} cannot be its argument")
        product: Made = _kept((make, arguments, tuple(options.items())))
        return product

    return made


def remembered_by_value(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Decorate a maker whose arguments are alike if their fingerprints are; without, it makes."""

    @wraps(make)
    def made(*arguments: Given.args, **options: Given.kwargs) -> Made:
        call = MakerCall(make, arguments, options)
        try:
            known = fingerprint((arguments, options))
        except UnidentifiedError:
            return make(*arguments, **options)
        product: Made = _kept((_called_once, (make, _Alike(known, call)), ()))
        return product

    return made


def forget() -> None:
    """Let everything be made anew."""
    _kept.cache_clear()
    _just_made.cache_clear()
    held.clear()


_Call = tuple[Callable[..., object], tuple[object, ...], tuple[tuple[str, object], ...]]
"""A maker, its arguments and its options."""


@lru_cache(maxsize=KEPT)
def _kept(call: _Call) -> Any:
    """Make it, one thread at a time. Each waits for parts of what it makes: never in a ring."""
    try:
        with _being_made.setdefault(call, RLock()):
            return _just_made(call)
    finally:
        _being_made.pop(call, None)


@lru_cache(maxsize=16)
def _just_made(call: _Call) -> object:
    make, arguments, options = call
    return make(*arguments, **dict(options))


_being_made = dict[_Call, RLock]()
if hasattr(os, "register_at_fork"):  # a child has no other threads, which would finish
    os.register_at_fork(after_in_child=_being_made.clear)


@dataclass(frozen=True, eq=False)
class MakerCall:
    """The call of a maker that makes a kernel or recurrence anew."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    def __call__(self) -> Any:
        """Make it."""
        return self.make(*self.arguments, **self.options)

    def pickled(self) -> tuple[Any, ...] | None:
        """The call as pickle keeps it, if other processes find its maker by its name."""
        maker = self.make.__module__, self.make.__qualname__
        if "<" in maker[1] or unwrap(_named(*maker)) is not unwrap(self.make):
            return None
        return _called, (*maker, self.arguments, dict(self.options))


@dataclass(frozen=True)
class _Alike:
    """A call, one for all with the same fingerprint of the arguments."""

    fingerprint: str
    call: MakerCall = field(compare=False)


def _called_once(_: Callable[..., Any], alike: _Alike) -> Any:
    return alike.call()


def _called(module: str, name: str, arguments: tuple[object, ...], options: PlainData) -> Any:
    return _named(module, name)(*arguments, **options)


def _named(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = attrgetter(name)(import_module(module))
    return found


Tell = Callable[[str], None]
"""Takes the name of what is being compiled from now on; none when it is done."""

_TELL: ContextVar[Tell] = ContextVar("tell", default=lambda _: None)
_NAME: ContextVar[str] = ContextVar("name", default="")


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Report the names of all that is compiled in this context."""
    before = _TELL.set(tell)
    try:
        yield
    finally:
        _TELL.reset(before)


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """Report that a function of this name is being traced or compiled in this context."""
    tell, before = _TELL.get(), _NAME.set(name)
    tell(name)
    try:
        yield
    finally:
        _NAME.reset(before)
        tell(_NAME.get())
