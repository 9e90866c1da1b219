"""Every number of a measurement with its unit and formula, what it means, its source and its assumptions."""

from typing import TYPE_CHECKING

from quiff.results.measurement.rows import Limit, StagePrivacy, Use
from quiff.results.measurement.tables import CHANNELS, HISTORIES, SECRETS_TO, prior_on_users
from quiff.results.quantity import Quantity
from quiff.results.stages import stage_seen

if TYPE_CHECKING:
    from quiff.results.measurement.measurement import Measurement

_CAPACITIES = {
    "cookies": ("N", "paper, Sec. 4.1.1, leakage of cookies"),
    "generalization": (
        "min(N, C({m},s))",
        "paper, Sec. 4.1.2, leakage up to generalization, capped at N",
    ),
    "bounded_noise": ("{m}/s", "paper, Sec. 4.1.2, leakage up to bounded noise, its bound"),
    "topics_api": ("r + {m}(1-r)/s", "paper, Sec. 4.1.2, leakage of the complete Topics API, its bound"),
}
_FIXED = "each user's set is the one in the file, not drawn at random"
_PARAMETERS = "nothing but the parameters"
_PRIOR, _POSTERIOR, _LEAKAGE = (
    f"paper, eq. {name}" for name in ("prior-vulnerability", "posterior-vulnerability", "leakage")
)


def quantities(found: "Measurement") -> tuple[Quantity, ...]:
    """Return the counts, then privacy, utility and limits."""
    return (
        *_counts(found),
        *(quantity for row in found.privacy for quantity in _privacy(found, row)),
        *(quantity for row in found.utility for quantity in _utility(found, row)),
        *(quantity for row in found.limits for quantity in _limits(row)),
    )


def _counts(found: "Measurement") -> tuple[Quantity, ...]:
    source = "this population"
    return (
        Quantity("users", found.users, "users", "N", "users that were measured", source, "nothing"),
        Quantity(
            "distinct_sets",
            found.distinct_sets,
            "sets",
            "|Sigma|",
            "different sets that occur",
            source,
            _FIXED,
        ),
        Quantity(
            "occurring_topics",
            found.occurring_topics,
            "topics",
            "m' = |union of all sets|",
            "topics that occur in some set",
            source,
            _FIXED,
        ),
        Quantity(
            "unique_users",
            found.unique_users,
            "share of users",
            "|{x : no other user has the set of x}| / N",
            "users whose set nobody else has",
            source,
            _FIXED,
        ),
        Quantity(
            "anonymity",
            found.anonymity,
            "users",
            "min over sets of |{x : x has the set}|",
            "k of k-anonymity: how many users share the rarest set",
            source,
            _FIXED,
        ),
    )


def _privacy(found: "Measurement", row: StagePrivacy) -> tuple[Quantity, ...]:
    key, seen, channel = row.stage, stage_seen(row.stage), CHANNELS[row.stage]
    users, (bound, source) = prior_on_users(found), _CAPACITIES[row.stage]
    assumes = f"{users}; {_cookies(found) if row.stage == 'cookies' else _FIXED}"
    table = "table results-privacy-bayes"
    return (
        Quantity(
            f"{key}_prior",
            row.prior,
            "probability",
            "V_1(pi) = max_x pi_x",
            "chance to name the user before anything is seen",
            _PRIOR,
            users,
        ),
        Quantity(
            f"{key}_posterior",
            row.posterior,
            "probability",
            f"V_1[pi > C] = sum_y max_x pi_x C[x,y], C = {channel}",
            f"chance to name the user by {seen}",
            f"{_POSTERIOR}, {table}",
            assumes,
        ),
        Quantity(
            f"{key}_leakage",
            row.leakage,
            "factor",
            "V_1[pi > C] / V_1(pi)",
            f"by how much {seen} raises that chance",
            f"{_LEAKAGE}, {table}",
            assumes,
        ),
        Quantity(
            f"{key}_capacity",
            row.capacity,
            "factor",
            bound.format(m="m"),
            f"the most that {seen} can leak",
            source,
            _PARAMETERS,
        ),
        Quantity(
            f"{key}_capacity_occurring",
            row.capacity_occurring,
            "factor",
            bound.format(m="m'"),
            f"the most that {seen} can leak if no other topics occur",
            source,
            _PARAMETERS,
        ),
    )


