#!/usr/bin/env python3
"""In place of LinuxCNC's display: homes all joints, does the lines of `moves`, prints positions."""

import json
import sys
import time
from pathlib import Path

import linuxcnc

command, status, errors = linuxcnc.command(), linuxcnc.stat(), linuxcnc.error_channel()


def done(*_):
    command.wait_complete(30)


time.sleep(1)
done(command.state(linuxcnc.STATE_ESTOP_RESET))
done(command.state(linuxcnc.STATE_ON))
done(command.mode(linuxcnc.MODE_MANUAL))
done(command.teleop_enable(0))
done(command.home(-1))
status.poll()
while not all(status.homed[: status.joints]):
    time.sleep(0.05)
    status.poll()
done(command.mode(linuxcnc.MODE_MDI))
for line in Path("moves").read_text().splitlines():
    done(command.mdi(line))
    time.sleep(0.2)
    status.poll()
    found = {"line": line, "axes": status.position[:6], "error": str(errors.poll() or "")}
    found["joints"] = status.joint_position[: status.joints]
    print("FOUND", json.dumps(found), file=sys.stderr, flush=True)
