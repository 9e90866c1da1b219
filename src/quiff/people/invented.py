"""The topics of synthetic people: invented, so that they tell where they occur that nobody is real."""

from itertools import product

_SUBJECTS = (
    "Archery", "Astronomy", "Baking", "Beekeeping", "Birdwatching", "Calligraphy", "Camping", "Canoeing",
    "Ceramics", "Chess", "Cycling", "Fencing", "Gardening", "Juggling", "Kite flying", "Knitting", "Origami",
    "Photography", "Puppetry", "Rowing", "Sailing", "Skating", "Stamp collecting", "Tea brewing", "Weaving",
)  # fmt: skip
_ASPECTS = ("books", "clubs", "courses", "gear", "news", "travel")

INVENTED_TOPICS = tuple(f"{subject} {aspect}" for subject, aspect in product(_SUBJECTS, _ASPECTS))
"""Topics of no taxonomy, in alphabetical order."""
