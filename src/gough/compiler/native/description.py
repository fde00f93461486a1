"""Description of a compiled function without its symbols: enough to call its machine code."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from gough.compiler.front.argument import Argument
from gough.compiler.front.program import Program, flat_size


@dataclass(frozen=True)
class CodeDescription:
    """Name, arguments and documentation of a function, its work, and where its code is kept."""

    name: str
    doc: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    n_operations: int
    """Number of scalar operations of one sample."""
    most_operations: int
    """Maximum number of scalar operations of one sample, if no iteration stops early."""
    lanes: int
    """Number of samples that are computed side by side."""
    key: str
    """Key of the object code in the cache on disk."""
    carried: tuple[tuple[str, str], ...] = ()
    """Inputs of a recurrence that are outputs of the sample before, each with that output."""

    @classmethod
    def of(cls, program: Program, lanes: int, key: str) -> CodeDescription:
        """Return the description of a program whose object code has this key."""
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
        """Maximum stack of its code [bytes].

        That is a place for each operation of each lane, and for arguments where they are copied.
        """
        arguments = flat_size((*self.inputs, *self.outputs))
        return 8 * self.lanes * (self.n_operations + 4 * arguments)

    def written(self) -> bytes:
        """All of it as bytes, for a file."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def read(cls, written: bytes) -> CodeDescription:
        """Return the description that such bytes contain."""
        facts = json.loads(written)
        arguments = {
            side: tuple(Argument(**{**a, "shape": tuple(a["shape"])}) for a in facts[side])
            for side in ("inputs", "outputs")
        }
        carried = tuple(map(tuple, facts["carried"]))
        return cls(**{**facts, **arguments, "carried": carried})
