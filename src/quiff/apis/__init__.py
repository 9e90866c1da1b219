"""The APIs under study. Calling the package, ``quiff.apis()``, returns all of them by name."""

import sys
from types import ModuleType
from typing import Any


class _Apis(ModuleType):
    """The package itself, so that its name also is that of the registry's function."""

    def __call__(self) -> Any:
        from quiff.apis.registry import apis

        return apis()


sys.modules[__name__].__class__ = _Apis
