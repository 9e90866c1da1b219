"""The page takes no more memory than it may, and every offered size of a taxonomy."""

import pytest


@pytest.mark.parametrize("spec", ["private_aggregation:keys=10000", "private_aggregation:keys=1000"])
@pytest.mark.parametrize("path", ["/api/people", "/download/people/risk-0.csv"])
def test_what_takes_more_memory_than_the_page_may_is_refused_before_it_is_begun(get, path, spec):
    answer = get(f"{path}?n=100&observations=1&api={spec}")
    assert answer.status_code == 400
    assert f"'{spec}': on this page it takes about" in answer.text
    assert "GiB of memory, but the limit is 1 GiB; raise it (--memory-limit" in answer.text


def test_a_limit_that_was_given_stands(get, monkeypatch):
    monkeypatch.setenv("QUIFF_MEMORY_LIMIT", "0.3")
    refused = get("/api/people?n=100&api=private_aggregation:keys=100")
    assert "but the limit is 0.3 GiB" in refused.text


@pytest.mark.parametrize("spec", ["private_aggregation", "topics", "parakeet"])
def test_defaults_are_not_refused(get, spec):
    answer = get(f"/api/people?n=100&observations=1&api={spec}")
    assert answer.status_code == 200
    assert "event: done" in answer.text


@pytest.mark.parametrize(
    "spec",
    [
        "android_topics",
        pytest.param("topics:n_topics=v2", marks=pytest.mark.full),
        pytest.param("topics:n_topics=iab-1.1", marks=pytest.mark.full),
        "topics:n_topics=8000",
        pytest.param("topics&api2=topics:n_topics=v2", marks=pytest.mark.full),
        "topics:n_topics=v1&api2=topics:n_topics=v2",
    ],
)
def test_people_are_measured_for_every_size_of_a_taxonomy(get, spec):
    answer = get(f"/api/people?n=100&observations=1&api={spec}")
    assert answer.status_code == 200
    assert "event: failed" not in answer.text
    assert "event: done" in answer.text
