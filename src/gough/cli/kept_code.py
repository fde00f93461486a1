"""Code of data classes, kept on disk: Python writes their methods as texts, and compiles each anew.

In a command with some hundred classes this takes a tenth of its time. The module `dataclasses` has
the code from here while a command runs; the cache believes only what this user wrote.
"""

import builtins
import dataclasses
import marshal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from gough.compiler.native import cache

MOST = 5_000
"""Number of texts beyond which all are forgotten: those of earlier versions are among them."""


@contextmanager
def kept_code() -> Iterator[None]:
    """Have data classes take the code of their methods from disk; keep there what is new."""
    key = sha256(sys.version.encode()).hexdigest()
    stored = cache.read(key, cache.CODE)
    known: dict[bytes, bytes] = marshal.loads(stored) if stored else {}
    before = len(known)

    def execute(text: str, *names: Any) -> None:
        digest = sha256(text.encode()).digest()
        if digest not in known:
            known[digest] = marshal.dumps(compile(text, "<string>", "exec", dont_inherit=True))
        builtins.exec(marshal.loads(known[digest]), *names)

    vars(dataclasses)["exec"] = execute  # in place of the builtin one
    try:
        yield
    finally:
        del vars(dataclasses)["exec"]
        if len(known) > before:
            cache.write(key, marshal.dumps(known if len(known) < MOST else {}), cache.CODE)
