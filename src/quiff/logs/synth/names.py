"""The names and topics of the synthetic domains, and the words of queries; none is that of a person or site.

A domain's name is a formula of its popularity rank, so that no table is needed.
"""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quiff.core.numbers import Array
from quiff.logs.synth.law import N_DOMAINS, N_THEMES
from quiff.people.invented import INVENTED_TOPICS

MARK = "-example"  # the end of every synthetic domain's own label, so that nobody takes it for a real one

_SYLLABLES = tuple(consonant + vowel for consonant in "bdgklmnrtvwz" for vowel in "aeiou")
_VOCABULARY, _LONGEST = 4_096, 4


def synthetic_words(rng: np.random.Generator, n_words: int, n_syllables: int) -> list[str]:
    """Return different words of the same number of syllables."""
    base = len(_SYLLABLES)
    numbers = rng.choice(base**n_syllables, n_words, replace=False)
    digits = numbers[:, None] // base ** np.arange(n_syllables) % base
    return ["".join(_SYLLABLES[digit] for digit in row) for row in digits.tolist()]


def phrases(rng: np.random.Generator, n_phrases: int) -> list[str]:
    """Return short queries of one to four words, some words more frequent than others."""
    half = _VOCABULARY // 2
    words = synthetic_words(rng, half, 2) + synthetic_words(rng, half, 3)
    order = rng.permutation(_VOCABULARY)
    lengths = rng.integers(1, _LONGEST + 1, n_phrases)
    # the square of a uniform number is small more often than large
    chosen = order[(rng.random((n_phrases, _LONGEST)) ** 2 * _VOCABULARY).astype(np.int64)]
    rows = zip(chosen.tolist(), lengths.tolist(), strict=True)
    return [" ".join(words[word] for word in row[:length]) for row, length in rows]


_BITS = 11  # of each half of a name
_HALF = 2**_BITS
N_NAMES = _HALF**2
_SLOTS = 2**16

# Suffixes that are classified themselves: what is under them matches partially.
CLASSIFIED_SUFFIXES = ("gov.br", "gov.uk", "k12.tx.us")

