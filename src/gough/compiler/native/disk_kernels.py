"""Kernels and recurrences of other processes: found on disk by what defines them, without symbols.

To trace an equation takes far longer than to load its machine code. So beside the code a
description is kept, under a key of the sources, the maker and its arguments. The symbols are
made only if somebody asks for them.
"""

import json
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any, TypeVar

from gough.compiler.front.function import Function
from gough.compiler.identity import Identity, identity
from gough.compiler.memo import Given, MakerCall, held, remembered
from gough.compiler.native import cache
from gough.compiler.native.kernel import Kernel, Results
from gough.compiler.native.machine_code import CodeDescription, kept_code, made_for
from gough.compiler.native.recurrence import Recurrence
from gough.disk.plain_data import PlainData

Product = TypeVar("Product", Kernel[Any], Recurrence)


def compiled(make: Callable[Given, Kernel[Results]]) -> Callable[Given, Kernel[Results]]:
    """Decorate a maker of kernels of its arguments alone: `remembered` here, kept on disk."""
    return remembered(kept_on_disk(Kernel)(make))


def compiled_recurrence(make: Callable[Given, Recurrence]) -> Callable[Given, Recurrence]:
    """Decorate a maker of recurrences, `remembered` in this process and kept on disk."""
    return remembered(kept_on_disk(Recurrence)(make))


def kept_on_disk(
    kind: type[Product],
) -> Callable[[Callable[Given, Product]], Callable[Given, Product]]:
    """Decorate makers whose products are kept on disk, and here as long as a caller has them."""

    def keeping(make: Callable[Given, Product]) -> Callable[Given, Product]:
        @wraps(make)
        def made(*arguments: Given.args, **options: Given.kwargs) -> Product:
            key, call = _key(make, arguments, options), MakerCall(make, arguments, options)
            known: Product | None = None if key is None else held.get(key.digest)
            if known is not None:
                return known
            written = None if key is None else cache.read(key.digest, cache.DESCRIPTION)
            code = None if written is None else kept_code(CodeDescription.read(written))
            if code is not None:
                product = kind.from_disk(code, call)
            else:
                product = call()
                product.made_by = call
                _keep(key, product.description.written(), cache.DESCRIPTION)
            if key is not None:
                held[key.digest] = product
            return product

        return made

    return keeping


@compiled
def kernel_of(make: Callable[..., Function], *arguments: object) -> Kernel[Any]:
    """Return the kernel of the function that a maker makes of these arguments alone."""
    return Kernel(make(*arguments))


def kept_data(make: Callable[Given, PlainData]) -> Callable[Given, PlainData]:
    """Decorate makers of plain data, which are kept on disk as JSON."""

    @wraps(make)
    def made(*arguments: Given.args, **options: Given.kwargs) -> PlainData:
        key = _key(make, arguments, options)
        written = None if key is None else cache.read(key.digest, cache.DATA)
        if written is None:
            written = json.dumps(make(*arguments, **options)).encode()
            _keep(key, written, cache.DATA)
        found: PlainData = json.loads(written)
        return found

    return made


def _key(make: Callable[..., Any], arguments: tuple[Any, ...], options: Any) -> Identity | None:
    """Return the key of a product, if all that it is made from is known."""
    known = identity(make, arguments, tuple(sorted(options.items())))
    if known is None:
        return None
    return known._replace(digest=sha256(f"{known.digest} {made_for()}".encode()).hexdigest())


def _keep(key: Identity | None, content: bytes, kind: str) -> None:
    """Write it to the disk, unless the sources are not those that made it any more."""
    if key is not None and key.is_current:
        cache.write(key.digest, content, kind)
