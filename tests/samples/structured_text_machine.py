"""Structured Text run in Python: blark's grammar reads it, and a walk over its tree does it.

Strict as a controller's compiler is: names do not tell upper case from lower, all variables are
declared, a value is LREAL (np.float64), REAL (np.float32), DINT (int) or BOOL, and no operator
mixes two of these.
"""

import operator

import numpy as np
from blark import transform as st
from blark.parse import parse_source_code


def quotient(a, b):
    """Refuse what stops a controller."""
    if b == 0:
        raise ZeroDivisionError
    return a / b


def absolute(x):
    """Of zero the same zero, also of a negative one, as some compilers have it."""
    return -x if x < 0 else x


OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": quotient,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "<>": operator.ne, "AND": operator.and_, "OR": operator.or_,
}  # fmt: skip
STANDARD = {
    "sqrt": np.sqrt, "abs": absolute, "sin": np.sin, "cos": np.cos, "tan": np.tan, "exp": np.exp,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "ln": np.log, "expt": np.power,
    "dint_to_lreal": np.float64, "dint_to_real": np.float32,
}  # fmt: skip
NUMBERS = {"LREAL": np.float64, "REAL": np.float32}


class _LoopLeft(BaseException):
    pass


class Units:
    """All blocks and functions of a text."""

    def __init__(self, text):
        items = parse_source_code(text).transform().items
        self.items = {str(item.name).lower(): item for item in items}
        assert len(self.items) == len(items), "a name is given twice"

    def block(self, name):
        return Block(self, self.items[name.lower()])

    def called(self, name, operands):
        if name not in self.items:
            return STANDARD[name](*operands)
        function = Block(self, self.items[name])
        function.values[name] = NUMBERS[str(self.items[name].return_type)]()
        function.take(zip(function.inputs, operands, strict=True))
        function()
        return function.values[name]


class Block:
    """An instance: its variables, which stay from call to call."""

    def __init__(self, units, item):
        self.units, self.item, self.values, self.inputs = units, item, {}, []
        for section in item.declarations:
            for line in section.items:
                for declared in line.variables:
                    self._declare(str(getattr(declared, "variable", declared)).lower(), line)
                    if isinstance(section, st.InputDeclarations):
                        self.inputs.append(list(self.values)[-1])

    def _declare(self, name, line):
        assert name not in self.values, f"{name} is declared twice"
        spec = line.init.spec
        if isinstance(spec, st.ArraySpecification):
            number = NUMBERS[str(spec.type.type_name)]
            ends = [(int(r.start.value), int(r.stop.value)) for r in spec.subranges]
            assert all(first == 0 for first, _ in ends)
            self.values[name] = np.zeros([last + 1 for _, last in ends], number)
        elif (kind := str(spec.type)) in ("LREAL", "REAL", "DINT"):
            self.values[name] = NUMBERS.get(kind, int)()
        else:
            self.values[name] = self.units.block(kind)

    def take(self, named):
        for name, value in named:
            own = self.values[name.lower()]
            assert np.shape(own) == np.shape(value)
            self.values[name.lower()] = np.array(value, np.asarray(own).dtype)[()]

    def __call__(self, **inputs):
        self.take(inputs.items())
        with np.errstate(all="ignore"):
            self._all(self.item.body)

    # What follows does statements and expressions, each named as in blark's tree.

    def _all(self, statements):
        for statement in statements.statements:
            getattr(self, "_" + type(statement).__name__)(statement)

    def _AssignmentStatement(self, s):
        (target,) = s.variables
        holder, key = self._place(target)
        value = self.value(s.expression)
        assert type(holder[key]) is type(value), f"{target} is {holder[key]!r}, got {value!r}"
        holder[key] = value

    def _IfStatement(self, s):
        clauses = [(s.if_expression, s.statements)]
        clauses += [(c.if_expression, c.statements) for c in s.else_ifs]
        for condition, statements in clauses:
            truth = self.value(condition)
            assert isinstance(truth, bool | np.bool_)
            if truth:
                return self._all(statements)
        if s.else_clause:
            self._all(s.else_clause.statements)
        return None

    def _ForStatement(self, s):
        name = str(s.control.name).lower()
        assert isinstance(self.values[name], int)
        try:
            for value in range(self.value(s.from_), self.value(s.to) + 1):
                self.values[name] = value
                self._all(s.statements)
        except _LoopLeft:
            pass

    def _ExitStatement(self, _):
        raise _LoopLeft

    def _FunctionCallStatement(self, s):
        assert not s.parameters
        self.values[str(s.name.name).lower()]()

    def _place(self, variable):
        """What holds a variable, and by which key."""
        holder, key = self.values, str(getattr(variable.name, "name", variable.name)).lower()
        for element in getattr(variable, "elements", []):
            if isinstance(element, st.FieldSelector):
                holder, key = holder[key].values, str(element.field.name).lower()
            else:
                place = tuple(self.value(x) for x in element.subscripts)
                assert all(type(x) is int and x >= 0 for x in place)
                holder, key = holder[key], place
                assert holder.ndim == len(place)
        return holder, key

    def value(self, x):
        if isinstance(x, st.SimpleVariable | st.MultiElementVariable):
            holder, key = self._place(x)
            return holder[key]
        return getattr(self, "_" + type(x).__name__)(x)

    def _Real(self, x):
        return NUMBERS[str(x.type_name)](str(x.value))

    def _Integer(self, x):
        return int(x.value)

    def _ParenthesizedExpression(self, x):
        return self.value(x.expr)

    def _UnaryOperation(self, x):
        assert str(x.op) == "-"
        return -self.value(x.expr)

    def _BinaryOperation(self, x):
        left, right = self.value(x.left), self.value(x.right)
        assert type(left) is type(right), f"{x} mixes types"
        return OPERATORS[str(x.op)](left, right)

    def _FunctionCall(self, x):
        operands = [self.value(p.value) for p in x.parameters]
        return self.units.called(str(x.name.name).lower(), operands)
