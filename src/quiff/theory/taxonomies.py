"""The published taxonomies: how many topics they have and, where topics are numbered, which numbers."""

from types import MappingProxyType

from quiff.errors import ParameterError

# Taxonomy v2 numbers its topics up to 629, but has only 469 of them; the IAB's 1.1 its entries up to 1679, as
# many as version 1.0 had.
TAXONOMY_SIZES = MappingProxyType({"v1": 349, "v2": 469, "google-nl-v2": 1091, "iab-1.1": 1558})
TAXONOMY_SOURCES = MappingProxyType(
    {
        "v1": "taxonomy_v1.md of patcg-individual-drafts/topics at d5555b3",
        "v2": "taxonomy_v2.md of patcg-individual-drafts/topics at d5555b3",
        "google-nl-v2": "what others say of the list; it was not counted",
        "iab-1.1": "Audience Taxonomy 1.1.tsv of InteractiveAdvertisingBureau/Taxonomies at b7acdca",
    }
)
"""Where each size comes from."""

# Version 2 kept the numbers of the topics it took over and counted on from 350.
_V2 = """
    1 4 9 12-13 15 18-21 23-33 36 46-48 50-53 56-57 59-60 62-76 78 81-84 86 88-97 99-104 113 126 128-129
    131-132 134-135 137 140-141 144 149-154 157-164 170-173 176-177 180 183-187 191-192 194 196 201-202
    207-215 217-218 224 226-227 229-231 233-234 236-239 242-243 245 247 249-250 253-254 258-260 263-265
    267-268 272 277 289 291 293-301 303-304 309-310 315 317 321-325 327-328 332 334-338 340-341 343 345
    350-629
"""


def _numbers(ranges: str) -> frozenset[int]:
    """Read numbers and ranges.

    >>> sorted(_numbers("1 4-6"))
    [1, 4, 5, 6]
    """
    ends = ([int(end) for end in part.split("-")] for part in ranges.split())
    return frozenset(number for pair in ends for number in range(pair[0], pair[-1] + 1))


TAXONOMY_NUMBERS = MappingProxyType({"v1": _numbers("1-349"), "v2": _numbers(_V2)})
"""The numbers of the topics of those taxonomies that number them."""


def taxonomy_size(text: str) -> int:
    """Return the number of topics that ``text`` names or spells.

    ``v1`` and ``v2`` are the taxonomies of the Topics API, ``google-nl-v2`` the content categories of
    Google's Natural Language API, and ``iab-1.1`` the audience taxonomy of the Interactive
    Advertising Bureau.

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
        raise ParameterError(what="topics", value=text, allowed=f"a number or one of {names}") from None
