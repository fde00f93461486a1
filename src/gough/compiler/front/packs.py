"""Equal operations of a program, side by side: those of a machine's legs, for one sample.

A leg's equations are those of every other leg with other numbers, so that most operations come as
often as there are legs. A pack is one of each leg: a register holds them, and one instruction of
the processor computes them [superword-level parallelism: Larsen, Amarasinghe 2000]. Packs begin
with operations of equal histories, and grow to operands and users of their lanes. Whether lanes are
those of one leg only decides how many instructions are saved, never a number.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from gough.compiler.front import program as ir

WIDTHS = range(3, 9)
"""Numbers of operations of a pack."""
WORTH = 4
"""Packs pay where they have at least one of so many operations of a program."""

_BY_HISTORY, _BY_PACKS, _BY_PLACE = range(3)
"""Rules by which users of a pack's lanes belong together, the surest first: see `_users_of`."""

Pack = tuple[int, ...]


def packs_of(instructions: Sequence[ir.Instruction]) -> list[Pack]:
    """Return packs of one width, that with which the fewest instructions are left; or none."""
    finder = _Finder(instructions)
    by_width = {width: finder.packs(width) for width in WIDTHS}
    best = max(by_width, key=lambda width: (width - 1) * len(by_width[width]))
    computed = sum(isinstance(i, ir.Compute) for i in instructions)
    return by_width[best] if WORTH * best * len(by_width[best]) >= computed else []


def lanes_of(instructions: Sequence[ir.Instruction], width: int) -> dict[Pack, int]:
    """Return packs with any operation whose lanes are in one order, each with its structure.

    Packs of one structure depend on each other lane by lane, those of another one do not.
    """
    packs = _Finder(instructions, functions=True).packs(width)
    parent = {x: x for pack in packs for x in pack}

    def lane(x: int) -> int:
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        return x

    for k in parent:
        for x in ir.operands_of(instructions[k]):
            if x in parent:
                parent[lane(k)] = lane(x)
    by_lanes = defaultdict[frozenset[int], list[Pack]](list)
    for pack in packs:
        by_lanes[frozenset(map(lane, pack))].append(pack)
    taken, found = set[int](), dict[Pack, int]()
    for lanes in sorted(by_lanes, key=lambda lanes: -len(by_lanes[lanes])):
        if len(lanes) == width and taken.isdisjoint(lanes):
            taken |= lanes
            found |= {tuple(sorted(pack, key=lane)): min(lanes) for pack in by_lanes[lanes]}
    return found


class _Finder:
    """Histories, users and ancestors of a program's operations."""

    def __init__(self, instructions: Sequence[ir.Instruction], functions: bool = False) -> None:
        self.instructions, self._functions = instructions, functions
        self._users = defaultdict[int, list[int]](list)
        self._alike = defaultdict[int, list[int]](list)  # operations by their histories
        self._ancestors = list[int]()  # a bit for each instruction
        known, histories = dict[object, int](), list[int]()
        for k, instruction in enumerate(instructions):
            operands, history = ir.operands_of(instruction), cast(object, (type(instruction), k))
            if isinstance(instruction, ir.Compute):
                history = (instruction.operation.name, *(histories[x] for x in operands))
            elif isinstance(instruction, ir.ConstantValue):
                history = ir.ConstantValue  # whichever
            histories.append(known.setdefault(history, len(known)))
            self._ancestors.append(0)
            for x in operands:
                self._ancestors[k] |= self._ancestors[x] | 1 << x
            if self._is_packed(k):
                self._alike[histories[k]].append(k)
                for x in set(operands):
                    self._users[x].append(k)
        self._histories = histories

    def packs(self, width: int) -> list[Pack]:
        """Return packs of so many operations, none of which needs another of its pack."""
        found, place = list[Pack](), dict[int, tuple[int, int]]()

        def add(members: Sequence[int]) -> None:
            if not any(x in place for x in members) and self._independent(members):
                place.update({x: (len(found), lane) for lane, x in enumerate(members)})
                found.append(tuple(members))

        for alike in self._alike.values():
            if len(alike) == width:
                add(alike)
        for rule in (_BY_HISTORY, _BY_PACKS, _BY_PLACE):
            for pack in found:  # and those that are added on the way
                for operands in self._operands(pack, rule):
                    add(operands)
                for users in self._users_of(pack, place, rule):
                    add(users)
        return found

    def _independent(self, members: Sequence[int]) -> bool:
        bits = sum(1 << x for x in set(members))
        alone = not any(self._ancestors[x] & bits for x in members)
        return alone and len(set(members)) == len(members)

    def _operands(self, pack: Pack, rule: int) -> list[list[int]]:
        """Return the operands at each place, where they are results of one operation."""
        rows = [ir.operands_of(self.instructions[k]) for k in pack]
        columns = [list(column) for column in zip(*rows, strict=True)]
        return [c for c in columns if len({self._kind(x, rule) for x in c}) == 1]

    def _kind(self, k: int, rule: int) -> object:
        instruction = self.instructions[k]
        if not isinstance(instruction, ir.Compute) or not self._is_packed(k):
            return k
        return self._histories[k] if rule == _BY_HISTORY else instruction.operation.name

    def _is_packed(self, k: int) -> bool:
        """Whether an instruction may be in a pack."""
        i = self.instructions[k]
        return isinstance(i, ir.Compute) and (self._functions or i.operation.llvm != "")

    def _users_of(
        self, pack: Pack, place: dict[int, tuple[int, int]], rule: int
    ) -> list[list[int]]:
        """Return users of all lanes, where each lane has one that is like the others.

        They have equal histories, take the same packs, or take this one at the same place.
        """
        found = defaultdict[object, list[tuple[int, int]]](list)
        for lane, x in enumerate(pack):
            for user in self._users[x]:
                operands = ir.operands_of(self.instructions[user])
                taken: list[object] = [y == x for y in operands]
                if rule != _BY_PLACE:
                    there = [place.get(y, (-1, lane)) for y in operands]
                    taken = [number if where == lane else -1 for number, where in there]
                if user not in place:
                    found[self._kind(user, rule), *taken].append((lane, user))
        each = list(range(len(pack)))
        return [[u for _, u in some] for some in found.values() if [n for n, _ in some] == each]
