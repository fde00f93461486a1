"""The C99 sources of an FMU: the system's equations, what it is made of, and what runs it."""

from __future__ import annotations

import json
from importlib.resources import files
from textwrap import fill, indent

from gough._version import __version__
from gough.compiler.front.program import Program
from gough.compiler.source.c import C, c_header, c_source
from gough.disk.sources import MARK, Texts
from gough.exchange.fmu.plant import QUATERNION
from gough.exchange.fmu.system import Block, System

Programs = dict[str, Program]
"""By what they compute."""

TOKEN = "@token@"
"""Stands where a description and a binary say that they belong together."""
_GIVEN = (Block.PARAMETERS, Block.STATES, Block.MEMORY, Block.INPUTS)
"""Blocks in the order in which functions take them."""
_FOUND = (Block.RATES, Block.OUTPUTS, Block.INDICATORS)
_KEPT = tuple(block for block in Block if block not in _FOUND)


def c_sources(system: System, identifier: str, fmi: int, programs: Programs) -> Texts:
    """All sources; names outside a file begin with the identifier, or are those of FMI."""
    folder, texts = files("gough.exchange.fmu").joinpath("runtime"), Texts()
    for name in (f"fmi{fmi}.c", "alike.h", "instance.h"):
        text = folder.joinpath(name).read_text(encoding="utf-8")
        texts[name] = f"/* {name}: {MARK} {__version__}. Do not edit. */\n{text}"
    texts["model.h"] = _model(system, identifier, programs)
    for program in programs.values():
        texts[f"{program.name}.c"] = c_source(program)
        texts[f"{program.name}.h"] = c_header(program)
    return texts


def _model(system: System, identifier: str, programs: Programs) -> str:
    """The header that says what the model has, and how its functions are called."""
    number = next(C(program) for program in programs.values()).number
    every = [v for some in system.variables.values() for v in some]
    kept = [v for block in _KEPT for v in system.variables[block]]
    places = {f"FIRST_{block.upper()}": k for block, k in system.places().items()}
    sizes = {f"N_{block.upper()}": len(some) for block, some in system.variables.items()}
    facts = {
        "MODEL": f'"{identifier}"',
        "TOKEN": f'"{TOKEN}"',
        **places,
        **sizes,
        "N_VARIABLES": sum(sizes.values()),
        "PERIOD": number(system.period),
        "ENDS_RUN": int(system.ends),
        "QUATERNION": QUATERNION.start,
    }
    return "\n".join(
        [
            f"/* model.h: {MARK} {__version__}. Do not edit. */",
            "#ifndef GOUGH_MODEL_H\n#define GOUGH_MODEL_H\n",
            *(f'#include "{program.name}.h"' for program in programs.values()),
            "",
            *(f"#define {name} {value}" for name, value in facts.items()),
            "",
            _calls(programs),
            _table("double", "STARTS", [number(v.start) for v in kept]),
            _table("char *const", "NAMES", [json.dumps(v.name) for v in every]),
            "#endif\n",
        ]
    )


def _calls(programs: Programs) -> str:
    """Macros that call the functions on the arrays of an instance."""
    given = ", ".join(f"(v) + FIRST_{block.upper()}" for block in _GIVEN)
    directions = given.replace("(v)", "(d)")
    found = [(b, f"(f) + FIRST_{b.upper()} - FIRST_RATES") for b in _FOUND if b in programs]
    changes = ", ".join(place for _, place in found)
    evaluations = [f"{programs[block].name}({given}, {place});" for block, place in found]
    lines = [
        f"#define EVALUATE(v, f) do {{ {' '.join(evaluations)} }} while (0)",
        f"#define SLOPES(v, d, f) {programs['slopes'].name}({given}, {directions}, {changes})",
    ]
    for macro, what in (("RATE", "rates"), ("REMEMBER", "sample")):
        if what in programs:
            lines.append(f"#define {macro}(v, f) {programs[what].name}({given}, (f))")
    return "\n".join(lines) + "\n"


def _table(kind: str, name: str, entries: list[str]) -> str:
    """A constant array."""
    lines = fill(", ".join(entries), 96, break_long_words=False, break_on_hyphens=False)
    return f"static const {kind} {name}[] = {{\n{indent(lines, '    ')}\n}};\n"
