"""quiff: what an advertising API reveals about people, and what it is still good for.

The public names are listed in ``__init__.pyi`` beside this file; each is loaded when it is first used.
"""

from importlib import import_module
from typing import Any

import lazy_loader

__version__ = "0.3.0"
_load, _listed, __all__ = lazy_loader.attach_stub(__name__, __file__)
_ROOMS = ("apis", "auditing", "mechanisms", "testing", "theory")  # packages that need no import of their own


def __dir__() -> list[str]:
    return sorted({*_listed(), *_ROOMS})


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"quiff.{name}")
    try:
        return _load(name)
    except AttributeError:
        from difflib import get_close_matches

        close = get_close_matches(name, __all__, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise AttributeError(f"quiff has no attribute {name!r}{meant}") from None
