"""What is compiled is made once, also where several threads ask for it at first."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from gough.compiler.memo import remembered


def by_threads(count, task):
    """Results of a task that threads begin together."""
    together = Barrier(count)

    def one(_):
        together.wait()
        try:
            return task()
        except ValueError as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return [*pool.map(one, range(count))]


def test_threads_that_first_ask_for_the_same_wait_for_one_that_makes_it():
    calls = []

    @remembered
    def part(k):
        time.sleep(0.01)
        calls.append(k)
        return [k]

    @remembered
    def whole(k):
        time.sleep(0.01)
        return [part(k), part(k + 1)]

    for k in range(20):
        products = by_threads(4, lambda k=k: whole(k))
        assert all(product is products[0] for product in products)
    assert sorted(calls) == list(range(21))


def test_what_fails_in_one_thread_is_tried_again_by_the_next():
    calls = []

    @remembered
    def make():
        calls.append(1)
        time.sleep(0.1)
        if len(calls) < 3:
            raise ValueError("not yet")
        return calls

    found = by_threads(4, make)
    assert sum(isinstance(one, ValueError) for one in found) == 2
    assert len(calls) == 3


FORKED = """
import os, signal
from threading import Event, Thread
from gough.compiler.memo import remembered

begun, ended, parent = Event(), Event(), os.getpid()

@remembered
def make():
    begun.set()
    return ended.wait(0 if os.getpid() != parent else 60)

thread = Thread(target=make)
thread.start()
begun.wait()
child = os.fork()
if not child:
    signal.alarm(30)  # ends it if it waits for ever
    make()
    os._exit(0)
ended.set()
thread.join()
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_makes_what_a_thread_was_making_when_it_was_forked():
    command = [sys.executable, "-c", FORKED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