# Suffixes and how many of 65 536 domains are under each; ".com" has what is left. As in the AOL log, about
# 92 % of the domains have two labels, 7.6 % three, 0.5 % four, and one in 60 000 five.
_SUFFIXES = {
    "org": 6600, "net": 5000, "edu": 2300, "gov": 900, "us": 500, "info": 500, "biz": 400, "ca": 400,
    "de": 300, "it": 200, "fr": 150, "nl": 150, "tv": 150, "mil": 100, "ws": 60, "yu": 10, "tp": 2, "an": 2,
    "co.uk": 1900, "com.au": 700, "blogspot.com": 500, "org.uk": 350, "co.jp": 250, "co.nz": 200,
    "ca.us": 180, "ny.us": 170, "tx.us": 160, "ac.uk": 150, "edu.au": 120, "com.br": 110, "qc.ca": 60,
    "org.au": 60, "co.in": 40, "gov.uk": 32, "gov.br": 20, "co.yu": 6, "ac.yu": 4, "or.tp": 1,
    "k12.ca.us": 140, "k12.ny.us": 80, "lib.ny.us": 40, "cc.md.us": 40, "k12.tx.us": 20, "bg.ac.yu": 1,
    "pvt.k12.ma.us": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Names:
    """The synthetic names of one seed: the pieces that the names are put together from."""

    # The beginnings and the ends of the domains' own labels.
    first: Any
    second: Any
    suffixes: Any  # the mark of synthetic names and the public suffix, many times each
    keys: tuple[int, ...]  # random odd numbers that scramble the ranks

    @classmethod
    def make(cls, rng: np.random.Generator) -> "Names":
        """Return the names that a random generator gives."""
        third = _HALF // 3
        second = [word for n in (1, 2, 3) for word in synthetic_words(rng, min(third, 60**n), n)]
        second += synthetic_words(rng, _HALF - len(second), 4)
        table = [f"{MARK}.{suffix}" for suffix, share in _SUFFIXES.items() for _ in range(share)]
        table += [f"{MARK}.com"] * (_SLOTS - len(table))
        return cls(
            pa.array(synthetic_words(rng, _HALF, 2)),
            pa.array(second),
            pa.array(table),
            tuple(int(key) | 1 for key in rng.integers(N_NAMES, size=3)),
        )

    def pieces(self, ranks: Array) -> tuple[Array, Array, Array]:
        """Return for each rank the positions in `first`, `second` and `suffixes`; names differ if ranks do.

        The scrambling is one-to-one on 22 bits, and all of `first` has the same length.
        """
        one, two, three = self.keys
        x = ranks * one & N_NAMES - 1
        x ^= x >> _BITS
        x = x * two & N_NAMES - 1
        y = ranks * three & N_NAMES - 1
        return x >> _BITS, x & _HALF - 1, (y ^ y >> _BITS) >> 3 & _SLOTS - 1

    def domains(self, ranks: Array) -> Any:
        """Return the names of some domains as an Arrow array."""
        first, second, suffix = self.pieces(ranks)
        return pc.binary_join_element_wise(
            self.first.take(pa.array(first)),
            self.second.take(pa.array(second)),
            self.suffixes.take(pa.array(suffix)),
            "",
        )


# Three in ten of the popular domains are classified: about 5 000, as in the paper, with one visit in six.
_POPULAR, _SHARE = 17_000, 0.3
_NEVER_VISITED = 2_000
_WITHOUT_TOPICS = 100
_MOST_TOPICS = (1, 1, 1, 1, 1, 1, 1, 1, 2, 3)


@dataclass(frozen=True)
class Classification:
    """The topics, one for each theme, and the topics of each classified domain."""

    topics: tuple[str, ...]
    domains: dict[str, tuple[str, ...]]


def classification(rng: np.random.Generator, names: Names) -> Classification:
    """Return a classification: each domain has the topic of its theme, and one in five has others too.

    There are also domains without topics, domains that nobody visits, and a few public suffixes.
    """
    words = synthetic_words(rng, N_THEMES, 2)
    named = dict(zip(sorted(words), INVENTED_TOPICS, strict=True))
    topics = tuple(map(named.__getitem__, words))
    visited = np.flatnonzero(rng.random(_POPULAR) < _SHARE)
    never = N_DOMAINS + rng.choice(N_NAMES - N_DOMAINS, _NEVER_VISITED, replace=False)
    ranks = np.concatenate([visited, never])
    classified = [*names.domains(ranks).to_pylist(), *CLASSIFIED_SUFFIXES]
    themes = np.concatenate([ranks % N_THEMES, rng.integers(N_THEMES, size=len(CLASSIFIED_SUFFIXES))])
    domains = dict(zip(classified, _topics_of(rng, themes, topics), strict=True))
    for position in rng.choice(visited.shape[0], _WITHOUT_TOPICS, replace=False):
        domains[classified[position]] = ()
    return Classification(topics, dict(sorted(domains.items())))


def _topics_of(rng: np.random.Generator, themes: Array, topics: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return for each theme its topic and up to two others, sorted."""
    most = rng.choice(_MOST_TOPICS, themes.shape[0])
    others = rng.integers(N_THEMES, size=(themes.shape[0], max(_MOST_TOPICS) - 1))
    chosen = np.column_stack([themes, others]).tolist()
    rows = zip(chosen, most.tolist(), strict=True)
    return [tuple(sorted({topics[theme] for theme in row[:n]})) for row, n in rows]


def write_classification(path: Path, domains: dict[str, tuple[str, ...]]) -> None:
    """Write a classification in the form of the paper's published files: an index, domain and topics."""
    with path.open("x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["", "domain", "topics"])
        for index, (domain, topics) in enumerate(domains.items()):
            writer.writerow([index, domain, ", ".join(f"'{topic}'" for topic in topics)])
