"""Packed files of people with flipped bits are read right or refused, never read wrong."""

import random

from fuzzing import cases
from people.test_damaged_archives import PACKED, archived, content
from quiff import Population, QuiffError


def test_flipped_archives(tmp_path):
    data = content()
    for seed in cases(20):
        rng = random.Random(seed)
        suffix = rng.choice([".csv.gz", ".csv.tar.gz", *PACKED])
        packed = archived(data, suffix)
        file = tmp_path / f"people{suffix}"
        file.write_bytes(packed)
        right = Population.read(file)
        flipped = bytearray(packed)
        for _ in range(rng.choice([1, 1, 1, 2, 8])):
            place = rng.randrange(8 * len(packed))
            flipped[place // 8] ^= 1 << place % 8
        file.write_bytes(flipped)
        try:
            found = Population.read(file, merged=rng.choice([None, False]))
        except QuiffError:
            continue
        assert found == right, f"seed {seed}: read wrong"
