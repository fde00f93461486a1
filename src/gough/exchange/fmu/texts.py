"""Texts of an FMU: C99 sources, and modelDescription.xml in the words of FMI 2.0 and of FMI 3.0."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from textwrap import fill, indent
from xml.etree.ElementTree import Element, SubElement

from gough._version import __version__
from gough.compiler.front.program import LoadInput, Program, operands_of
from gough.compiler.source.c import C, c_header, c_source
from gough.disk.sources import MARK, Texts
from gough.exchange.fmu.plant import QUATERNION
from gough.exchange.fmu.system import Block, FmuVariable, System
from gough.exchange.tree.document import xml_text
from gough.fields.units import usual_unit

Programs = dict[str, Program]
"""By what they compute."""

TOKEN = "@token@"
"""Stands where a description and a binary say that they belong together."""
_GIVEN = (Block.PARAMETERS, Block.STATES, Block.MEMORY, Block.INPUTS)
"""Blocks in the order in which functions take them."""
_FOUND = (Block.RATES, Block.OUTPUTS, Block.INDICATORS)
_STORED = tuple(block for block in Block if block not in _FOUND)
_BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
"""Base units in the order of FMI."""
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
_STARTING = (Block.STEP, Block.PARAMETERS, Block.INPUTS, Block.STATES, Block.MEMORY)
_LOG = ("logStatusWarning", "logStatusDiscard", "logStatusError")
_UNKNOWNS = {
    "Outputs": ("Output", (Block.STATES, Block.OUTPUTS)),
    "Derivatives": ("ContinuousStateDerivative", (Block.RATES,)),
    "InitialUnknowns": ("InitialUnknown", (Block.OUTPUTS, Block.RATES)),
    "EventIndicators": ("EventIndicator", (Block.INDICATORS,)),
}
"""Lists of FMI 2.0, with the names that FMI 3.0 has for their entries, and what is in them."""
Attributes = dict[str, str]
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


Entry = tuple[Block, FmuVariable, int]
"""A variable as a description lists it, with its value reference."""


def model_description(
    system: System, identifier: str, fmi: int, programs: Programs, sources: list[str]
) -> str:
    """The text of the file; `sources` are those to be compiled."""
    facts = {
        "fmiVersion": f"{fmi}.0",
        "modelName": system.name,
        "guid" if fmi == 2 else "instantiationToken": TOKEN,
        "description": system.description,
        "license": "BSD-3-Clause",
        "generationTool": f"{MARK} {__version__}",
        "variableNamingConvention": "structured",
    }
    if fmi == 2:
        facts["numberOfEventIndicators"] = str(len(system.indicators))
    root = Element("fmiModelDescription", facts)
    _interfaces(root, system, identifier, fmi, sources)
    units = SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(v.unit or "1" for some in system.variables.values() for v in some):
        above, *below = re.findall(r"[^/()]+", unit)  # all behind the first slash divides
        known = usual_unit("/".join([above, *" ".join(below).split()]))
        assert known is not None, unit
        bases = {base: str(known[1][base]) for base in _BASES if base in known[1]}
        SubElement(SubElement(units, "Unit", name=unit), "BaseUnit", bases)
    categories = SubElement(root, "LogCategories")
    for name in _LOG:
        SubElement(categories, "Category", name=name)
    step = repr(system.period or 1e-3)
    experiment = {"startTime": "0.0", "stopTime": "1.0", "tolerance": "1e-8", "stepSize": step}
    SubElement(root, "DefaultExperiment", experiment)
    places, listed = system.places(), SubElement(root, "ModelVariables")
    every = [(block, v) for block, some in system.variables.items() for v in some]
    entries = [(block, variable, k) for k, (block, variable) in enumerate(every)]
    for block, variable, reference in entries:
        alike, numbers = _attributes(block, variable, reference, system.sampled)
        if block is Block.RATES:  # of the state that it is the rate of
            state = reference - places[Block.RATES] + places[Block.STATES]
            numbers["derivative"] = str(state + 1 if fmi == 2 else state)
        if fmi == 2:
            SubElement(SubElement(listed, "ScalarVariable", alike), "Real", numbers)
        else:
            SubElement(listed, "Float64", {**alike, **numbers})
    _structure(root, entries, dependencies(system, programs), fmi)
    return _HEAD + xml_text(root)


def build_description(identifier: str, sources: list[str]) -> str:
    """buildDescription.xml of FMI 3.0: how the sources are compiled."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    build = SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    listed = SubElement(build, "SourceFileSet", language="C99")
    for name in sources:
        SubElement(listed, "SourceFile", name=name)
    SubElement(build, "Library", name="m", external="true")
    return _HEAD + xml_text(root)


