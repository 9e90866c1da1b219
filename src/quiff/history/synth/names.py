"""The names of the synthetic domains: a formula from popularity rank to name, so that no table is needed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quiff.core.numbers import Array
from quiff.history.synth.words import MARK, made_up_words

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
    """The synthetic names of one seed: the pieces that the names are put together from.

    >>> names = Names.make(np.random.default_rng(1))
    >>> len(set(names.domains(np.arange(10_000)).to_pylist()))
    10000
    """

    # The beginnings and the ends of the domains' own labels.
    first: Any
    second: Any
    suffixes: Any  # the mark of synthetic names and the public suffix, many times each
    keys: tuple[int, ...]  # random odd numbers that scramble the ranks

    @classmethod
    def make(cls, rng: np.random.Generator) -> "Names":
        """Return the names that a random generator gives."""
        third = _HALF // 3
        second = [word for n in (1, 2, 3) for word in made_up_words(rng, min(third, 60**n), n)]
        second += made_up_words(rng, _HALF - len(second), 4)
        table = [f"{MARK}.{suffix}" for suffix, share in _SUFFIXES.items() for _ in range(share)]
        table += [f"{MARK}.com"] * (_SLOTS - len(table))
        return cls(
            pa.array(made_up_words(rng, _HALF, 2)),
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
