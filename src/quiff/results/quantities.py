"""Every quantity that a result can have, described once: its unit, formula, meaning and source."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import final

from quiff.theory.forms import FORMS


@final
@dataclass(frozen=True)
class Quantity:
    """What a kind of number is: its unit, how it is computed, what it means and where that is defined."""

    name: str
    title: str
    unit: str
    formula: str
    meaning: str
    source: str


_VULNERABILITY = "paper, eq. prior-vulnerability and posterior-vulnerability"
_COUNTED = {
    "unique": "targets for whom the attack leaves the right user alone / targets",
    "ties": "mean of [the right user is left] / (users left)",
}
_ALL = (
    Quantity(
        "prior",
        "guessed",
        "probability",
        "V_1(pi) = max_x pi_x",
        "probability to re-identify the user before anything is observed",
        _VULNERABILITY,
    ),
    Quantity(
        "posterior",
        "re-identified",
        "probability",
        "V_1[pi > C] = sum_y max_x pi_x C[x,y]",
        "probability to re-identify the user by what is observed",
        _VULNERABILITY,
    ),
    Quantity(
        "leakage",
        "leakage",
        "factor",
        "V_1[pi > C] / V_1(pi)",
        "by how much an observation multiplies the probability of re-identification",
        "paper, eq. leakage",
    ),
    Quantity(
        "leakage_at_least",
        "leakage, at least",
        "factor",
        "exact part <= V_1[pi > C] / V_1(pi)",
        "the leakage is at least this, for certain",
        "docs, theory of many epochs",
    ),
    Quantity(
        "leakage_at_most",
        "leakage, at most",
        "factor",
        "V_1[pi > C] / V_1(pi) <= exact part + what is left",
        "the leakage is at most this, for certain",
        "docs, theory of many epochs",
    ),
    Quantity(
        "leakage_limit",
        "limit of the leakage",
        "factor",
        "sum over secrets of the largest pi_x of a user, over V_1(pi)",
        "the leakage if the secrets themselves were observed; no number of observations leaks more",
        "docs, theory of many epochs",
    ),
    Quantity(
        "leakage_bound",
        "bound from the parameters",
        "factor",
        "min(N, number of secrets, capacity^n)",
        "the most that n observations can leak, from the parameters and the number of users alone",
        "paper, Sec. 2.3, for one observation",
    ),
    Quantity(
        "bayes_capacity",
        "capacity",
        "factor",
        "sum_y max_x C[x,y]",
        "the most that an observation can leak, for any people, any prior and any goal",
        "paper, Sec. 2.3, multiplicative Bayes capacity",
    ),
    Quantity(
        "min_capacity_bits",
        "capacity in bits",
        "bits",
        "log2 sum_y max_x C[x,y]",
        "the Bayes capacity in bits, min-capacity",
        "paper, Sec. 2.3",
    ),
    Quantity(
        "shannon_capacity_bits",
        "Shannon capacity",
        "bits",
        "max over pi of I(X;Y)",
        "the most bits that an observation tells about the secret on average",
        "Shannon 1948",
    ),
    Quantity(
        "epsilon",
        "epsilon",
        "nats",
        "max over x, x', y of ln C[x,y]/C[x',y]",
        "local differential privacy of one observation",
        "paper, Sec. 2.4",
    ),
    Quantity(
        "max_case_capacity",
        "max-case capacity",
        "factor",
        "max over x, x', y of C[x,y]/C[x',y]",
        "the most that one unlucky observation can raise any belief",
        "paper, Sec. 2.4",
    ),
    Quantity(
        "side_information_bound",
        "with side information",
        "probability",
        "min(1, P sum_y max_x C[x,y])",
        "the most an adversary can succeed with after one observation, who succeeds with P before",
        "paper, Sec. 2, capacity under arbitrary correlations (Dalenius)",
    ),
    Quantity(
        "goal_prior",
        "without",
        "probability",
        "V_g(pi) = max_w sum_x pi_x g(w,x)",
        "probability to reach the goal before anything is observed",
        _VULNERABILITY,
    ),
    Quantity(
        "goal_posterior",
        "with",
        "probability",
        "V_g[pi > C] = sum_y max_w sum_x pi_x g(w,x) C[x,y]",
        "probability to reach the goal by what is observed",
        _VULNERABILITY,
    ),
    Quantity(
        "risk_mean",
        "mean risk",
        "probability",
        "mean of R_x, R_x = sum_y C[x,y] [x is a best guess for y] / (best guesses for y)",
        "probability that a user is re-identified, on average over users",
        "mean: paper, eq. posterior-vulnerability",
    ),
    Quantity(
        "risk_median",
        "median risk",
        "probability",
        "median of R_x",
        "half of the users are re-identified at most with this probability",
        "see risk_mean",
    ),
    Quantity(
        "risk_95",
        "risk of the top 5 %",
        "probability",
        "95th percentile of R_x",
        "one user in twenty is re-identified at least with this probability",
        "see risk_mean",
    ),
    Quantity(
        "risk_99",
        "risk of the top 1 %",
        "probability",
        "99th percentile of R_x",
        "one user in a hundred is re-identified at least with this probability",
        "see risk_mean",
    ),
    Quantity(
        "risk_max",
        "largest risk",
        "probability",
        "max_x R_x",
        "probability that the user most at risk is re-identified",
        "see risk_mean",
    ),
    Quantity(
        "users_above",
        "users above the threshold",
        "share of users",
        "|{x : R_x > threshold}| / N",
        "users who are re-identified with more than the threshold",
        "see risk_mean",
    ),
    Quantity(
        "worst_posterior",
        "worst posterior",
        "probability",
        "max_x,y P(x | y)",
        "the most probable that an output makes any user",
        "paper, Sec. 2.3, posterior distributions",
    ),
    Quantity(
        "named_posterior",
        "if it is named",
        "probability",
        "P(the user has t | the output names t)",
        "probability that a user has what the output names",
        "paper, Sec. 2.3, posterior distributions",
    ),
    Quantity(
        "users_with",
        "users",
        "users",
        "n = |{x : x has the value}|",
        "users who have the value",
        "paper, Sec. 4.2.1, counting experiment",
    ),
    Quantity(
        "estimated_users",
        "estimated users",
        "users",
        "(c - N q)/(p - q)",
        "unbiased estimate of the users who have the value, from the c of N whose output names it",
        "Warner 1965; inversion of the paper's channel, Sec. 4.2.1",
    ),
    Quantity(
        "finding_probability",
        "found",
        "probability",
        "P[the first values by outputs are the first by users, in order]",
        "probability that counting outputs finds the most popular values",
        "simulated; interval: Clopper and Pearson 1934",
    ),
    Quantity(
        "unique_users",
        "unique",
        "share of users",
        "|{x : nobody else has the secret of x}| / N",
        "users who are re-identified for certain by who learns their secret",
        "paper, Sec. 3.2",
    ),
    Quantity(
        "k_anonymity",
        "k-anonymity",
        "users",
        "min over secrets of the users who have it",
        "every secret that occurs has at least so many users",
        "paper, Sec. 3.2",
    ),
    Quantity(
        "utility",
        "utility",
        "probability",
        "P[the output is in the user's set]",
        "probability that what is shown is genuine",
        "docs/theory/optimal-design.md",
    ),
    Quantity(
        "worst_utility",
        "worst-off user's utility",
        "probability",
        "min_x P[the output is in the set of x]",
        "probability that what is shown is genuine, for the user for whom it is least",
        "docs/theory/optimal-design.md",
    ),
    Quantity(
        "capacity",
        "capacity",
        "factor",
        "sum_y max_x C[x,y]",
        "the Bayes capacity of a fitted mechanism on the sets that occur",
        "paper, Sec. 2.3, multiplicative Bayes capacity",
    ),
    Quantity(
        "least_capacity",
        "at least",
        "factor",
        "a dual bound of the linear program",
        "no mechanism that keeps up this utility for these people has a smaller capacity",
        "docs/theory/optimal-design.md",
    ),
    Quantity(
        "unique",
        "only the right user left",
        "share of targets",
        _COUNTED["unique"],
        "for so many targets nobody but the right user is left",
        "Beugin and McDaniel, PoPETs 2024",
    ),
    Quantity(
        "right",
        "re-identified by the attack",
        "share of targets",
        _COUNTED["ties"],
        "so many targets are re-identified when ties are broken at random",
        "posterior vulnerability of a strategy: Alvim et al., The Science of QIF, Sec. 5.1",
    ),
)
_CLOSED = (
    Quantity(form.quantity, form.name, form.unit, form.formula, form.meaning, form.source)
    for form in FORMS.values()
)


class _Registry(dict[str, Quantity]):
    """The quantities by name; attacks, which load NumPy, are looked up when they are asked for."""

    def __missing__(self, name: str) -> Quantity:
        from quiff.attacks.catalogue import ATTACKS

        counts, source = "ties", "paper, eq. posterior-vulnerability: its adversary"
        if name in ATTACKS:
            counts, source = ATTACKS[name].counts, str(ATTACKS[name].paper)
        elif name != "bayes":
            raise KeyError(name)
        meaning = "so many targets are re-identified by this attack"
        return Quantity(
            name, f"re-identified by {name}", "share of targets", _COUNTED[counts], meaning, source
        )


QUANTITIES = MappingProxyType(_Registry({quantity.name: quantity for quantity in (*_CLOSED, *_ALL)}))
"""The quantities by name."""
