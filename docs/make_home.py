"""Make the picture of the README and of the home page: `python docs/make_home.py`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from make_tutorial import photograph

from gough.runs import run_to_folder
from gough.studies import Study

HERE = Path(__file__).parent


def main() -> None:
    """Run the demo and keep what its report looks like."""
    with TemporaryDirectory() as folder:
        run_to_folder(Study.load(HERE.parent / "studies" / "demo-machining.toml"), Path(folder))
        photograph(Path(folder, "report.html"), HERE / "home.png", height=1120)


if __name__ == "__main__":
    main()
