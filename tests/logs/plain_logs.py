"""Random logs of every form, and a plain reading of them, byte by byte: nothing here is shared with the code.

A log is read as its definition says: lines end with LF, CR LF or CR, blank ones are none, and none is longer
than a mebibyte. What cannot be read safely is refused: NUL, ends of several kinds, an open quote. A line may
end in more delimiters than the first one.
"""

import gzip
import json
import random
import re
from collections import Counter
from datetime import datetime

from logs import plain_domains, reference

LONGEST, MOST = 1 << 20, 100
CONTROLS = {chr(k) for k in (*range(32), 127)}
NAMES = ("AnonID", "QueryTime", "ClickURL")
MALFORMED = "malformed"
DOMAIN = {"correct": plain_domains.by_the_list, "as-published": plain_domains.as_published}


# What a log says.


def fields_of(record, delimiter):
    """Take a record with quotes apart, character by character: its fields, or "open", or "broken"."""
    fields, field, state = [], bytearray(), "start"
    for place in range(len(record)):
        sign = record[place : place + 1]
        if state == "inside":
            if sign == b'"':
                state = "quote"
            else:
                field += sign
        elif state == "quote" and sign == b'"':
            field += sign
            state = "inside"
        elif sign == delimiter:
            fields.append(bytes(field))
            field, state = bytearray(), "start"
        elif state == "quote":
            return "broken"
        elif state == "start" and sign == b'"':
            state = "inside"
        else:
            field += sign
            state = "plain"
    return "open" if state == "inside" else [*fields, bytes(field)]


def records_of(content, delimiter, quoted, n_fields):
    """Return the fields of each record of a file, as bytes, or "malformed"."""
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines, found, place = content.split(b"\n"), [], 0
    while place < len(lines):
        line, used = lines[place], 1
        if not line:
            place += 1
            continue
        record = line.split(delimiter) if len(line) <= LONGEST else MALFORMED
        if quoted and b'"' in line and record != MALFORMED:
            for used in range(1, MOST + 1):
                several = lines[place : place + used]
                if len(several[-1]) > LONGEST:
                    record = "open"
                    break
                record = fields_of(b"\n".join(several), delimiter)
                if record != "open" or len(several) < used:
                    break
            if isinstance(record, str) or (used > 1 and len(record) != n_fields):
                record, used = MALFORMED, 1
        if record != MALFORMED and not any(record[n_fields:]):
            record = record[:n_fields]
        found.append(record if record == MALFORMED or len(record) == n_fields else MALFORMED)
        place += used
    return [decoded(record) for record in found]


def decoded(record):
    try:
        return record if record == MALFORMED else [field.decode() for field in record]
    except UnicodeDecodeError:
        return MALFORMED


def faults_of(log):
    """Return why a log cannot be read, by the words of the refusals; nothing if it can."""
    faults = set()
    for content in log["plain"]:
        if b"\0" in content:
            faults.add("NUL")
        if len(set(re.findall(rb"\r\n|\n|\r", content))) > 1:
            faults.add("line ends are mixed")
        if log["quoted"] and not log["json"] and is_torn(content, log["delimiter"].encode()):
            faults.add("does not close")
    return faults


def is_torn(content, delimiter):
    """Whether a quote opens a field and does not close at the end of one within its line."""
    return any(
        fields_of(line, delimiter) == "open" for line in re.split(rb"[\r\n]+", content) if b'"' in line
    )


def objects_of(content):
    """Return user, time and URL of each line of a file in JSON, or "malformed"."""
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    found = []
    for line in content.split(b"\n"):
        if not line:
            continue
        try:
            value = json.loads(line.decode()) if len(line) <= LONGEST else None
        except ValueError:
            value = None
        cells = [value.get(name) for name in NAMES] if isinstance(value, dict) else [True]
        if any(isinstance(cell, bool | list | dict) for cell in cells):
            found.append(MALFORMED)
        else:
            found.append(["" if cell is None else str(cell) for cell in cells])
    return found


