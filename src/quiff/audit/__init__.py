"""From logs of what was observed to bounds: pairs of a secret and an observation, and no model.

Calling the package, ``quiff.audit(...)``, makes the study of a log.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Audit(ModuleType):
    """The package itself, so that its name also is that of the study."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return import_module("quiff.studies.audit").audit(*args, **options)


sys.modules[__name__].__class__ = _Audit
