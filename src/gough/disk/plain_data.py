"""Plain data of files: tables, lists, text and numbers; those of results written as JSON."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PlainData = dict[str, Any]  # a table of a file: what stands at its keys is plain data, too
PlainMapping = Mapping[str, Any]  # a table that is only read


def plain(data: object) -> Any:
    """The data in lists and dicts, numbers and text; what is not finite is None."""
    if isinstance(data, dict):
        return {str(key): plain(value) for key, value in data.items()}
    if hasattr(data, "tolist"):  # arrays and scalars of NumPy, which need not be loaded
        data = data.tolist()
    if isinstance(data, list | tuple):
        return [plain(item) for item in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def write_json(path: Path, data: object) -> None:
    """Data as JSON; numbers that are not finite are null, as JSON has none."""
    text = json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_bytes((text + "\n").encode())