def rows_of(log):
    """Return (user, time, url) of each row of a log, or "malformed"; the files' first lines are none."""
    rows = []
    for content in log["plain"]:
        if log["json"]:
            rows += objects_of(content)
            continue
        records = records_of(content, log["delimiter"].encode(), log["quoted"], len(log["names"]))
        used = [log["names"].index(name) for name in NAMES]
        cells = [MALFORMED if r == MALFORMED else [r[k] for k in used] for r in records]
        rows += cells[1:] if log["headed"] else cells
    return rows


def treated(log):
    """Return the treated rows of a log under the users' names, and how many rows are dropped why."""
    dropped, kept = Counter(), []
    for row in rows_of(log):
        if row == MALFORMED:
            dropped[MALFORMED] += 1
            continue
        user, time, url = row
        name = "".join(sign for sign in user if sign not in CONTROLS)
        if tuple(row) == NAMES and not log["json"]:
            dropped["header"] += 1
        elif not url:
            dropped["no-url"] += 1
        elif not user:
            dropped["no-user"] += 1
        elif not reference.is_time(time):
            dropped["bad-time"] += 1
        elif not name:
            dropped["no-user"] += 1
        else:
            domain, reason = DOMAIN[log["rules"]](url, reference.SUFFIXES)
            if reason:
                dropped[reason] += 1
            else:
                kept.append((name, datetime.fromisoformat(time), domain))
    return kept, dropped


# How a log is drawn.

USERS = ["1", "2", "33", "x y", "é", "\x191", "\x00", "2\x00", "u;v,w", "", "\x7f", "'; --", "日本"]
TIMES = [f"2006-03-{day:02d} 07:17:12" for day in range(1, 29)]
BAD_TIMES = ["", "then", "2006-02-30 00:00:00", "2006-03-01"]
URLS = ["http://a.com", "http://www.b.org/x", "c.co.uk", "http://T.me.Org/?a=1,2;3", "http://a.com/\x00"]
BAD_URLS = ["", "com", "10.0.0.1", "\x00", "http://ä.nosuch"]
TEXTS = ["q", "", "two words", 'a "b', '"', '""', "é", "\ufeff", "\x00", "x" * 300, "\u2028", " ", "\x0b\x0c"]


def draw(seed):
    """Draw a log: its files, packed or not, and how they are written."""
    dice = random.Random(seed)
    delimiter = dice.choice("\t\t,;|")
    quoted = dice.random() < 0.5 if dice.random() < 0.2 else delimiter != "\t"
    names = [*NAMES, *(f"More{k}" for k in range(dice.randrange(4)))]
    dice.shuffle(names)
    log = {
        "json": dice.random() < 0.1, "delimiter": delimiter, "quoted": quoted, "names": names,
        "headed": dice.random() < 0.9, "odd": dice.choice([0, 0, 0.02, 0.2]), "rules": list(DOMAIN)[seed % 2],
    }  # fmt: skip
    log["unsafe"] = dice.random() < 0.1  # whether there may be NUL, and ends of lines of several kinds
    count = dice.choice([1, 1, 2, 3])
    log["plain"] = [file_of(dice, log) for _ in range(count)]
    while len(treated(log)[0]) * 2 <= len([row for row in rows_of(log) if row != MALFORMED and row[2]]):
        end = (re.findall(rb"\r\n|\n|\r", log["plain"][0]) or [b"\n"])[0]
        more = end.join(line_of(dice, log, odd=0).replace(b"\n", end) for _ in range(20))
        log["plain"][0] += (b"" if log["plain"][0].endswith(end) else end) + more + end
    log["files"] = [
        (data, False) if dice.random() < 0.6 else (packed(dice, data), True) for data in log["plain"]
    ]
    return log


