"""A program that kills the placing of a few files at every step: from nothing, or over old ones."""

import sys
from pathlib import Path

from killing import killed_everywhere

from gough.disk.target import opened, staged

OLD = {"a": "1", "b": "1", "series/0": "1", "series/1": "1", "turns": "1", "returns/x": "1"}
NEW = {"a": "2", "c": "2", "series/0": "1", "turns/x/y": "2", "turns/z": "2", "returns": "2"}
"""One has files where the other has folders."""


def put(contents, folder):
    known_by = {"name": "test", "inputs": None, "versions": {}}
    with opened(folder) as target, staged(target, known_by) as part:
        for name, text in contents.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_text(text)


def main(place, old):
    def prepare(n):
        folder = place / f"killed-{n}"
        folder.mkdir()
        (folder / "thesis.txt").write_text("mine")
        if old:
            put(old, folder)
        return folder

    for _ in killed_everywhere(prepare, lambda folder: put(NEW, folder)):
        pass


if __name__ == "__main__":
    main(Path(sys.argv[1]), OLD if sys.argv[2] == "old" else {})
