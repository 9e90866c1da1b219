"""The closed forms beyond one report and one adversary, and those of what an advertiser learns."""

from quiff import theory
from quiff.studies.forms import Form

_THEOREM = "paper, Sec. 4.2.2, theorem on the posterior IBA gain"

BOUNDS = (
    Form(
        "epochs_bound",
        "factor",
        "min(N, C(m,s), (r + m(1-r)/s)^E)",
        "the most that E epochs can leak if sets stay the same",
        "beyond the paper, whose longitudinal model composes the channels",
        "each user keeps one set over all epochs",
        lambda x: theory.epochs_bound(x.n_topics, x.top_s, x.noise, x.n_users, x.epochs),
    ),
    Form(
        "epochs_bound_changing_sets",
        "factor",
        "min(N, (r + m(1-r)/s)^E)",
        "the most that E epochs can leak if sets may change",
        "beyond the paper, whose longitudinal model composes the channels",
        "the reports of different epochs are independent, given the sets",
        lambda x: theory.epochs_bound(x.n_topics, x.top_s, x.noise, x.n_users, x.epochs, stable_sets=False),
    ),
    Form(
        "epochs_epsilon_bound",
        "nats",
        "E ln(1 + m(1-r)/(r s))",
        "the largest epsilon of E epochs together",
        "beyond the paper: epsilons of independent reports add up",
        "nothing; met if some two users' sets differ in every epoch",
        lambda x: theory.epochs_epsilon_bound(x.n_topics, x.top_s, x.noise, x.epochs),
    ),
    Form(
        "epochs_max_case_bound",
        "factor",
        "(1 + m(1-r)/(r s))^E",
        "the most that E unlucky reports can raise any belief",
        "beyond the paper: max-case capacities of independent reports multiply",
        "nothing; met if some two users' sets differ in every epoch",
        lambda x: theory.epochs_max_case_bound(x.n_topics, x.top_s, x.noise, x.epochs),
    ),
    Form(
        "side_information_bound",
        "probability",
        "min(1, P (r + m(1-r)/s))",
        "an adversary's largest chance of success after one report, if it is P before",
        "paper, Sec. 2, capacity under arbitrary correlations, with the capacity of Sec. 4.1.2",
        "nothing: any goal, any knowledge, any correlation with the user",
        lambda x: theory.side_information_bound(x.n_topics, x.top_s, x.noise, x.prior_success),
    ),
)

UTILITY = (
    Form(
        "inside_probability",
        "probability",
        "p = (1-r)/s + r/m",
        "chance that a given topic of the set is reported",
        "paper, Sec. 4.2.1, counting experiment",
        "nothing",
        lambda x: theory.inside_probability(x.n_topics, x.top_s, x.noise),
    ),
    Form(
        "outside_probability",
        "probability",
        "q = r/m",
        "chance that a given topic outside the set is reported",
        "paper, Sec. 4.2.1, counting experiment",
        "nothing",
        lambda x: theory.outside_probability(x.n_topics, x.noise),
    ),
    Form(
        "genuine_probability",
        "probability",
        "u = (1-r) + r s/m",
        "chance that the reported topic is in the user's set",
        f"ours, sharper than the lower bound of the {_THEOREM}",
        "nothing; the gain after a report if all s-subsets are equally likely, else a lower bound",
        lambda x: theory.genuine_probability(x.n_topics, x.top_s, x.noise),
    ),
    Form(
        "prior_iba_gain",
        "probability",
        "V = the largest share of a topic",
        "chance to name a topic of the set before any report",
        "paper, Sec. 4.2.2, theorem on the prior IBA gain",
        "as given; by default the least that m' topics allow, s/m'",
        lambda x: theory.prior_iba_gain([x.prior_gain]),
    ),
    Form(
        "prior_iba_gain_all_sets",
        "probability",
        "s/m",
        "the least that chance can be",
        "paper, Sec. 4.2.2, theorem on the prior IBA gain, for this prior",
        "all s-subsets of the taxonomy equally likely",
        lambda x: theory.prior_iba_gain_all_sets(x.n_topics, x.top_s),
    ),
    Form(
        "bounded_noise_iba_gain",
        "probability",
        "1",
        "chance to name a topic of the set after one genuine topic",
        "paper, Sec. 4.2.2, theorem on the posterior IBA gain for bounded noise",
        "nothing",
        lambda _: theory.bounded_noise_iba_gain(),
    ),
    Form(
        "iba_lower",
        "probability",
        "1 - r",
        "the least chance to name a topic of the set after a report",
        f"{_THEOREM}, its lower bound",
        "nothing; met only at r = 0, for u above is larger",
        lambda x: theory.iba_lower(x.noise),
    ),
    Form(
        "iba_upper",
        "probability",
        "(1-r) + r V",
        "the largest chance to name a topic of the set after a report",
        f"{_THEOREM}, its upper bound",
        "nothing; met if each topic has a most popular one in every set with it, as for all s-subsets",
        lambda x: theory.iba_upper(x.noise, x.prior_gain),
    ),
)
