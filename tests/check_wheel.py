"""Install the wheel in empty environments and use it: `python tests/check_wheel.py [PYTHON …]`.

For each interpreter, or for this one: a new environment, the wheel with what it needs, and there,
away from the sources, the commands that a newcomer begins with, the demo and a notebook.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = (
    "gough --help",
    "gough robots",
    "gough new robot mine",
    "gough check mine.toml",
    "gough new study way --robot mine.toml",
    "gough run way.toml --output way",
    "gough schema study",
    "gough run demo-machining.toml --output demo",
    "jupyter execute hexapod.ipynb",
)
FILES = ("studies/demo-machining.toml", "examples/hexapod.ipynb")


def run(*words: object, folder: Path) -> None:
    """Run a program; what it prints is shown only if it fails."""
    done = subprocess.run(
        list(map(str, words)), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


def check(python: str, wheel: Path, folder: Path) -> None:
    """Use the wheel under one interpreter."""
    run(python, "-m", "venv", "environment", folder=folder)
    programs = folder / "environment" / "bin"
    packages = (f"{wheel}[plots]", "nbclient", "ipykernel")
    run(programs / "python", "-m", "pip", "install", "--quiet", *packages, folder=folder)
    for file in FILES:
        shutil.copy(ROOT / file, folder)
    for command in COMMANDS:
        program, *words = command.split()
        run(programs / program, *words, folder=folder)
        print(f"{python}: {command}")


def main() -> None:
    """Build the wheel, and check it under each interpreter of the command line."""
    with tempfile.TemporaryDirectory() as place:
        built = Path(place)
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", built, ROOT, folder=built)
        (wheel,) = built.glob("gough-*.whl")
        for k, python in enumerate(sys.argv[1:] or [sys.executable]):
            folder = built / str(k)
            folder.mkdir()
            check(python, wheel, folder)


if __name__ == "__main__":
    main()
