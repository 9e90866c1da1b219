"""How many topics the published taxonomies have."""

from types import MappingProxyType

from quiff.errors import ParameterError

__all__ = ["TAXONOMY_SIZES", "taxonomy_size"]

# Taxonomy v2 numbers its topics up to 629, but has only 469 of them.
TAXONOMY_SIZES = MappingProxyType({"v1": 349, "v2": 469, "google-nl-v2": 1091, "iab-1.1": 1679})


def taxonomy_size(text: str) -> int:
    """Return the number of topics that ``text`` names or spells.

    ``v1`` and ``v2`` are the taxonomies of the Topics API, ``google-nl-v2`` the content categories of
    Google's Natural Language API, and ``iab-1.1`` the audience taxonomy of the Interactive
    Advertising Bureau.

    Raises
    ------
    ParameterError
        If ``text`` is neither a known name nor a whole number.

    Examples
    --------
    >>> taxonomy_size("v2"), taxonomy_size("31")
    (469, 31)
    >>> taxonomy_size("v3")
    Traceback (most recent call last):
    quiff.errors.ParameterError: topics must be a number or one of v1, v2, google-nl-v2, iab-1.1, not 'v3'
    """
    if text in TAXONOMY_SIZES:
        return TAXONOMY_SIZES[text]
    try:
        return int(text)
    except ValueError:
        names = ", ".join(TAXONOMY_SIZES)
        raise ParameterError(f"topics must be a number or one of {names}, not {text!r}") from None
