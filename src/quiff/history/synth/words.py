"""Invented words: syllables of a consonant and a vowel, so that no word of a person's query is in a log."""

import numpy as np

MARK = "-example"  # the end of every synthetic domain's own label, so that nobody takes it for a real one

_SYLLABLES = tuple(consonant + vowel for consonant in "bdgklmnrtvwz" for vowel in "aeiou")
_VOCABULARY, _LONGEST = 4_096, 4


def made_up_words(rng: np.random.Generator, n_words: int, n_syllables: int) -> list[str]:
    """Return different words of the same number of syllables.

    >>> [len(word) for word in made_up_words(np.random.default_rng(1), 3, 2)]
    [4, 4, 4]
    """
    base = len(_SYLLABLES)
    numbers = rng.choice(base**n_syllables, n_words, replace=False)
    digits = numbers[:, None] // base ** np.arange(n_syllables) % base
    return ["".join(_SYLLABLES[digit] for digit in row) for row in digits.tolist()]


def phrases(rng: np.random.Generator, n_phrases: int) -> list[str]:
    """Return short queries of one to four words, some words more frequent than others.

    >>> sorted({len(phrase.split()) for phrase in phrases(np.random.default_rng(1), 100)})
    [1, 2, 3, 4]
    """
    half = _VOCABULARY // 2
    words = made_up_words(rng, half, 2) + made_up_words(rng, half, 3)
    order = rng.permutation(_VOCABULARY)
    lengths = rng.integers(1, _LONGEST + 1, n_phrases)
    # the square of a uniform number is small more often than large
    chosen = order[(rng.random((n_phrases, _LONGEST)) ** 2 * _VOCABULARY).astype(np.int64)]
    rows = zip(chosen.tolist(), lengths.tolist(), strict=True)
    return [" ".join(words[word] for word in row[:length]) for row, length in rows]
