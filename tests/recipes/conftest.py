"""Lets the tests of the recipes import `kitchen`, and `blocks` from the tests of the documentation."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent / "docs")]  # last: `conftest` stays that of all tests
