"""What the paper prints on its experiments with the AOL data; other figures are derived from these."""

from quiff.papers.items import Value
from quiff.papers.settings import CITIZEN_LAB, V1, V1_OCCURRING, percent

COMMAND = "quiff paper --data DIR, or quiff measure PROFILES"
USERS = {"experimental": "436 005", "citizen-lab": "211 313", "google-v1": "198 023"}
SETS = {"citizen-lab": "27 970", "google-v1": "110 870"}
NAMES = {
    "experimental": "Experimental",
    "citizen-lab": "Experimental (Citizen Lab)",
    "google-v1": "Experimental (Google v1)",
}
# The taxonomy's size m, and m' of its topics occur.
TOPICS = {"citizen-lab": (CITIZEN_LAB, CITIZEN_LAB), "google-v1": (V1, V1_OCCURRING)}
# As printed: privacy after bounded noise and complete; the same for utility in the tables, and the priors.
LEAKAGES = {"citizen-lab": ("6.20", "5.94"), "google-v1": ("33.80", "32.16")}
BAYES_POSTERIORS = {"citizen-lab": ("0.107", "0.102"), "google-v1": ("0.048", "0.046")}
BAYES_PRIORS = {"citizen-lab": "0.032", "google-v1": "0.015"}
IBA_POSTERIORS = {"citizen-lab": "0.958", "google-v1": "0.962"}
IBA_PRIORS = {"citizen-lab": "0.720", "google-v1": "0.421"}
USER_PRIORS = {"experimental": "2.3e-6", "citizen-lab": "4.7e-6", "google-v1": "5.0e-6"}
SHARES_OF_SETS = {"citizen-lab": "0.132", "google-v1": "0.560"}
BAYES_LEAKAGES = {"citizen-lab": "3.18", "google-v1": "3.06"}
IBA_LEAKAGES = {"citizen-lab": "1.33", "google-v1": "2.28"}
PERCENTAGES_OF_COOKIES = {
    "citizen-lab": {"generalization": "13.24%", "bounded-noise": "0.0029%", "topics-api": "0.0028%"},
    "google-v1": {"generalization": "55.99%", "bounded-noise": "0.0171%", "topics-api": "0.0162%"},
}
PERCENTAGES = {
    "citizen-lab": {
        "generalization": "13.2%",
        "bounded-noise": "10.7%",
        "topics-api": "10.2%",
        "iba": "95.8%",
    },
    "google-v1": {"generalization": "56.0%", "bounded-noise": "4.8%", "topics-api": "4.6%", "iba": "96.2%"},
}
CONTEXTS = 10**6  # enough for any number of users to have different histories


def table_of(key: str) -> str:
    """Return the short name of the published table of a data set.

    >>> table_of("experimental"), table_of("google-v1")
    ('experimental', 'experimental-google-v1')
    """
    return key if key == "experimental" else f"experimental-{key}"


def share(part: Value, whole: Value) -> Value:
    """Return a part of a whole in percent.

    >>> share(1, 4)
    25.0
    """
    return percent(part / whole)
