"""Make docs/tutorials/gallery.md and its pictures: `python docs/make_gallery.py`.

Every example is a script that says what it shows in its docstring and saves a picture of its own
name; the page is made of these.
"""

from __future__ import annotations

import ast
import runpy
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
from make_robots import compact

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).parent / "tutorials" / "gallery.md"
PICTURES = PAGE.parent / "gallery"
EXAMPLES = (
    "first_steps", "delta_pick_and_place", "workspace_slices", "singularity_map", "tripod_drift",
    "forty_poses", "tolerances", "fastest", "light_or_small", "controllers", "washout",
    "identification",
)  # fmt: skip
"""In the order of the page."""


def section(name: str) -> str:
    """Return the section of an example."""
    source = (ROOT / "examples" / f"{name}.py").read_text("utf-8")
    first, _, more = (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")
    return f"""## {name.replace("_", " ").capitalize()}

**{first}** {more}

![{first}](gallery/{name}.png)

<details markdown>
<summary>examples/{name}.py</summary>

```py
--8<-- "examples/{name}.py"
```

</details>
"""


def page() -> str:
    """The page with all examples."""
    return "\n".join(
        [
            "# Gallery",
            "",
            "Twelve scripts in the folder `examples`, each with the picture that it makes: `python",
            "examples/first_steps.py` writes `first_steps.png`. The tests run all of them;",
            "`python docs/make_gallery.py` makes this page.",
            "",
            *map(section, EXAMPLES),
        ]
    )


def main() -> None:
    """Run all examples, keep their pictures, write the page."""
    mpl.use("agg")
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, chdir(folder):
        for name in EXAMPLES:
            runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
            picture = Path(f"{name}.png").replace(PICTURES / f"{name}.png")
            compact(picture)
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