def _interfaces(
    root: Element, system: System, identifier: str, fmi: int, sources: list[str]
) -> None:
    """Model exchange and co-simulation, and what both can do."""
    state = "FMUstate" if fmi == 2 else "FMUState"
    able = {f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
    slopes = "providesDirectionalDerivative" + ("" if fmi == 2 else "s")
    common = {"modelIdentifier": identifier, **able, slopes: "true"}
    stepping = {"canHandleVariableCommunicationStepSize": "true"}
    exchange = {"needsCompletedIntegratorStep": "false"}
    if fmi == 2:
        common["canNotUseMemoryManagementFunctions"] = "true"
        exchange = {"completedIntegratorStepNotNeeded": "true"}
    elif system.period:
        stepping["fixedInternalStepSize"] = repr(system.period)
    for name, own in (("ModelExchange", exchange), ("CoSimulation", stepping)):
        found = SubElement(root, name, {**common, **own})
        if fmi == 2:
            listed = SubElement(found, "SourceFiles")
            for source in sources:
                SubElement(listed, "File", name=source)


def _attributes(
    block: Block, variable: FmuVariable, reference: int, sampled: bool
) -> tuple[Attributes, Attributes]:
    """Return what both versions say of a variable: the words, and then unit and start."""
    name, unit, meaning, start = variable
    causality, variability, initial = _CAUSALITY[block]
    if sampled and block is Block.OUTPUTS:
        variability = "discrete"
    words = {"name": name, "valueReference": str(reference), "description": meaning}
    words |= {"causality": causality, "variability": variability}
    starts = {"start": repr(start)} if block in _STARTING else {}
    return words | ({"initial": initial} if initial else {}), {"unit": unit or "1"} | starts


def _structure(root: Element, entries: list[Entry], needed: dict[int, list[int]], fmi: int) -> None:
    """Add the dependencies. Entries of FMI 2.0 are counted from one, in the order of variables."""
    structure, shift = SubElement(root, "ModelStructure"), 1 if fmi == 2 else 0
    for kind, (name, blocks) in _UNKNOWNS.items():
        listed = [reference for block, _, reference in entries if block in blocks]
        if fmi == 2 and (kind == "EventIndicators" or not listed):
            continue
        place = SubElement(structure, kind) if fmi == 2 else structure
        for reference in listed:
            which = {"index" if fmi == 2 else "valueReference": str(reference + shift)}
            if kind != "InitialUnknowns":
                known = needed.get(reference, [reference])
                which["dependencies"] = " ".join(str(k + shift) for k in known)
            SubElement(place, "Unknown" if fmi == 2 else name, which)


def dependencies(system: System, programs: Programs) -> dict[int, list[int]]:
    """The inputs and states that what is computed depends on, by value references."""
    places, found = system.places(), {}
    elements = [
        places[block] + k if block in (Block.STATES, Block.INPUTS) else None
        for block in _GIVEN
        for k in range(len(system.variables[block]))
    ]
    for block in (block for block in _FOUND if block in programs):
        for k, loaded in enumerate(_loads(programs[block]), places[block]):
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
    starts = [v.start for block in _STORED for v in system.variables[block]]
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
            _table("double", "STARTS", [*map(number, starts)]),
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
