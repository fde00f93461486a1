"""Plain data of results, written as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


def plain(data: Any) -> Any:
    """The data in lists and dicts, numbers and text; what is not finite is None."""
    if isinstance(data, dict):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, np.ndarray | np.generic):
        data = data.tolist()
    if isinstance(data, list | tuple):
        return [plain(item) for item in data]
    return None if isinstance(data, float) and not np.isfinite(data) else data


def write_json(path: Path, data: Any) -> None:
    """Data as JSON; numbers that are not finite are null, as JSON has none."""
    text = json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
