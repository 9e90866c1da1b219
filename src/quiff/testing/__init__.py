"""For those who test code that uses quiff: `check_api`, Hypothesis strategies, channels of known capacity.

The strategies need Hypothesis: install ``quiff[testing]``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quiff.testing.api_suite import ApiError, check_api

__all__ = ["ApiError", "check_api"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from quiff.testing import api_suite

    return getattr(api_suite, name)
