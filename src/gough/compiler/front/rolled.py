"""Loops over the legs of a machine, for GPUs: code that is short stays near a multiprocessor.

Equations are straight-line code, in which each leg has its own operations. Those that are alike in
all legs become the step of a loop: numbers of a leg are its row, what all legs need is shared, and
sums over legs are its states. What needs such sums is in the next loop; a number that is needed in
a later loop as well waits in memory, or is computed again where that is less.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from gough.compiler.front import program as ir
from gough.compiler.front.argument import Argument
from gough.compiler.front.fused import Sums, chain
from gough.compiler.front.packs import WIDTHS, Pack, lanes_of
from gough.compiler.front.transformed import of_needed, transformed

STEP = "_leg"
"""End of the names of steps."""
FEW = 30
"""Minimum number of operations of a leg in a loop."""
MORE = 1.2
"""Maximum ratio of operations with loops, some of them computed again, to those without."""
ROUNDS = 30
"""Maximum number of loops, one after the other."""
CHEAP = {"add", "sub", "mul", "neg", "twice", "sq"}
"""Operations that each leg computes by itself, though some legs have equal ones."""
WAITING, IS_WAITING, ENDLESS = 6, 3, 10**6
"""Operations that a number is worth which waits in memory, or for which another loop does so."""

Loop = tuple[int, int]
"""Level and structure of a loop: it needs those of lower levels."""
Terms = list[tuple[int, float]]
"""Packs or values with their factors."""


def rolled(program: ir.Program) -> ir.Program:
    """Return a program, and all that it calls, with loops over legs where they are short."""
    return transformed(program, _rolled, lambda step: step)


def _rolled(program: ir.Program) -> ir.Program:
    if program.name.endswith(STEP) or any(type(r) is ir.Iteration for r in program.routines()):
        return program
    found = [lanes_of(program.instructions, width) for width in WIDTHS]
    lanes = max(found, key=lambda lanes: sum(len(pack) - 1 for pack in lanes))
    legs = _Legs(program, lanes)
    while len(lanes := legs.in_long_loops()) < len(legs.structures):
        legs = _Legs(program, lanes)
    made = legs.rolled() if lanes else program
    return made if made.most_operations <= MORE * program.most_operations else program


class _Operand(NamedTuple):
    """An operand of a pack."""

    pack: int | None
    """Number of the pack whose values they are, lane by lane; None: values from outside."""
    values: tuple[int, ...]
    """One for each lane, or one that all share."""


class _Legs:
    """The operations of a program that are alike in all legs, and what becomes of them."""

    def __init__(self, program: ir.Program, structures: dict[Pack, int]) -> None:
        self.program, self.structures = program, structures
        self._packs = list(structures)
        """Those of legs, then values from outside that each leg computes by itself."""
        self._own = len(self._packs)
        self._place = {
            x: (k, lane) for k, pack in enumerate(self._packs) for lane, x in enumerate(pack)
        }
        self._operands = [list[_Operand]()] * self._own
        self._by_itself = dict[Pack, int]()
        for k in range(self._own):
            self._operands[k] = self._operands_of(self._packs[k])
        self._levels = self._found_levels()

    # What packs take

    def _operands_of(self, pack: Pack) -> list[_Operand]:
        rows = [ir.operands_of(self.program.instructions[x]) for x in pack]
        match self.program.instructions[pack[0]]:
            case ir.Compute(operation) if operation.commutative:
                shared = set(rows[0]).intersection(*rows)
                rows = [tuple(sorted(row, key=lambda x: self._rank(x, shared))) for row in rows]
        return [self._operand(column) for column in zip(*rows, strict=True)]

    def _rank(self, x: int, shared: set[int]) -> tuple[int, bool, bool, int]:
        """Return by what operands are sorted: of packs, shared, others, constants."""
        return -self._place.get(x, (-1,))[0], x not in shared, self._is_constant(x), x

    def _is_constant(self, x: int) -> bool:
        return isinstance(self.program.instructions[x], ir.ConstantValue)

    def _operand(self, column: Pack) -> _Operand:
        first, _ = self._place.get(column[0], (None, 0))
        if first is not None and column == self._packs[first]:
            return _Operand(first, column)
        if len(set(column)) == 1:
            return _Operand(None, column[:1])
        return _Operand(self._computed_by_itself(column), column)

    def _computed_by_itself(self, column: Pack) -> int | None:
        """Number of a pack of values from outside, if it takes no more of such rows than one."""
        names = {i.operation.name if isinstance(i, ir.Compute) else ""
                 for i in (self.program.instructions[x] for x in column)}  # fmt: skip
        if column not in self._by_itself and len(names) == 1 and names <= CHEAP:
            operands = self._operands_of(column)
            if sum(map(self._rows_of, operands)) < 2:
                self._by_itself[column] = len(self._packs)
                self._packs.append(column)
                self._operands.append(operands)
        return self._by_itself.get(column)

    def _rows_of(self, operand: _Operand) -> int:
        """Number of rows from outside, of other than constants, that an operand needs."""
        if operand.pack is None:
            return len(operand.values) > 1 and not all(map(self._is_constant, operand.values))
        if operand.pack < self._own:
            return 0
        return sum(map(self._rows_of, self._operands[operand.pack]))

    def _behind(self, packs: Iterable[int], first: int = 0) -> set[int]:
        """Return packs, and all that they need of those from a first one on."""
        found, stack = set(packs), list(packs)
        while stack:
            for k, _ in self._operands[stack.pop()]:
                if k is not None and k >= first and k not in found:
                    found.add(k)
                    stack.append(k)
        return found

    # Loops, one after the other

    def _found_levels(self) -> list[int]:
        """Number of loops, one after the other, that each value waits for; none if too many."""
        instructions, levels = self.program.instructions, [0] * len(self.program.instructions)
        taken = [
            [(x, o.pack is None and x in self._place) for j in self._behind([k], self._own)
             for o in self._operands[j] if o.pack is None or o.pack < self._own for x in o.values]
            for k in range(self._own)
        ]  # fmt: skip
        for _ in range(ROUNDS):
            before = list(levels)
            for k, i in enumerate(instructions):
                if k not in self._place:
                    waits = (levels[x] + (x in self._place) for x in ir.operands_of(i))
                    levels[k] = max(waits, default=0)
            for pack, needed in zip(self._packs, taken, strict=False):
                waits = (levels[x] + later for x, later in needed)
                level = max((*waits, *(levels[x] for x in pack)))
                for x in pack:
                    levels[x] = level
            if levels == before:
                return levels
        return []

    def _loop(self, k: int) -> Loop:
        pack = self._packs[k]
        return self._levels[pack[0]], self.structures[pack]

    def in_long_loops(self) -> dict[Pack, int]:
        """Return the packs of loops with more than a few operations, and their structures."""
        own = range(self._own if self._levels else 0)
        counts = Counter(map(self._loop, own))
        packs = (self._packs[k] for k in own if counts[self._loop(k)] >= FEW)
        return {pack: self.structures[pack] for pack in packs}

    # The program with loops

    def rolled(self) -> ir.Program:
        """Return the program with loops."""
        self._find_needed()
        self._values, self._new = ir.Values(), dict[int, int]()
        self._over_legs = defaultdict[int, Terms](list)
        """Parts of sums that loops have added up."""
        loops = sorted({self._loop(k) for k in self._needed if k < self._own})
        computed = {loop: self._computed_in(loop) for loop in loops}
        for level in range(max(self._levels) + 1):
            for x, i in enumerate(self.program.instructions):
                if x in self._outside and self._levels[x] == level:
                    self._new[x] = self._outside_of_loops(x, i)
            for loop in loops:
                if loop[0] == level:
                    self._call(*computed[loop])
        results = [self._new[x] for x in self.program.results]
        return of_needed(self.program, self._values.instructions, results)

    def _find_needed(self) -> None:
        """Find the values outside of loops, and the packs, that results need."""
        self._outside, self._needed = set[int](), set[int]()
        self._waiting = set[int]()
        """Packs whose values other loops, or what is outside of loops, need."""
        self._sums = dict[int, tuple[Terms, Terms]]()
        """Packs over all whose lanes sums are taken, and their other terms."""
        sums, stack = Sums(self.program), list(self.program.results)
        while stack:
            packs, x = list[int](), stack.pop()
            if x in self._place:
                packs = [self._place[x][0]]
                self._waiting.update(packs)
            elif x not in self._outside:
                self._outside.add(x)
                over_legs, others = self._summed(sums.terms(x, 1.0, x))
                if over_legs:
                    self._sums[x] = over_legs, others
                    packs = [k for k, _ in over_legs]
                    stack += [y for y, _ in others]
                else:
                    stack += ir.operands_of(self.program.instructions[x])
            for k in self._behind(packs) - self._needed:
                self._needed.add(k)
                stack += [y for o in self._operands[k] if o.pack is None for y in o.values]

    def _summed(self, terms: Sequence[tuple[int | None, float]]) -> tuple[Terms, Terms]:
        """Return the packs over all whose lanes a sum is taken, and its other terms."""
        counts, packs = Counter((x, factor) for x, factor in terms if x is not None), Terms()
        if counts.total() < len(terms):  # the number one is among them
            return [], []
        for (x, factor), count in list(counts.items()):
            k, lane = self._place.get(x, (-1, -1))
            if lane == 0 and all(counts[y, factor] == count for y in self._packs[k]):
                packs += [(k, factor)] * count
                for y in self._packs[k]:
                    del counts[y, factor]
        return packs, list(counts.elements())

    def _computed_in(self, loop: Loop) -> tuple[set[int], set[int]]:
        """Return the packs of a loop, and those of others that it computes again.

        Those that wait for it are found by a minimum cut between the loop and what it needs: the
        cut is between use and making of a value that waits, and behind the making of others.
        """
        own = {k for k in self._needed if k < self._own and self._loop(k) == loop}
        own = self._behind(own, self._own)
        edge = {o.pack for k in own for o in self._operands[k] if o.pack is not None} - own
        if not edge:
            return own, set()
        behind = sorted(self._behind(edge))
        use = {k: 2 * n for n, k in enumerate(behind)}
        start, end = 2 * len(behind), 2 * len(behind) + 1
        capacity = {(start, use[k]): ENDLESS for k in edge}
        for k in behind:
            wait = IS_WAITING if k in self._waiting else WAITING
            capacity[use[k], use[k] + 1] = wait if k < self._own else ENDLESS
            capacity[use[k] + 1, end] = 1
            capacity |= {(use[k] + 1, use[j]): ENDLESS for j, _ in self._operands[k]
                         if j is not None}  # fmt: skip
        numbers = np.array(list(capacity.values()), np.int32)
        whole = csr_array((numbers, np.transpose(list(capacity))), (end + 1, end + 1))
        left = whole - maximum_flow(whole, start, end).flow
        left.eliminate_zeros()
        reached = {*breadth_first_order(left, start, return_predecessors=False).tolist()}
        again = {k for k in behind if use[k] + 1 in reached}
        self._waiting |= {k for k in behind if use[k] in reached} - again
        return own, again

    def _outside_of_loops(self, x: int, i: ir.Instruction) -> int:
        """Return the number of a value outside of loops."""
        if x not in self._sums:
            return self._values.again(i, tuple(self._new[y] for y in ir.operands_of(i)))
        others = [(self._new[y], factor) for y, factor in self._sums[x][1]]
        return chain(self._values, others + self._over_legs[x])

    def _call(self, own: set[int], again: set[int]) -> None:
        """Call a loop; its numbers are known then."""
        sums = {x: some for x, (packs, _) in self._sums.items()
                if (some := [(k, factor) for k, factor in packs if k in own])}  # fmt: skip
        given = [k for k in sorted(own) if k in self._waiting]
        routine, taken = self._routine(own | again, list(sums.values()), given)
        numbers = tuple(self._new[x] for x in taken)
        found = iter(self._values.call(routine, numbers, ir.flat_size(routine.outputs)))
        for x in sums:
            self._over_legs[x].append((next(found), 1.0))
        self._new |= {x: next(found) for k in given for x in self._packs[k]}

    def _routine(
        self, packs: set[int], sums: Sequence[Terms], given: Sequence[int]
    ) -> tuple[ir.ForEach, list[int]]:
        """Return a loop over legs, and the values that it takes."""
        in_turn = sorted(packs, key=lambda k: self._packs[k][0])
        outside = dict.fromkeys(self._taken(o) for k in in_turn for o in self._operands[k]
                                if o.pack not in packs)  # fmt: skip
        rows = [x for x in outside if len(x) > 1]
        shared = [x for x in outside if len(x) == 1 and not self._is_constant(x[0])]
        place = {x: len(sums) + k for k, x in enumerate([*rows, *shared])}
        values, new = ir.Values(), dict[int | None, int]()

        def operand(o: _Operand) -> int:
            taken = self._taken(o)
            if o.pack in new:
                return new[o.pack]
            if taken in place:
                return values.load(place[taken])
            return values.again(self.program.instructions[taken[0]], ())

        for k in in_turn:
            operands = tuple(map(operand, self._operands[k]))
            new[k] = values.again(self.program.instructions[self._packs[k][0]], operands)
        added = ([(values.load(n), 1.0), *((new[k], factor) for k, factor in terms)]
                 for n, terms in enumerate(sums))  # fmt: skip
        results = [*(chain(values, terms) for terms in added), *(new[k] for k in given)]
        sizes = {"states": len(sums), "row": len(rows), "shared": len(shared)}
        inputs = tuple(Argument(name, (size,)) for name, size in sizes.items())
        outputs = Argument("states", (len(sums),)), Argument("row", (len(given),))
        empty = ir.Program(f"{self.program.name}{STEP}", "", inputs, outputs, (), ())
        step = of_needed(empty, values.instructions, results)
        return ir.ForEach(step, len(self._packs[0])), [y for x in [*rows, *shared] for y in x]

    def _taken(self, operand: _Operand) -> Pack:
        """Return the values of an operand from outside of a loop."""
        return operand.values if operand.pack is None else self._packs[operand.pack]
