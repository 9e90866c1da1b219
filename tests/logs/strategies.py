"""Random small logs and classifications, with the odd values that real ones have."""

import hypothesis.strategies as st

from logs.reference import HEADER

HOSTS = [
    "a.com", "www.a.com", "b.org", "x.y.b.org", "c.co.uk", "www.gov.uk", "gov.uk", "gps.gov.uk", "gov.br",
    "www.gov.br", "www.br", "br", "com", "+.gov.br", "-.gov.br", "-d-.com", "e.ac.yu", "10.0.0.1",
    "localhost", "hyde.tameside.gov.uk", "t.me.org", "b--c.com", "deep.gps.gov.uk", "",
]  # fmt: skip
DOMAINS = [
    "a.com", "b.org", "c.co.uk", "gov.uk", "gps.gov.uk", "gov.br", "e.ac.yu", "tameside.gov.uk",
    "me.org", "t.me", "co.uk",
]  # fmt: skip
TIMES = [f"2006-03-{day:02d} {hour:02d}:17:12" for day in (1, 2, 9, 30) for hour in (0, 7, 23)]

urls = st.builds(
    "{}{}{}".format,
    st.sampled_from(["http://", "https://", ""]),
    st.sampled_from(HOSTS),
    st.sampled_from(["", "/", "/x/y.html", ":80", "/\x0e", "[", "/q?r=a.com"]),
)
users = st.sampled_from(["1", "2", "3", "44", "\x191", "5 5", ""])
times = st.sampled_from([*TIMES, *TIMES, "", "2006-03-01", "2006-02-30 00:00:00", "2006-03-01 7:17:12", "x"])
queries = st.sampled_from(["news", 'a "b', "", "é ü", "it's"])
rows = st.one_of(
    st.builds("{}\t{}\t{}\t1\t{}".format, users, queries, times, urls),
    st.builds("{}\t{}\t{}\t\t".format, users, queries, times),
    st.sampled_from(["1\tshort", "1\tq\t2006-03-01 07:17:12\t1\thttp://a.com\textra", HEADER]),
)
logs = st.lists(rows, max_size=30)
topics = st.lists(st.sampled_from("ABCDEFGH"), max_size=3, unique=True)
classifications = st.dictionaries(st.sampled_from(DOMAINS), topics, min_size=1)
visits = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from(TIMES), st.sampled_from(DOMAINS)), min_size=1, max_size=40
)
