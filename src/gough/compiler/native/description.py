"""What is known of a compiled function without its symbols: enough to call its machine code."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from gough.compiler.front.argument import Argument
from gough.compiler.front.program import Program, flat_size


@dataclass(frozen=True)
class Description:
    """Name, arguments and documentation of a function, its work, and where its code is kept."""

    name: str
    doc: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    n_operations: int
    """How many scalar operations one sample takes."""
    most_operations: int
    """The same if no iteration ends before its time."""
    lanes: int
    """How many samples go side by side."""
    key: str
    """Of the object code in the cache on disk."""
    carried: tuple[tuple[str, str], ...] = ()
    """Of a recurrence: each input that is an output of the sample before, and that output."""

    @classmethod
    def of(cls, program: Program, lanes: int, key: str) -> Description:
        """What a program says of itself; its object code is kept under that key."""
        return cls(
            name=program.name,
            doc=program.doc,
            inputs=program.inputs,
            outputs=program.outputs,
            n_operations=program.n_operations,
            most_operations=program.most_operations,
            lanes=lanes,
            key=key,
        )

    @property
    def stack(self) -> int:
        """How much of the stack its code takes at most [bytes].

        That is a place for each operation of each lane, and for arguments where they are copied.
        """
        arguments = flat_size((*self.inputs, *self.outputs))
        return 8 * self.lanes * (self.n_operations + 4 * arguments)

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
        carried = tuple(map(tuple, facts["carried"]))
        return cls(**{**facts, **arguments, "carried": carried})
