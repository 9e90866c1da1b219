"""TFRecord files of topics, written here byte by byte as TensorFlow and Protocol Buffers define them."""

import random
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff import Population
from quiff.people.tf_examples import Spans, checksums, read_sets
from words import refused, worded


def crc32c(data):
    """RFC 3720, appendix B.4, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(number):
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def int64s(numbers, packed=True):
    if packed:
        return field(3, field(1, b"".join(map(varint, numbers))))
    return field(3, b"".join(b"\x08" + varint(number) for number in numbers))


def example(user, epochs, packed=True, rng=None):
    features = {"user_id": field(1, field(1, f"user {user}".encode()))}
    for number, topics in enumerate(epochs):
        features[f"epoch_{number}_topics"] = int64s(topics, packed)
        features[f"epoch_{number}_weights"] = field(
            2, field(1, struct.pack(f"<{len(topics)}f", *[1.0] * len(topics)))
        )
    entries = [field(1, field(1, name.encode()) + field(2, value)) for name, value in features.items()]
    if rng is not None:  # a map has no order
        rng.shuffle(entries)
    return field(1, b"".join(entries))


def record(content):
    length = struct.pack("<Q", len(content))
    return length + masked(length) + content + masked(content)


USERS = [
    [[1, 243, 299, 325, 20], [1, 243, 299, 325, 629]],
    [[5, 4, 3, 2, 1], [7, 300, 9, 10, 11]],
    [[1, 2, 3, 4, 5], [1, 2, 3, 4, 6]],
]


def write(folder, users=USERS, shards=2, **options):
    for shard in range(shards):
        content = b"".join(
            record(example(i, user, **options)) for i, user in enumerate(users) if i % shards == shard
        )
        (folder / f"topics-{shard:05}-of-{shards:05}.tfrecord").write_bytes(content)
    return folder


def topic_sets(people):
    named = np.array(list(people.topics))
    return [[sorted(named[row]) for row in user] for user in np.moveaxis(people.sets, 1, 0)]


def test_the_checksum_has_the_published_values():
    # RFC 3720, appendix B.4: 32 bytes of zeros, of ones, ascending
    for data, known in ((bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E)):
        assert crc32c(data) == known
        (wanted,) = struct.unpack("<I", masked(data))
        whole = Spans(np.zeros(1), np.zeros(1, dtype=np.int64), np.array([len(data)]))
        assert checksums(np.frombuffer(data, np.uint8), whole) == [wanted]


@pytest.mark.parametrize("packed", [True, False])
def test_users_epochs_and_topics_are_read_from_all_files(tmp_path, packed):
    people = Population.read(write(tmp_path, packed=packed, rng=random.Random(1)))
    assert (people.n_users, people.n_epochs, people.top_s) == (3, 2, 5)
    order = [USERS[0], USERS[2], USERS[1]]  # file by file
    assert topic_sets(people) == [[sorted(topics) for topics in user] for user in order]


def test_one_file_is_people_too_and_they_are_measured(tmp_path):
    write(tmp_path, shards=1)
    people = Population.read(tmp_path / "topics-00000-of-00001.tfrecord")
    assert quiff.measure(people.epoch(0), quiff.TopicsAPI())["topics", "prior"] == pytest.approx(1 / 3)


def test_a_topic_that_comes_twice_is_told_dropped_or_filled(tmp_path):
    write(tmp_path, [*USERS, [[8, 8, 8, 1, 2], [1, 2, 3, 4, 5]]], shards=1)
    with refused(quiff.QuiffError, 1, 4):
        Population.read(tmp_path)
    dropped = Population.read(tmp_path, missing="drop")
    assert dropped.n_users == 3
    assert dropped.notes == ("1 user with a topic twice in an epoch are left out.",)
    filled = Population.read(tmp_path, missing="fill", seed=3)
    assert {1, 2, 8} < set(topic_sets(filled)[3][0])
    assert len(set(topic_sets(filled)[3][0])) == 5
    assert filled.filling.genuine.tolist() == [[5, 5, 5, 3], [5, 5, 5, 5]]
    assert filled == Population.read(tmp_path, missing="fill", seed=3)


def damaged(folder, change):
    write(folder, shards=1)
    file = folder / "topics-00000-of-00001.tfrecord"
    file.write_bytes(change(bytearray(file.read_bytes())))
    with pytest.raises(quiff.QuiffError) as told:
        Population.read(file)
    return str(told.value).partition(": ")[2]


def flipped(place):
    def change(data):
        data[place] ^= 1
        return data

    return change


def test_what_is_wrong_is_told_in_one_line(tmp_path):
    worded(damaged(tmp_path, lambda data: data[:-3]))
    worded(damaged(tmp_path, lambda data: data + b"x"))
    worded(damaged(tmp_path, flipped(20)))
    worded(damaged(tmp_path, lambda data: data + record(b"\xff\xff")))
    worded(damaged(tmp_path, lambda data: data + record(example(9, USERS[0][:1]))))
    large = example(9, [[1, 2, 3, 4, 70_000], [1, 2, 3, 4, 5]])
    worded(damaged(tmp_path, lambda data: data + record(large)), 65535)
    worded(damaged(tmp_path, lambda data: b""))
    worded(damaged(tmp_path, lambda data: record(b"")))
    with refused(quiff.ParameterError):
        Population.read(write(tmp_path), weights="w")


@given(st.binary(max_size=60))
def test_no_bytes_make_it_crash(content):
    data = np.frombuffer(field(1, content), np.uint8)
    whole = Spans(np.zeros(1), np.zeros(1, dtype=np.int64), np.array([data.shape[0]]))
    _, (wrong,) = read_sets(data, whole, 1, 5)
    assert wrong in range(1, 8)


def named(*epochs):
    entries = [
        field(1, field(1, f"epoch_{epoch}_topics".encode()) + field(2, int64s([1, 2, 3, 4, 5 + k])))
        for k, epoch in enumerate(epochs)
    ]
    return record(field(1, b"".join(entries)))


@pytest.mark.parametrize(
    ("records", "place"), [([(0, 0)], 1), ([(0, 1), (1, 1)], 2), ([(0, 1), (0, 1, 0)], 2)]
)
def test_an_epoch_that_is_named_twice_is_refused(records, place, tmp_path):
    """Else topic 0 would be invented for the one that is missing."""
    (tmp_path / "a.tfrecord").write_bytes(b"".join(named(*epochs) for epochs in records))
    with refused(quiff.QuiffError, place):
        Population.read(tmp_path / "a.tfrecord")
