"""The closed forms of privacy for one report: cookies, the stages of the Topics API, the worst case."""

from math import inf

from quiff import theory
from quiff.results.closed_forms import Scenario
from quiff.studies.forms import Form
from quiff.theory.parameters import Real

_UNIFORM = "users equally likely beforehand"
_FIXED = "users equally likely beforehand; each user's set fixed, not drawn at random"
_TWO_SETS = "two users whose sets differ; with a single set the channel's own {} instead"


def _possible_histories(x: Scenario) -> Real:
    """Return the number whole while it is short, then as a float."""
    if x.contexts <= 50:
        return theory.possible_histories(x.contexts)
    return 2.0**x.contexts if x.contexts < 1024 else inf  # c + 1 is lost in rounding


COOKIES = (
    Form(
        "prior_vulnerability",
        "probability",
        "1/N",
        "chance to name the user before any report",
        "paper, Sec. 4.1, prior privacy vulnerability",
        _UNIFORM,
        lambda x: theory.prior_vulnerability(x.n_users),
    ),
    Form(
        "possible_histories",
        "histories",
        "2^c - c - 1",
        "browsing histories that cookies can link",
        "paper, Sec. 4.1.1, the sum in the posterior of cookies",
        "a history is a set of at least two of the c contexts",
        _possible_histories,
    ),
    Form(
        "cookies_posterior",
        "probability",
        "min(N, 2^c - c - 1)/N",
        "chance to name the user by a third-party cookie",
        "paper, Sec. 4.1.1, posterior of cookies, capped at 1",
        f"{_UNIFORM}; as many different histories occur as can",
        lambda x: theory.cookies_posterior(x.n_users, x.contexts),
    ),
    Form(
        "cookies_leakage",
        "factor",
        "min(N, 2^c - c - 1)",
        "by how much a cookie raises that chance",
        "paper, Sec. 4.1.1, leakage of cookies",
        f"{_UNIFORM}; as many different histories occur as can",
        lambda x: theory.cookies_leakage(x.n_users, x.contexts),
    ),
)

STAGES = (
    Form(
        "generalization_posterior",
        "probability",
        "(different sets)/N",
        "chance to name the user by the whole top-s set",
        "paper, Sec. 4.1.2, posterior up to generalization",
        _FIXED,
        lambda x: theory.generalization_posterior(x.distinct_sets, x.n_users),
    ),
    Form(
        "generalization_posterior_bound",
        "probability",
        "min(1, C(m,s)/N)",
        "the most that chance can be",
        "paper, Sec. 4.1.2, posterior up to generalization, its bound capped at 1",
        _UNIFORM,
        lambda x: theory.generalization_posterior_bound(x.n_topics, x.top_s, x.n_users),
    ),
    Form(
        "generalization_leakage",
        "factor",
        "different sets",
        "by how much the whole set raises the chance to name the user",
        "paper, Sec. 4.1.2, leakage up to generalization",
        _FIXED,
        lambda x: theory.generalization_leakage(x.distinct_sets),
    ),
    Form(
        "generalization_capacity",
        "factor",
        "min(N, C(m,s))",
        "the most that the whole set can leak",
        "paper, Sec. 4.1.2, leakage up to generalization, its bound; the cap at N is ours",
        "nothing; met if all users' sets differ or every s-subset occurs",
        lambda x: theory.generalization_capacity(x.n_topics, x.top_s, x.n_users),
    ),
    Form(
        "bounded_noise_posterior",
        "probability",
        "m'/(s N)",
        "chance to name the user by one genuine topic",
        "paper, Sec. 4.1.2, posterior up to bounded noise",
        _FIXED,
        lambda x: theory.bounded_noise_posterior(x.n_topics, x.top_s, x.occurring, x.n_users),
    ),
    Form(
        "bounded_noise_posterior_bound",
        "probability",
        "min(1, m/(s N))",
        "the most that chance can be",
        "paper, Sec. 4.1.2, posterior up to bounded noise, its bound capped at 1",
        _UNIFORM,
        lambda x: theory.bounded_noise_posterior_bound(x.n_topics, x.top_s, x.n_users),
    ),
    Form(
        "bounded_noise_leakage",
        "factor",
        "m'/s",
        "by how much one genuine topic raises the chance to name the user",
        "paper, Sec. 4.1.2, leakage up to bounded noise",
        _FIXED,
        lambda x: theory.bounded_noise_leakage(x.n_topics, x.top_s, x.occurring),
    ),
    Form(
        "bounded_noise_capacity",
        "factor",
        "m/s",
        "the most that one genuine topic can leak",
        "paper, Sec. 4.1.2, leakage up to bounded noise, its bound",
        "nothing; met if every topic of the taxonomy occurs",
        lambda x: theory.bounded_noise_capacity(x.n_topics, x.top_s),
    ),
    Form(
        "topics_posterior",
        "probability",
        "(r + m'(1-r)/s)/N",
        "chance to name the user by one report",
        "paper, Sec. 4.1.2, posterior of the complete Topics API",
        _FIXED,
        lambda x: theory.topics_posterior(x.n_topics, x.top_s, x.noise, x.occurring, x.n_users),
    ),
    Form(
        "topics_posterior_bound",
        "probability",
        "min(1, (r + m(1-r)/s)/N)",
        "the most that chance can be",
        "paper, Sec. 4.1.2, posterior of the complete Topics API, its bound capped at 1",
        _UNIFORM,
        lambda x: theory.topics_posterior_bound(x.n_topics, x.top_s, x.noise, x.n_users),
    ),
    Form(
        "leakage",
        "factor",
        "r + m'(1-r)/s",
        "by how much one report raises the chance to name the user",
        "paper, Sec. 4.1.2, leakage of the complete Topics API",
        _FIXED,
        lambda x: theory.topics_leakage(x.n_topics, x.top_s, x.noise, x.occurring),
    ),
    Form(
        "bayes_capacity",
        "factor",
        "r + m(1-r)/s",
        "the most that one report can leak, on average, to anybody about anything",
        "paper, Sec. 4.1.2, leakage of the complete Topics API, its bound",
        "nothing; met if every topic of the taxonomy occurs",
        lambda x: theory.bayes_capacity(x.n_topics, x.top_s, x.noise),
    ),
)

WORST_CASE = (
    Form(
        "epsilon",
        "nats",
        "ln(1 + m(1-r)/(r s))",
        "local differential privacy of one report",
        "paper, Sec. 4.1.2, the parameter epsilon",
        _TWO_SETS.format("epsilon is 0"),
        lambda x: theory.epsilon(x.n_topics, x.top_s, x.noise),
    ),
    Form(
        "max_case_capacity",
        "factor",
        "1 + m(1-r)/(r s)",
        "the most that one unlucky report can raise any belief",
        "paper, Sec. 4.1.3, max-case capacity",
        _TWO_SETS.format("capacity is 1"),
        lambda x: theory.max_case_capacity(x.n_topics, x.top_s, x.noise),
    ),
    Form(
        "max_case_is_met",
        "yes or no",
        "different sets > 1, or r = 1",
        "whether the two figures above are the channel's own, not only bounds",
        "ours; the paper leaves the condition out",
        "each user's set fixed, not drawn at random",
        lambda x: theory.max_case_is_met(x.noise, x.distinct_sets),
    ),
)
