"""The words that the voice of the project avoids, phrase by phrase, so that ordinary uses stay possible."""

import re

# What is not written, and what is written in its place.
BANNED = {
    r"nam(e|es|ed|ing) the user": "re-identify the user",
    r"chances? (to|of|that)|(the|a|by|small|good) chance": "probability; random",
    r"made[- ]up": "synthetic; generated",
    r"sets? of (their|its) own topics|a set of (their|its) own": "a unique topic set",
    r"times as often as a (blind )?guess": "multiplies the probability of re-identification by",
    r"what is told|is told to a site": "what is observed",
    r"one report (leaks|reveals|gives)|reports of an API": "observation",
    r"step of (an|the) API|(generalization|bounded noise|noise) step": "stage",
    r"of several any": "ties are broken at random",
    r"drawn by chance": "random seed",
    r"borne with": "maximum tolerated",
    r"system foresees": "platform cache directory",
    r"(measure|study) speaks of|no browser is known that": "does not support; use",
    r"the way that scales": "vectorised; for large inputs",
    r"every printed figure": "what the paper prints",
}

NUMBER = re.compile(r"(?<![\w./:=-])\d[\d,]*(?:\.\d+)?(?![\w/]|[.,:-]\d|\.\w)")
SCIENTIFIC = re.compile(r"\d(?:\.\d+)?e[+-]\d+")


def significant(number):
    """Count the digits of a number as it is printed, zeros at its ends left out."""
    return len(number.replace(",", "").replace(".", "").strip("0"))
