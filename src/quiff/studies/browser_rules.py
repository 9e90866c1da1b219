"""The question what each rule of the browser does for privacy."""

from collections.abc import Hashable, Iterable

from quiff.apis.base import Api, checked_api, checked_people
from quiff.apis.defaults import default_apis
from quiff.browser.rates import VisitRates
from quiff.browser.rule_effects import RuleLeakage, rule_effects
from quiff.populations.population import Population
from quiff.results.result import Result
from quiff.results.rows import Row
from quiff.results.views.rules import rules_views
from quiff.studies.provenance import provenance, repeatable
from quiff.theory.parameters import HALF, Real


@repeatable
def browser_rules(
    people: Population,
    api: Api | None = None,
    *,
    coverage: Real = HALF,
    rates: VisitRates | None = None,
    high_utility: Iterable[Hashable] = (),
    samples: int = 5000,
    seed: int = 0,
) -> Result:
    """Measure what one call leaks with each rule of the browser and without it.

    The adversary of a call knows everybody's stable set; leakage is exact, by counting, except where places
    of a set are empty: there it is estimated. Two sites are linked by an adversary who knows only how common
    topics are. A row's stage is the rule, with a minus where it is switched off; its goal is the user, or two
    sites' users who are the same (``link``).

    Parameters
    ----------
    people
        The users, with stable sets.
    api
        The Topics API with its parameters; by default with sets of the people's size.
    coverage
        For the rules of the witness filter: the probability that the caller has observed a top topic.
    rates
        For padding and utility buckets, which work on visits: users with their rates.
    high_utility
        For utility buckets: the topics that rank first.
    samples
        How many calls to draw for an estimate.
    seed
        For estimates, and random visits.

    Examples
    --------
    >>> from quiff import worked_example
    >>> found = browser_rules(*worked_example(), samples=100)
    >>> found.facts["cookies"], [rule["rule"] for rule in found.facts["rules"]][:3]
    (3, ['noise', 'three_epochs', 'each_once'])

    Raises
    ------
    ParameterError
        If a number is out of range, the sets are not stable, or users are merged.
    """
    people = checked_people(people)
    api = default_apis(people)[-1] if api is None else checked_api(api)
    found = rule_effects(people, api, coverage, rates, high_utility, samples, seed)

    def row(rule: str, adversary: str, value: RuleLeakage) -> Row:
        goal = "user" if adversary == "call" else adversary
        method = "exact" if value.low is None else "monte-carlo"
        return Row(
            api.spec, api.unit, rule, goal, "population", 1, "leakage", value.leakage, value.low, value.high,
            method,  # type: ignore[arg-type]  # one of the two
        )  # fmt: skip

    return Result(
        rows=(
            row("", "call", RuleLeakage(found.specified)),
            *(row(each.rule, each.adversary, each.on) for each in found.rules),
            *(row(f"-{each.rule}", each.adversary, each.off) for each in found.rules),
        ),
        notes=found.notes,
        facts={
            "users": people.n_users,
            "distinct_sets": people.distinct_sets()[0].size,
            "api": api.spec,
            **api.fit(people).parameters(),
            "cookies": people.n_users,
            "specified": found.specified,
            "rules": [
                {
                    "rule": each.rule,
                    "adversary": each.adversary,
                    "setting": each.setting,
                    "with": each.on.to_dict(),
                    "without": each.off.to_dict(),
                }
                for each in found.rules
            ],
        },
        provenance=provenance(people, [api], seed),
        **rules_views(people, found),
    )
