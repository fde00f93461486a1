"""Kernels and recurrences of other processes: found on disk by what defines them, without symbols.

To trace an equation takes far longer than to load its machine code. So beside the code a
description is kept, under a key of Gough's sources, the maker and its arguments. The symbols are
made only if somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import TypeVar

from gough.compiler import identity
from gough.compiler.native import cache
from gough.compiler.native.description import Description
from gough.compiler.native.kernel import Kernel
from gough.compiler.native.machine_code import MachineCode, kept_code, made_for
from gough.compiler.native.recurrence import Recurrence
from gough.compiler.remembered import Given, remembered

Product = TypeVar("Product", Kernel, Recurrence)


def compiled(make: Callable[Given, Kernel]) -> Callable[Given, Kernel]:
    """The same maker of a kernel, `remembered` in this process and kept on disk for others.

    What it makes must depend on its arguments and on Gough's sources alone: on no file, on no
    setting.
    """
    return remembered(kept_on_disk(Kernel)(make))


def compiled_recurrence(make: Callable[Given, Recurrence]) -> Callable[Given, Recurrence]:
    """The same of a maker of recurrences."""
    return remembered(kept_on_disk(Recurrence)(make))


def kept_on_disk(
    kind: type[Product],
) -> Callable[[Callable[Given, Product]], Callable[Given, Product]]:
    """The same of makers whose products need not be remembered: somebody owns them."""

    def keeping(make: Callable[Given, Product]) -> Callable[Given, Product]:
        @wraps(make)
        def made(*arguments: Given.args, **options: Given.kwargs) -> Product:
            known = identity.identity(make, arguments, tuple(sorted(options.items())))
            if known is None:
                return make(*arguments, **options)
            key = sha256(f"{known} {made_for()}".encode()).hexdigest()
            code = _kept(key)
            if code is not None:
                return kind.kept(code, lambda: make(*arguments, **options))
            product = make(*arguments, **options)
            if identity.sources_now() == identity.sources():
                cache.write(key, product.description.written(), cache.DESCRIPTION)
            return product

        return made

    return keeping


def _kept(key: str) -> MachineCode | None:
    written = cache.read(key, cache.DESCRIPTION)
    return None if written is None else kept_code(Description.read(written))
