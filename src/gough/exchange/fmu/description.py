"""modelDescription.xml: what an FMU has, in the words of FMI 2.0 and of FMI 3.0."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from gough._version import __version__
from gough.compiler.front.program import LoadInput, Program, operands_of
from gough.disk.sources import MARK
from gough.exchange.fmu.sources import TOKEN, Programs
from gough.exchange.fmu.system import Block, FmuVariable, System
from gough.exchange.tree.xml import xml_text

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


@dataclass(frozen=True)
class _Entry:
    """A variable as a description lists it."""

    block: Block
    variable: FmuVariable
    reference: int
    derived_from: int | None
    """The value reference of the state whose rate it is."""

    def attributes(self, sampled: bool) -> Attributes:
        """Return the attributes that both versions share."""
        causality, variability, initial = _CAUSALITY[self.block]
        if sampled and self.block is Block.OUTPUTS:
            variability = "discrete"
        found = {
            "name": self.variable.name,
            "valueReference": str(self.reference),
            "description": self.variable.meaning,
            "causality": causality,
            "variability": variability,
        }
        return found | ({"initial": initial} if initial else {})

    def numbers(self) -> Attributes:
        """Unit and start."""
        unit = {"unit": self.variable.unit} if self.variable.unit else {}
        start = repr(self.variable.start)
        return unit | ({"start": start} if self.block in _STARTING else {})


def model_description(
    system: System, identifier: str, fmi: int, programs: Programs, sources: list[str]
) -> str:
    """The text of the file; `sources` are those to be compiled."""
    root = Element("fmiModelDescription", _root(system, fmi))
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
    entries = _entries(system)
    _variables(root, system, entries, fmi)
    _structure(root, entries, dependencies(system, programs), fmi)
    return _text(root)


def build_description(identifier: str, sources: list[str]) -> str:
    """buildDescription.xml of FMI 3.0: how the sources are compiled."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    build = SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    listed = SubElement(build, "SourceFileSet", language="C99")
    for name in sources:
        SubElement(listed, "SourceFile", name=name)
    SubElement(build, "Library", name="m", external="true")
    return _text(root)


def _text(root: Element) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml_text(root)}'


def _root(system: System, fmi: int) -> Attributes:
    token = "guid" if fmi == 2 else "instantiationToken"
    indicators = {"numberOfEventIndicators": str(len(system.indicators))} if fmi == 2 else {}
    return {
        "fmiVersion": f"{fmi}.0",
        "modelName": system.name,
        token: TOKEN,
        "description": system.description,
        "generationTool": f"{MARK} {__version__}",
        "variableNamingConvention": "structured",
        **indicators,
    }


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


def _entries(system: System) -> list[_Entry]:
    places, found = system.places(), []
    for block, variables in system.variables.items():
        for k, variable in enumerate(variables):
            state = places[Block.STATES] + k if block is Block.RATES else None
            found.append(_Entry(block, variable, places[block] + k, state))
    return found


def _variables(root: Element, system: System, entries: list[_Entry], fmi: int) -> None:
    listed = SubElement(root, "ModelVariables")
    for entry in entries:
        alike, numbers, state = (
            entry.attributes(system.sampled), entry.numbers(), entry.derived_from
        )  # fmt: skip
        if state is not None:
            numbers["derivative"] = str(state + 1 if fmi == 2 else state)
        if fmi == 2:
            SubElement(SubElement(listed, "ScalarVariable", alike), "Real", numbers)
        else:
            SubElement(listed, "Float64", {**alike, **numbers})


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
