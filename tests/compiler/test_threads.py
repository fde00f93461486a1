"""Equations traced by several threads at once, for which CasADi itself is not safe."""

import os
import subprocess
import sys

import pytest

TRACED = """
import os, signal, time
from threading import Thread
import casadi as ca
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function

x, y = Argument("x"), Argument("y")
numbers = ca.DM([k + 0.5 for k in range(2000)])

def equation(x):
    return x + ca.sum1(x - x + ca.SX(numbers))

def trace():
    f = Function.from_equation("f", equation, [x], [y])
    return float(ca.evalf(ca.substitute(f.expressions[0], f.symbols[0], 1.0)))

def trace_for(seconds, found):
    while time.monotonic() < start + seconds:
        found.append(trace())

start, found = time.monotonic(), []
"""
"""All threads make the same constants, and drop them."""
AT_ONCE = """
threads = [Thread(target=trace_for, args=(3, found)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) > 2 and set(found) == {2_000_001.0}
"""
FORKED = """
Thread(target=trace_for, args=(3, found)).start()
while not found:
    time.sleep(0.01)
for _ in range(10):
    child = os.fork()
    if not child:
        signal.alarm(30)  # ends it if it waits for ever
        os._exit(trace() != 2_000_001.0)
    assert os.waitpid(child, 0)[1] == 0
"""


def run(program):
    """Run it in a process of its own, which ends by a signal where threads disturb each other."""
    command = [sys.executable, "-c", TRACED + program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_threads_trace_equations_with_the_same_constants_at_once():
    run(AT_ONCE)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_traces_equations_also_if_it_is_forked_while_a_thread_does():
    run(FORKED)
