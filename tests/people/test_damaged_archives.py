"""A packed file of people with a flipped bit is read right or refused, never read wrong."""

import bz2
import gzip
import io
import lzma
import random
import tarfile

import pytest

from quiff import Population, QuiffError

PACKED = {".csv.tar.gz": gzip.compress, ".csv.tar.bz2": bz2.compress, ".csv.tar.xz": lzma.compress}


def content():
    rng = random.Random(4)
    lines = [f"{k},{','.join(map(str, rng.sample(range(1, 350), 3)))}" for k in range(300)]
    return ("user,t1,t2,t3\n" + "\n".join(lines) + "\n").encode()


def archived(data, suffix):
    if ".tar" not in suffix:
        return gzip.compress(data, mtime=0)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        member = tarfile.TarInfo("people.csv")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return PACKED[suffix](stream.getvalue())


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("suffix", [".csv.gz", *PACKED])
def test_flipped_bits(suffix, merged, tmp_path):
    """Every way to flip one bit is tried at random places, and the last bytes, which have the digest."""
    packed, rng = archived(content(), suffix), random.Random(suffix)
    file = tmp_path / f"people{suffix}"
    file.write_bytes(packed)
    right = Population.read(file, merged=merged)
    places = [rng.randrange(8 * len(packed)) for _ in range(60)] + [8 * len(packed) - k for k in (1, 40, 60)]
    refused = 0
    for place in places:
        flipped = bytearray(packed)
        flipped[place // 8] ^= 1 << place % 8
        file.write_bytes(flipped)
        try:
            assert Population.read(file, merged=merged) == right
        except QuiffError:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize("suffix", [".csv.gz", *PACKED])
def test_cut_files(suffix, tmp_path):
    packed = archived(content(), suffix)
    file = tmp_path / f"people{suffix}"
    for size in (1, 5, 9, len(packed) // 2, len(packed) - 9, len(packed) - 5, len(packed) - 1):
        file.write_bytes(packed[:size])
        with pytest.raises(QuiffError):
            Population.read(file)