def packed(dice, data):
    cut = dice.randrange(len(data) + 1)
    parts = [data] if dice.random() < 0.7 else [data[:cut], data[cut:]]
    return b"".join(map(gzip.compress, parts))


def file_of(dice, log):
    header = log["delimiter"].join(log["names"]).encode()
    ends = [b"\n", b"\r\n", b"\r"] if log["unsafe"] else [dice.choice([b"\n", b"\n", b"\r\n", b"\r"])]
    size = dice.choice([3, 30, 30, 300]) if dice.random() < 0.95 else 9000  # more than a block
    lines = [header] if log["headed"] and not log["json"] else []
    lines += [line_of(dice, log, odd=0)]  # the first one says how a log is written
    for _ in range(dice.randrange(size)):
        lines.append(odd_line(dice, log) if dice.random() < log["odd"] else line_of(dice, log, log["odd"]))
    content = b"".join(line + dice.choice(ends) for line in lines)
    if not log["unsafe"]:
        content = content.replace(b"\0", b"\1").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        content = content.replace(b"\n", ends[0])
    if dice.random() < 0.3:
        content = content.rstrip(b"\r\n")
    return (b"\xef\xbb\xbf" if dice.random() < 0.1 else b"") + content


def line_of(dice, log, odd):
    """Draw a row; with probability `odd` each of its cells is an odd one."""

    def cell(good, bad):
        return dice.choice(bad) if dice.random() < odd else dice.choice(good)

    cells = {
        "AnonID": cell(["1", "2", "33"], USERS),
        "QueryTime": cell(TIMES, BAD_TIMES),
        "ClickURL": cell(URLS[:3], BAD_URLS + URLS),
    }
    if log["json"]:
        if cells["AnonID"].isdecimal() and dice.random() < 0.5:
            cells["AnonID"] = int(cells["AnonID"])
        return json.dumps(cells, ensure_ascii=dice.random() < 0.5).encode()
    return log["delimiter"].join(
        written(dice, log, str(cells.get(name, cell(["q", "two words"], TEXTS)))) for name in log["names"]
    ).encode()  # fmt: skip


def written(dice, log, cell):
    """Write a cell; where quotes are allowed they are used if needed, and sometimes else."""
    if not log["quoted"]:
        return cell.replace(log["delimiter"], "_")
    if dice.random() < 0.05 * (log["odd"] > 0):
        cell += dice.choice([log["delimiter"], "\n", "\r\n", "\r", "\n\n"])
    if any(sign in cell for sign in (log["delimiter"], '"', "\n", "\r")) or dice.random() < 0.2:
        doubled = cell.replace('"', '""')
        return f'"{doubled}"'
    return cell


def odd_line(dice, log):
    """Draw a line that is wrong, blank, or no row."""
    line, delimiter = line_of(dice, log, 0.3), log["delimiter"].encode()
    kind = dice.randrange(14)
    cut = dice.randrange(len(line) + 1)
    if kind == 0:
        return b""
    if kind == 1:
        return line + delimiter + b"more"
    if kind == 2:
        return line.split(delimiter)[0]
    if kind == 3:
        return delimiter.join(log["names"][k].encode() for k in range(len(log["names"])))  # once more
    if kind == 4:
        return line[:cut] + b"\xff\xfe" + line[cut:]
    if kind == 5:
        return line[:cut] + b'"' + line[cut:]
    if kind == 6:
        return line[:cut] + b"\x00" + line[cut:]
    if kind == 7:
        return dice.randbytes(dice.randrange(1, 40))
    if kind == 8:
        return b'"' + line
    if kind == 9:
        return line[:cut] + b"\r" + line[cut:]
    if kind == 10:
        return b" "
    if kind == 11:
        return delimiter * dice.randrange(8)
    if kind == 12 and dice.random() < 0.1:
        return line[:cut] + b"x" * dice.choice([1 << 19, (1 << 20) - cut, 1 << 20, 3 << 20]) + line[cut:]
    return line[:cut]
