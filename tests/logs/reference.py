"""The paper's data treatment once more, in plain Python: Section 5.1 and the appendix, row by row.

Nothing here is shared with the pipeline: this is what its results are compared with.
"""

import re
from collections import Counter, defaultdict
from datetime import datetime
from urllib.parse import urlparse

HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"
SUFFIXES = ("com", "org", "br", "gov.br", "uk", "co.uk", "gov.uk", "yu", "ac.yu")


def split_host(host):
    """Return what stands before the longest suffix, and that suffix; None if it has none."""
    labels = host.split(".")
    for start in range(len(labels)):
        suffix = ".".join(labels[start:])
        if suffix in SUFFIXES:
            return labels[:start], suffix
    return None


def domain_of(url):
    """Return the domain of a URL by the appendix's list of cases, None if it is dropped."""
    for sign in "\x0e\x0f[]":
        url = url.replace(sign, "")
    parts = urlparse(url)
    host = (parts.netloc or parts.path).split("/")[0].split("@")[-1].split(":")[0]
    found = split_host(host)
    if found is None:
        return None
    before, suffix = found
    label = before[-1] if before else ""
    several = "." in suffix
    if label.strip("w") == "":  # no domain, or only w's in it
        return suffix if several else None
    if re.search("[^A-Za-z0-9-]", label) or not label.strip("-"):
        return None
    return f"{label.strip('-')}.{suffix}"


def treat(lines):
    """Return the treated rows of the lines of a log after its first, under the users' old names and without
    their control characters, and the counts of what is dropped.
    """
    dropped, rows = Counter(), []
    for line in lines:
        fields = line.split("\t")
        if len(fields) != 5:
            dropped["malformed"] += 1
            continue
        user, _, time, _, url = fields
        if line == HEADER:
            dropped["header"] += 1
        elif not url:
            dropped["no-url"] += 1
        elif not user:
            dropped["no-user"] += 1
        elif not is_time(time):
            dropped["bad-time"] += 1
        elif not user.replace("\x19", ""):
            dropped["no-user"] += 1
        else:
            rows.append((user.replace("\x19", ""), datetime.fromisoformat(time), url))
    treated = []
    for user, time, url in rows:
        domain = domain_of(url)
        if domain is None:
            dropped["no domain"] += 1
        else:
            treated.append((user, time, domain))
    return treated, dropped


def histories(rows):
    """Return the visits of each user, and leave the users' names out: what is left if names are changed."""
    by_user = defaultdict(list)
    for user, *visit in rows:
        by_user[user].append(tuple(visit))
    return sorted(sorted(visits) for visits in by_user.values())


def is_time(text):
    try:
        datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return False
    return len(text) == 19


def match(domains, classification):
    """Return (kind, listed domain) of each domain that the classification knows."""
    matches = {}
    for domain in domains:
        labels = domain.split(".")
        if domain in classification:
            matches[domain] = ("full", domain)
        elif len(labels) >= 3:
            for start in range(1, len(labels) - 1):
                parent = ".".join(labels[start:])
                if parent in classification:
                    matches[domain] = ("partial", parent)
                    break
    return matches


def match_as_published(first_visits, classification):
    """Repeat the published mistake, with `first_visits` from domain to the time of its first visit."""
    full = {domain: ("full", domain) for domain in first_visits if domain in classification}
    useful = [domain for domain in full if classification[domain]]
    if not useful:
        return full
    last = max(useful, key=lambda domain: (first_visits[domain], domain))
    partial = {
        domain: ("partial", last)
        for domain in first_visits
        if domain not in full
        and domain.count(".") >= 2
        and any(re.search(pattern, domain) for pattern in classification)
    }
    return full | partial


def reduce(treated, matches, classification):
    """Return the rows whose domain has topics, with them."""
    return [
        (user, time, domain, sorted(classification[matches[domain][1]]))
        for user, time, domain in treated
        if domain in matches and classification[matches[domain][1]]
    ]


def experiment(visits, max_visits):
    """Return the histories of the users that stay, and how many go for which reason."""
    by_user = defaultdict(list)
    for visit in visits:
        by_user[visit[0]].append(visit[1:])
    histories, dropped = {}, Counter()
    for user, history in by_user.items():
        if len({visit[1] for visit in history}) == 1:
            dropped["singleton"] += 1
        elif len(history) > max_visits:
            dropped["outlier"] += 1
        else:
            histories[user] = sorted(history)
    return histories, dropped


def topic_counts(visits):
    """Return how often each user met each topic."""
    counts = defaultdict(Counter)
    for visit in visits:
        for topic in visit[3]:
            counts[visit[0]][topic] += 1
    return counts


def visited_of(counts, set_of_topics):
    """Return the topics of a set that were met at all; the others were filled in at random."""
    return frozenset(topic for topic in set_of_topics if counts[topic])


def filling(visited, top_s):
    """Count what was filled in, of a list of the visited topics of each set, one for each user.

    Return the share of sets with a filled topic, the share of filled topics, the number of sets without
    visits, how many different visited sets there are, and how many users have one that nobody else has.
    """
    short = [top_s - len(topics) for topics in visited]
    alone = Counter(visited)
    return (
        sum(1 for gaps in short if gaps) / len(short),
        sum(short) / (top_s * len(short)),
        sum(1 for gaps in short if gaps == top_s),
        len(alone),
        sum(1 for users in alone.values() if users == 1),
    )
