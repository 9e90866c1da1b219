"""Forty plausible files of people, written by this script, which imports nothing of quiff.

Each stands for the same three people, Ann with 3, 8 and 42, Bob with 8, 9 and 10, Cem with 3, 9 and 42, or
for their topics by name; or it cannot be read, and some words tell why.
"""

import gzip
import json
import lzma

USERS = ("Ann", "Bob", "Cem")
NUMBERS = ((3, 8, 42), (8, 9, 10), (3, 9, 42))
NAMES = {3: "Hip hop", 8: "Arts, Crafts", 9: "A/B", 10: "News", 42: "Sports & Games"}
PLAIN = {3: "Music", 8: "Arts", 9: "Travel", 10: "News", 42: "Sports"}


def rows(cell, header="user,topics", between=","):
    """Return text with a cell for each user."""
    lines = [f"{user}{between}{cell(topics)}" for user, topics in zip(USERS, NUMBERS, strict=True)]
    return "\n".join([header, *lines]) + "\n"


def joined(sign, quote=""):
    return rows(lambda topics: quote + sign.join(map(str, topics)) + quote)


def named(sign, quote=""):
    return rows(lambda topics: quote + sign.join(PLAIN[topic] for topic in topics) + quote)


def long(header="user,topic", order=lambda pairs: pairs, between=",", name=str):
    pairs = [(user, topic) for user, topics in zip(USERS, NUMBERS, strict=True) for topic in topics]
    return "\n".join([header, *(f"{user}{between}{name(topic)}" for user, topic in order(pairs))]) + "\n"


def wide(header, between=",", cell=str):
    return rows(lambda topics: between.join(map(cell, topics)), header, between)


def jsonl(make):
    records = [make(user, topics) for user, topics in zip(USERS, NUMBERS, strict=True)]
    return "\n".join(map(json.dumps, records)) + "\n"


def by_place(pairs):
    """The first topic of each user, then the second ones, then the third ones."""
    return [pair for place in range(3) for pair in pairs[place::3]]


