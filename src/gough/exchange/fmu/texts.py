"""Texts of an FMU: C99 sources, and modelDescription.xml in the words of FMI 2.0 and of FMI 3.0."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from importlib.resources import files
from textwrap import TextWrapper
from typing import Any

from gough._version import __version__
from gough.compiler.front.program import LoadInput, Program, operands_of
from gough.compiler.source.c import C, c_header, c_source
from gough.disk.sources import MARK, Texts, rendered
from gough.exchange.fmu.plant import QUATERNION
from gough.exchange.fmu.system import Block, System
from gough.exchange.tree.document import in_attribute
from gough.fields.units import usual_unit

Programs = dict[str, Program]  # by what they compute
TOKEN = "@token@"  # stands where a description and a binary say that they belong together
_GIVEN = (Block.PARAMETERS, Block.STATES, Block.MEMORY, Block.INPUTS)
"""Blocks in the order in which functions take them."""
_FOUND = (Block.RATES, Block.OUTPUTS, Block.INDICATORS)
_BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")  # base units in the order of FMI
_CAUSALITY = {
    Block.TIME: ("independent", "continuous", ""),
    Block.STEP: ("parameter", "fixed", "exact"),
    Block.PARAMETERS: ("parameter", "tunable", "exact"),
    Block.INPUTS: ("input", "continuous", ""),
    Block.STATES: ("output", "continuous", "exact"),
    Block.MEMORY: ("local", "discrete", "exact"),
    Block.RATES: ("local", "continuous", "calculated"),
    Block.OUTPUTS: ("output", "continuous", "calculated"),
    Block.INDICATORS: ("local", "continuous", "calculated"),
}
"""Causality, variability and initial of each kind of variable; an empty one is not said."""


def texts_of(system: System, identifier: str, fmi: int, programs: Programs) -> Texts:
    """Description and sources by place; global names begin with the identifier, or are FMI's."""
    tool, runtime = f"{MARK} {__version__}", files(__package__).joinpath("runtime")
    sources = Texts()
    for name in (f"fmi{fmi}.c", "alike.h", "instance.h"):
        text = runtime.joinpath(name).read_text(encoding="utf-8")
        sources[name] = f"/* {name}: {tool}. Do not edit. */\n{text}"
    for program in programs.values():
        sources[f"{program.name}.c"] = c_source(program)
        sources[f"{program.name}.h"] = c_header(program)
    number = next(C(program) for program in programs.values()).number
    variables = _variables(system)
    facts = {
        "system": system,
        "identifier": identifier,
        "token": TOKEN,
        "tool": tool,
        "xml": in_attribute,
        "sources": sorted(name for name in sources if name.endswith(".c")),
        "units": {v["unit"]: _bases(v["unit"]) for v in variables},
        "variables": variables,
        "references": system.references(),
        "needed": dependencies(system, programs),
        "programs": programs,
        "order": _GIVEN,
        "computed": [block for block in _FOUND if block in programs],
        "period": number(system.period),
        "quaternion": QUATERNION.start,
        "starts": _listed(number(v["start"]) for v in variables if v["block"] not in _FOUND),
        "names": _listed(json.dumps(v["name"]) for v in variables),
    }
    sources["model.h"] = rendered(__name__, "model.h", facts)
    if fmi == 3:
        sources["buildDescription.xml"] = rendered(__name__, "buildDescription.xml", facts)
    texts = {f"sources/{name}": text for name, text in sources.items()}
    page = rendered(__name__, "index.html", facts | {"fmi": fmi})
    description = rendered(__name__, f"fmi{fmi}.xml", facts)
    texts |= {"documentation/index.html": page, "modelDescription.xml": description}
    return texts | {"documentation/licenses/license.txt": rendered(__name__, "license.txt", {})}


def _variables(system: System) -> list[dict[str, Any]]:
    """All variables as descriptions list them; `state` is what one is the rate of."""
    references, found = system.references(), []
    for block, some in system.variables.items():
        causality, variability, initial = _CAUSALITY[block]
        if not system.states and block is Block.OUTPUTS:  # they stay between samples
            variability = "discrete"
        states = references[Block.STATES] if block is Block.RATES else [None] * len(some)
        for variable, state in zip(some, states, strict=True):
            facts: dict[str, Any] = {"block": block, "causality": causality}
            facts |= {"variability": variability, "initial": initial, "state": state}
            facts["starts"] = initial == "exact" or block is Block.INPUTS
            found.append(asdict(variable) | facts | {"unit": variable.unit or "1"})
    return found


def _bases(unit: str) -> dict[str, int]:
    """The powers of base units in a unit, in the order of FMI."""
    known = usual_unit(unit)
    assert known is not None, unit
    return {base: known[1][base] for base in _BASES if base in known[1]}


def dependencies(system: System, programs: Programs) -> dict[int, list[int]]:
    """The inputs and states that what is computed depends on, by value references."""
    references, found, acting = system.references(), {}, (Block.STATES, Block.INPUTS)
    elements = [k if block in acting else None for block in _GIVEN for k in references[block]]
    for block in (block for block in _FOUND if block in programs):
        for k, loaded in zip(references[block], _loads(programs[block]), strict=True):
            known = (elements[element] for element in loaded)
            found[k] = sorted(r for r in known if r is not None)
    return found


def _loads(program: Program) -> list[frozenset[int]]:
    """The elements of the inputs that each result depends on."""
    found: list[frozenset[int]] = []
    for instruction in program.instructions:
        own = {instruction.element} if isinstance(instruction, LoadInput) else set()
        found.append(frozenset(own).union(*(found[k] for k in operands_of(instruction))))
    return [found[k] for k in program.results]


def _listed(entries: Iterable[str]) -> str:
    """The lines of an array."""
    wrapper = TextWrapper(100, "    ", "    ", break_long_words=False, break_on_hyphens=False)
    return wrapper.fill(", ".join(entries))
