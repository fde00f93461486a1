"""Straight-line code in some language: one constant per value, one function per routine."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from textwrap import indent
from typing import cast

from gough._version import __version__
from gough.compiler.front import program as ir
from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import LIBRARY, Operation
from gough.disk.plain_data import PlainData
from gough.disk.sources import MARK, rendered
from gough.errors import CompilerError, GoughError

_KEYWORDS = frozenset(
    """abstract alignas alignof and arguments asm auto await bool break case catch char class compl
    const constexpr continue debugger decltype default delete do double else enum eval explicit
    export extends extern false finally float for friend function goto if implements import in
    inline instanceof int interface let long main mutable namespace new noexcept not null nullptr
    operator or package private protected public register restrict return short signed sizeof static
    struct super switch template this throw true try typedef typeid typename typeof union unsigned
    using var virtual void volatile while with xor yield""".split()
)
"""Keywords of C, C++ (which CUDA extends, and which reads C's headers too) and JavaScript."""


class Language(ABC):
    """Writes the bodies of routines; one that is called has a name of its own.

    Programs of one file share what they call; names begin with the file's, or else the program's.
    """

    ending: str
    """Suffix of files, without its dot."""
    assignment = "="
    arrays = "in", "out"
    """Names of what a routine's function reads and writes."""

    def __init__(self, *programs: ir.Program, name: str = "") -> None:
        for program in programs:
            check_names(program)
        called = {id(routine): routine for p in programs for routine in p.routines()}
        prefix = name or programs[0].name
        self.called = list(called.values())
        self.names = {id(r): f"{prefix}_{k}_{r.name}" for k, r in enumerate(self.called)}

    @abstractmethod
    def number(self, x: float) -> str:
        """A number, as an operand."""

    @abstractmethod
    def constant(self, name: str, text: str) -> str:
        """A line that gives a value its name."""

    @abstractmethod
    def computed(self, operation: Operation, operands: dict[str, str]) -> str:
        """A scalar operation on operands `a b c`."""

    @abstractmethod
    def call(self, number: int, routine: ir.Routine, operands: list[str]) -> Iterator[str]:
        """Lines after which `out{number}` has the results of a routine."""

    def result(self, call: int, routine: ir.Routine, element: int) -> str:
        """Where one of the results of a call is."""
        return f"out{call}[{element}]"

    @abstractmethod
    def function(self, routine: ir.Routine, lines: Iterable[str]) -> str:
        """The function of a routine that others call."""

    def callee(self, routine: ir.Routine) -> str:
        """Name by which a routine is called."""
        return self.names[id(routine)]

    def straight(self, program: ir.Program) -> list[str]:
        """The lines of a function that runs a program: one per value, then one per output."""
        sizes = ir.flat_size(program.inputs), ir.flat_size(program.outputs)
        places = ([f"{a}[{k}]" for k in range(n)] for a, n in zip(self.arrays, sizes, strict=True))
        return self.assigned(program, *places)

    def loop(self, iteration: ir.Iteration) -> list[str]:
        """The lines of a function that repeats a step until it says stop, or it was enough."""
        facts = {
            "language": self,
            "n_in": ir.flat_size(iteration.inputs),
            "n": iteration.n_states,
            "at_most": iteration.at_most,
            "step": self.callee(iteration.step),
        }
        return rendered(__name__, f"loop.{self.ending}", facts).splitlines()

    def functions(self) -> Iterator[str]:
        """All that is called, each before those that call it."""
        for routine in self.called:
            if isinstance(routine, ir.Iteration):
                lines = self.loop(routine)
            else:
                lines = self.straight(routine)
            yield self.function(routine, lines) + "\n"

    def body(self, program: ir.Program, inputs: list[str]) -> tuple[list[str], list[str]]:
        """One line per value, and the texts of the results; `inputs` says where elements are."""
        value, lines = list[str](), list[str]()
        for number, instruction in enumerate(program.instructions):
            name, right = f"v{number}", ""
            match instruction:
                case ir.ConstantValue(x):
                    name = self.number(x)
                case ir.LoadInput(element):
                    right = inputs[element]
                case ir.Compute(operation, operands):
                    named = zip("abc", (value[x] for x in operands), strict=False)
                    right = self.computed(operation, dict(named))
                case ir.Call(routine, operands):
                    lines += self.call(number, routine, [value[x] for x in operands])
                case ir.Result(call, element):
                    called = cast(ir.Call, program.instructions[call])
                    right = self.result(call, called.routine, element)
            if right:
                lines.append(self.constant(name, right))
            value.append(name)
        return lines, [value[number] for number in program.results]

    def assigned(self, program: ir.Program, inputs: list[str], outputs: list[str]) -> list[str]:
        """The lines of a program from given places to given places."""
        lines, results = self.body(program, inputs)
        pairs = zip(outputs, results, strict=True)
        return [*lines, *(f"{place} {self.assignment} {text};" for place, text in pairs)]


def check_names(program: ir.Program) -> None:
    """Refuse names that source code cannot have; a function's is also that of its files."""
    for name in (program.name, *(a.name for a in (*program.inputs, *program.outputs))):
        if name in _KEYWORDS | {*LIBRARY} or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise CompilerError(
                f"{program.name}: {name!r} cannot be a name in C or JavaScript; expected "
                "letters, digits and _, and no word that one of them has"
            )


def identifier(argument: Argument) -> str:
    """An argument's name, apart from those of the values (`v12`, `in3`, `out3`)."""
    return re.sub(r"^(v|in|out)(\d+)$", r"\1_\2", argument.name)


def named(program: ir.Program) -> tuple[list[tuple[Argument, str]], list[tuple[Argument, str]]]:
    """Inputs and outputs with names in source code.

    An output's is neither an input's (a new state has the old's) nor the function's.
    """
    inputs = [(a, identifier(a)) for a in program.inputs]
    taken = {name: f"new_{name}" for _, name in inputs} | {program.name: f"{program.name}_found"}
    return inputs, [(a, taken.get(identifier(a), identifier(a))) for a in program.outputs]


def places(named: Iterable[tuple[Argument, str]]) -> list[str]:
    """The elements of named arrays, one after the other."""
    return [f"{name}[{k}]" for a, name in named for k in range(a.size)]


def is_single(dtype: str) -> bool:
    """Whether numbers of a type are of single precision; GoughError of a type that is not known."""
    if dtype not in ("float64", "float32"):
        raise GoughError(f"cannot export {dtype!r}; expected 'float64' or 'float32'")
    return dtype == "float32"


def c_identifier(name: str) -> str:
    """A name as letters, digits and single _, beginning with a letter."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return plain if re.match(r"[A-Za-z]", plain) else f"robot_{plain}".rstrip("_")


def signature(program: ir.Program, dtype: str = "float64") -> PlainData:
    """Name, documentation and arguments of a program."""
    return {
        "comment": "; ".join(filter(None, [f"{MARK} {__version__}", program.origin])),
        "name": program.name,
        "dtype": dtype,
        "doc": program.doc.strip(),
        "inputs": [{"shape": a.shape, **asdict(a)} for a in program.inputs],
        "outputs": [{"shape": a.shape, **asdict(a)} for a in program.outputs],
    }


def banner(program: ir.Program) -> str:
    """Return the first line of a file, with the program's name, origin and work."""
    return f"/* {provenance(program.name, program.origin, work(program))}. Do not edit. */\n"


def provenance(name: str, *facts: str) -> str:
    """Who wrote something, and what else is to be known of it, in one line of a comment."""
    known = "; ".join([f"{MARK} {__version__}", *filter(None, facts)])
    return " ".join(in_comment(f"{name}: {known}").split())


def work(program: ir.Program) -> str:
    """Return the scalar operations of a call: with one pass of each iteration, and at most."""
    once, most = program.n_operations, program.most_operations
    return f"{once} operations" + ("" if once == most else f", at most {most} in all iterations")


def described(argument: Argument) -> str:
    """Return the shape, unit and meaning of an argument."""
    shape = "x".join(map(str, argument.shape)) or "1"
    order = ", row by row" if len(argument.shape) > 1 else ""
    unit = f" [{argument.unit}]" if argument.unit else ""
    return f"{shape} numbers{order}{unit} {argument.meaning}".rstrip()


def comment(lines: list[str], begin: str = "/*") -> str:
    """Lines as a comment, which nothing in them can end."""
    text = in_comment("\n".join(lines))
    return f"{begin}\n" + indent(text, " * ", lambda _: True).replace(" * \n", " *\n") + "\n */"


def in_comment(text: str) -> str:
    """A text that neither ends a comment nor begins one."""
    return text.replace("*/", "* /").replace("/*", "/ *")


def braces(lines: Iterable[str], step: str = "    ") -> str:
    """Lines in braces."""
    return "{\n" + indent("\n".join(lines), step) + "\n}"
