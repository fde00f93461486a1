"""Put this folder on the import path, so that tests can say `from oracles import ...`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
