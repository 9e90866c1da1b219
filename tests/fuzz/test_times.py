"""Random times, well written or nearly so, are read as plain Python reads them."""

import random

from fuzzing import cases
from logs.test_times import by_python, random_text, read
from quiff.logs.engine import connect


def test_random_times_against_plain_python():
    con = connect(threads=1)
    for seed in cases(5):
        draw = random.Random(seed)
        texts = [random_text(draw) for _ in range(500)]
        expected = [by_python(text) for text in texts]
        found = [time for time, _ in read(con, texts)]
        wrong = [row for row in zip(texts, found, expected, strict=True) if row[1] != row[2]]
        assert not wrong, f"seed {seed}: {wrong[:3]}"
