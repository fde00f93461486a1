"""Write sbom.cdx.json: what Gough's wheel is and needs, as CycloneDX, from pyproject.toml.

python tools/make_sbom.py
"""

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = ROOT / "sbom.cdx.json"


def sbom() -> str:
    """Return the text of the file: no date and no random number, so that builds are the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = re.search(r'"(.+)"$', (ROOT / "src/gough/_version.py").read_text(encoding="utf-8"), re.M)
    assert said is not None
    own = f"pkg:pypi/{project['name']}@{said[1]}"
    needed = dict(
        sorted(re.split("(?=[<>=!~])", text, maxsplit=1) for text in project["dependencies"])
    )
    found = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": project["name"],
                "version": said[1],
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": own,
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": f"pkg:pypi/{name}",
                "name": name,
                "purl": f"pkg:pypi/{name}",
                "scope": "required",
                "properties": [{"name": "versions", "value": versions}],
            }
            for name, versions in needed.items()
        ],
        "dependencies": [{"ref": own, "dependsOn": [f"pkg:pypi/{name}" for name in needed]}],
    }
    return json.dumps(found, indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(sbom(), encoding="utf-8")
    sys.stdout.write(f"wrote {FILE.name}\n")