# The numbers, however they are written.
READ = {
    "commas.csv": joined(",", '"'),
    "brackets.csv": rows(lambda topics: f'"{list(topics)}"'),
    "braces.csv": rows(lambda topics: '"{' + ", ".join(map(str, topics)) + '}"'),
    "parentheses.csv": rows(lambda topics: f'"{topics}"'),
    "semicolons.csv": joined(";"),
    "bars.csv": joined("|"),
    "blanks.csv": joined(" "),
    "slashes.csv": joined("/"),
    "spaced-bars.csv": joined(" | "),
    "quoted-numbers.csv": rows(lambda topics: '"' + str([str(topic) for topic in topics]) + '"'),
    "array.csv": rows(lambda topics: '"[' + " ".join(map(str, topics)) + ']"'),
    "long.csv": long(),
    "long-by-place.csv": long(order=by_place),
    "long-reversed.csv": long(order=lambda pairs: sorted(pairs, key=lambda pair: pair[1])),
    "long-ids.csv": long("User ID,Topic ID"),
    "long-plural.csv": long("user,topics"),
    "wide.csv": wide("user,t1,t2,t3"),
    "wide-topics.csv": wide("user_id,topic1,topic2,topic3"),
    "wide-capitals.csv": wide("USER,T1,T2,T3"),
    "wide-spaces.csv": wide("User Id,Topic 1,Topic 2,Topic 3"),
    "wide-underscores.csv": wide("uid,topic_1,topic_2,topic_3"),
    "wide-floats.csv": wide("user,t1,t2,t3", cell=lambda topic: f"{topic}.0"),
    "wide-reversed.csv": rows(lambda topics: ",".join(map(str, topics[::-1])), "user,t3,t2,t1"),
    "excel.csv": "\ufeff" + wide("user;t1;t2;t3", ";").replace("\n", "\r\n"),
    "bars-between.txt": wide("user|t1|t2|t3", "|"),
    "tabs.tsv": wide("user\tt1\tt2\tt3", "\t"),
    "packed.csv.gz": gzip.compress(joined(";").encode()),
    "extra.csv": wide("user,t1,t2,t3,note").replace("\n", ",x\n").replace("note,x", "note"),
    "index.csv": "".join(
        f"{k - 1 if k else ''},{line}\n" for k, line in enumerate(wide("user,t1,t2,t3").splitlines())
    ),
    "blank-lines.csv": wide("user,t1,t2,t3").replace("\n", "\n\n"),
    "quoted-all.csv": "\n".join(
        ",".join(f'"{cell}"' for cell in line.split(",")) for line in wide("user,t1,t2,t3").splitlines()
    ),
    "lists.jsonl": jsonl(lambda user, topics: {"user": user, "topics": topics}),
    "extra.jsonl": jsonl(lambda user, topics: {"seen": "2026-01-01", "user_id": user, "Topics": topics}),
    "wide.jsonl": jsonl(lambda user, topics: {"user": user} | {f"t{k}": t for k, t in enumerate(topics, 1)}),
    "array.json": json.dumps([{"user": u, "topics": t} for u, t in zip(USERS, NUMBERS, strict=True)]),
}
# The plain names.
WORDS = {
    "word-commas.csv": named(", ", '"'),
    "word-semicolons.csv": named(";"),
    "word-bars.csv": named(" | "),
    "word-lists.csv": rows(lambda topics: '"' + str([PLAIN[topic] for topic in topics]) + '"'),
    "word-array.csv": rows(lambda topics: '"[' + " ".join(repr(PLAIN[topic]) for topic in topics) + ']"'),
    "word-long.csv": long(name=PLAIN.get),
}
# Names with commas, blanks and slashes.
HARD = {
    "hard-lists.csv": rows(lambda topics: '"' + str([NAMES[topic] for topic in topics]) + '"'),
    "hard-long.csv": long(name=lambda topic: f'"{NAMES[topic]}"'),
    "hard-wide.csv": wide("user,t1,t2,t3", cell=lambda topic: f'"{NAMES[topic]}"'),
    "hard-tabs.tsv": long("user\ttopic", between="\t", name=NAMES.get),
    "hard.jsonl": jsonl(lambda user, topics: {"user": user, "topics": [NAMES[topic] for topic in topics]}),
}
# What cannot be read, and what the error says.
REFUSED = {
    "missing.csv": ("user,t1,t2\nAnn,3,8\nBob,,9\n", "line 3: t1 is empty"),
    "nan.csv": ("user,t1,t2\nAnn,Music,Arts\nBob,nan,News\n", "line 3: t1 is a word for what is missing"),
    "twice-a-topic.csv": ("user,topics\nAnn,3;8\nBob,9;9\n", "line 3: the set has the topic '9' twice"),
    "twice-a-user.csv": ("user,topics\nAnn,3;8\nAnn,9;10\n", "line 3: the user of this row is there"),
    "twice-wide.csv": ("user,t1,t2\nAnn,3,8\nAnn,9,10\n", "line 3: the user of this row is there"),
    "unequal.csv": ("user,topics\nAnn,3;8\nBob,9\n", "line 3: the set has 1 topic, but the first one 2"),
    "unequal-long.csv": ("user,topic\nAnn,3\nAnn,8\nBob,9\n", "line 4: the set has 1 topic, but"),
    "two-signs.csv": ('user,topics\nAnn,Music;Arts\nBob,"Arts, Crafts;News"\n', "line 3: .* in two ways"),
    "two-users.csv": ("uid,member,t1\na,b,3\n", "line 1: both 'uid' and 'member' could be"),
    "no-topics.csv": ("user,age\nAnn,31\n", "line 1: the columns are .*; profiles need user and topics"),
    "blank-words.csv": (
        "user,topics\n" + "".join(f"u{k},{a} {b}\n" for k, (a, b) in enumerate(
            [("News", "Music"), ("Music", "Art"), ("Art", "News"), ("News", "Art"), ("Music", "News")])),
        "line 2: .* seems to be several topics",
    ),
    "open-quote.csv": ('user,topics\nAnn,"3,8\nBob,"9,10"\n', "line 2: a quote that opens here"),
    "no-user.csv": ("user,t1,t2\nAnn,3,8\n,9,10\n", "line 3: user is empty"),
    "packed.csv.xz": (lzma.compress(b"user,t1\nAnn,3\n"), "it is packed by xz; unpack it"),
    "workbook.xlsx": (b"PK\x03\x04", "it is a workbook; save the sheet as CSV"),
    "ragged.csv": ("user,t1,t2\nAnn,3,8\nBob,9,10,42\n", "line 3: it has 4 fields, but the first line 3"),
    "broken.jsonl": ('{"user": "Ann", "topics": [3, 8]}\n{"user": "Bob", "topics": [9,\n', "JSON"),
}  # fmt: skip


def write(folder, name, content):
    """Write one of the files, and return its path."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
