"""modelDescription.xml: what an FMU has, in the words of FMI 2.0 and of FMI 3.0."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from gough._version import __version__
from gough.compiler.front.program import LoadInput, Program, operands_of
from gough.disk.sources import MARK
from gough.exchange.fmu.sources import TOKEN, Programs
from gough.exchange.fmu.system import Block, FmuVariable, System
from gough.exchange.tree.document import xml_text

BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_DERIVED = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "1": {},
}
_FACTOR = re.compile(r"([A-Za-z]+|1)\^?(\d*)")

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
_OF_FMI3 = {
    "Outputs": "Output",
    "Derivatives": "ContinuousStateDerivative",
    "InitialUnknowns": "InitialUnknown",
    "EventIndicators": "EventIndicator",
}
"""Names that FMI 3.0 has for entries of lists of FMI 2.0."""
Attributes = dict[str, str]
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


class _Entry(NamedTuple):
    """A variable as a description lists it."""

    block: Block
    variable: FmuVariable
    reference: int


def model_description(
    system: System, identifier: str, fmi: int, programs: Programs, sources: list[str]
) -> str:
    """The text of the file; `sources` are those to be compiled."""
    facts = {
        "fmiVersion": f"{fmi}.0",
        "modelName": system.name,
        "guid" if fmi == 2 else "instantiationToken": TOKEN,
        "description": system.description,
        "generationTool": f"{MARK} {__version__}",
        "variableNamingConvention": "structured",
    }
    if fmi == 2:
        facts["numberOfEventIndicators"] = str(len(system.indicators))
    root = Element("fmiModelDescription", facts)
    _interfaces(root, system, identifier, fmi, sources)
    units = SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(v.unit for some in system.variables.values() for v in some if v.unit):
        bases = {base: str(power) for base, power in exponents(unit).items()}
        SubElement(SubElement(units, "Unit", name=unit), "BaseUnit", bases)
    categories = SubElement(root, "LogCategories")
    for name in _LOG:
        SubElement(categories, "Category", name=name)
    step = repr(system.period or 1e-3)
    experiment = {"startTime": "0.0", "stopTime": "1.0", "tolerance": "1e-8", "stepSize": step}
    SubElement(root, "DefaultExperiment", experiment)
    places = system.places()
    entries = [
        _Entry(block, variable, places[block] + k)
        for block, variables in system.variables.items()
        for k, variable in enumerate(variables)
    ]
    listed = SubElement(root, "ModelVariables")
    for entry in entries:
        alike, numbers = _attributes(entry, system.sampled)
        if entry.block is Block.RATES:  # of the state that it is the rate of
            state = entry.reference - places[Block.RATES] + places[Block.STATES]
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
    exchange = {"completedIntegratorStepNotNeeded": "true"} if fmi == 2 else {
        "needsCompletedIntegratorStep": "false"
    }  # fmt: skip
    if fmi == 2:
        common["canNotUseMemoryManagementFunctions"] = "true"
    elif system.period:
        stepping["fixedInternalStepSize"] = repr(system.period)
    for name, own in (("ModelExchange", exchange), ("CoSimulation", stepping)):
        found = SubElement(root, name, {**common, **own})
        if fmi == 2:
            listed = SubElement(found, "SourceFiles")
            for source in sources:
                SubElement(listed, "File", name=source)


def _attributes(entry: _Entry, sampled: bool) -> tuple[Attributes, Attributes]:
    """Return what both versions say of a variable: the words, and then unit and start."""
    causality, variability, initial = _CAUSALITY[entry.block]
    if sampled and entry.block is Block.OUTPUTS:
        variability = "discrete"
    words = {
        "name": entry.variable.name,
        "valueReference": str(entry.reference),
        "description": entry.variable.meaning,
        "causality": causality,
        "variability": variability,
    }
    unit = {"unit": entry.variable.unit} if entry.variable.unit else {}
    start = {"start": repr(entry.variable.start)} if entry.block in _STARTING else {}
    return words | ({"initial": initial} if initial else {}), unit | start


def _structure(
    root: Element, entries: list[_Entry], needed: dict[int, list[int]], fmi: int
) -> None:
    """Add the dependencies. Entries of FMI 2.0 are counted from one, in the order of variables."""
    unknown = {
        "Outputs": [e for e in entries if e.block in (Block.STATES, Block.OUTPUTS)],
        "Derivatives": [e for e in entries if e.block is Block.RATES],
        "InitialUnknowns": [e for e in entries if e.block in (Block.OUTPUTS, Block.RATES)],
        "EventIndicators": [e for e in entries if e.block is Block.INDICATORS],
    }
    structure, shift = SubElement(root, "ModelStructure"), 1 if fmi == 2 else 0
    for kind, listed in unknown.items():
        if fmi == 2 and (kind == "EventIndicators" or not listed):
            continue
        place = SubElement(structure, kind) if fmi == 2 else structure
        name = "Unknown" if fmi == 2 else _OF_FMI3[kind]
        for entry in listed:
            which = {"index" if fmi == 2 else "valueReference": str(entry.reference + shift)}
            if kind != "InitialUnknowns":
                known = needed.get(entry.reference, [entry.reference])
                which["dependencies"] = " ".join(str(k + shift) for k in known)
            SubElement(place, name, which)


def dependencies(system: System, programs: Programs) -> dict[int, list[int]]:
    """The inputs and states that what is computed depends on, by value references."""
    places = system.places()
    given = [
        (Block.PARAMETERS, False), (Block.STATES, True), (Block.MEMORY, False), (Block.INPUTS, True)
    ]  # fmt: skip
    elements = [
        places[block] + k if counts else None
        for block, counts in given
        for k in range(len(system.variables[block]))
    ]
    found = {}
    for block in (Block.RATES, Block.OUTPUTS, Block.INDICATORS):
        needed = _loads(programs[block]) if block in programs else []
        for k, loaded in enumerate(needed):
            known = (elements[element] for element in loaded)
            found[places[block] + k] = sorted(r for r in known if r is not None)
    return found


def _loads(program: Program) -> list[frozenset[int]]:
    """The elements of the inputs that each result depends on."""
    found: list[frozenset[int]] = []
    for instruction in program.instructions:
        own = {instruction.element} if isinstance(instruction, LoadInput) else set()
        found.append(frozenset(own).union(*(found[k] for k in operands_of(instruction))))
    return [found[k] for k in program.results]


def exponents(unit: str) -> dict[str, int]:
    """Return the exponent of each base unit in a unit such as `N m s/rad` or `1/s^2`."""
    found: Counter[str] = Counter()
    above, _, below = unit.partition("/")
    for part, sign in ((above, 1), (below.replace("/", " "), -1)):
        for name, power in _FACTOR.findall(part):
            for base, count in _DERIVED.get(name, {name: 1}).items():
                found[base] += sign * count * int(power or 1)
    unknown = found.keys() - set(BASES)
    assert not unknown, f"{unit}: {unknown}"
    return {base: found[base] for base in BASES if found[base]}
