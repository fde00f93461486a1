"""What is known of a compiled function without its symbols: enough to call its machine code."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from gough.compiler.front.argument import Argument
from gough.compiler.front.program import Program


@dataclass(frozen=True)
class Description:
    """Name, arguments and documentation of a function, its work, and where its code is kept."""

    name: str
    doc: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    n_operations: int
    """How many scalar operations one sample takes."""
    key: str
    """Of the object code in the cache on disk."""

    @classmethod
    def of(cls, program: Program, key: str) -> Description:
        """What a program says of itself; its object code is kept under that key."""
        return cls(
            program.name, program.doc, program.inputs, program.outputs, program.n_operations, key
        )

    def written(self) -> bytes:
        """All of it as bytes, for a file."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def read(cls, written: bytes) -> Description:
        """What such bytes say."""
        facts = json.loads(written)
        arguments = {
            side: tuple(Argument(**{**a, "shape": tuple(a["shape"])}) for a in facts[side])
            for side in ("inputs", "outputs")
        }
        return cls(**{**facts, **arguments})
