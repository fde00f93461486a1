"""Make the picture of the README: `python docs/make_home.py`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from make_tutorial import photograph

from gough.runs import to_folder
from gough.studies import Study

HERE = Path(__file__).parent


def main() -> None:
    """Run the demo and keep a picture of its report."""
    with TemporaryDirectory() as folder:
        to_folder(Study.load(HERE.parent / "studies" / "demo-machining.toml"), Path(folder))
        photograph(Path(folder, "report.html"), HERE / "home.png", height=1120)


if __name__ == "__main__":
    main()
