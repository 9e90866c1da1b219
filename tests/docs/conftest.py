"""Lets the tests of the documentation import what they share: `blocks`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