def _cookies(found: "Measurement") -> str:
    if found.histories:
        return f"a cookie shows the history ({found.histories[0].view})"
    return "no histories were given, so that cookies are taken to tell all users apart"


def _utility(found: "Measurement", row: Use) -> tuple[Quantity, ...]:
    thing = "history" if row.stage in HISTORIES else "set"
    goal = f"name the {thing}" if row.gain == "bayes" else "name a topic of the set"
    key, seen = f"{row.weighting}_{row.stage}_{row.gain}", stage_seen(row.stage)
    table, assumes = f"table results-utility-{row.gain}", _prior_on_secrets(found, row)
    return (
        Quantity(
            f"{key}_prior",
            row.prior,
            "probability",
            _before(row),
            f"chance to {goal} before anything is seen",
            _PRIOR,
            assumes,
        ),
        Quantity(
            f"{key}_posterior",
            row.posterior,
            "probability",
            _after(row),
            f"chance to {goal} by {seen}",
            f"{_POSTERIOR}, {table}",
            assumes,
        ),
        Quantity(
            f"{key}_leakage",
            row.leakage,
            "factor",
            "V_g[pi > C] / V_g(pi)",
            f"by how much {seen} raises that chance",
            f"{_LEAKAGE}, {table}",
            assumes,
        ),
    )


def _before(row: Use) -> str:
    return "V_1(pi) = max_x pi_x" if row.gain == "bayes" else "V_g(pi) = max_t sum over sets x with t of pi_x"


def _after(row: Use) -> str:
    best = "max_x" if row.gain == "bayes" else "max_t sum over sets x with t of"
    return f"V_g[pi > C] = sum_y {best} pi_x C[x,y], C = {SECRETS_TO[row.stage]}"


def _prior_on_secrets(found: "Measurement", row: Use) -> str:
    things = "histories" if row.stage in HISTORIES else "sets"
    if row.weighting == "uniform":
        return f"all different {things} are equally likely beforehand"
    if row.stage in HISTORIES:
        return f"a history is as probable as its users together; {_cookies(found)}"
    if found.prior == "as-published":
        return "sets have each other's probabilities: the misaligned prior of the published notebooks"
    return f"a set is as probable as its users together; {prior_on_users(found)}"


def _limits(row: Limit) -> tuple[Quantity, ...]:
    own, m = row.basis == "channel", "m'" if row.basis == "occurring" else "m"
    assumes = {
        "taxonomy": f"{_PARAMETERS}; for the worst case, two different sets",
        "occurring": "the random topic is one of those that occur, too",
        "channel": "the sets that occur; nothing about how probable they are",
    }[row.basis]
    source = "paper, Sec. 4.1.2 and 4.1.3, table theoretical-aol"
    return (
        Quantity(
            f"{row.basis}_bayes_capacity",
            row.bayes_capacity,
            "factor",
            "sum_y max_x C[x,y]" if own else f"r + {m}(1-r)/s",
            "the most that one report can leak, on average, to anybody about anything",
            source,
            assumes,
        ),
        Quantity(
            f"{row.basis}_epsilon",
            row.epsilon,
            "nats",
            "max ln C[x,y]/C[x',y]" if own else f"ln(1 + {m}(1-r)/(r s))",
            "local differential privacy of one report",
            source,
            assumes,
        ),
        Quantity(
            f"{row.basis}_max_case_capacity",
            row.max_case_capacity,
            "factor",
            "max C[x,y]/C[x',y]" if own else f"1 + {m}(1-r)/(r s)",
            "the most that one unlucky report can raise any belief",
            source,
            assumes,
        ),
    )
