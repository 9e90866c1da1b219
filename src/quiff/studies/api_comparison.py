"""The question how several APIs compare on one population."""

from quiff.apis.base import Api
from quiff.core.gain import membership_gain_from_codes
from quiff.errors import ParameterError
from quiff.measures.differential_privacy import epsilon
from quiff.measures.leakage import leakage
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.populations.population import Population
from quiff.results.api_comparison import ApiComparison, StageFigures

__all__ = ["compare_apis"]


def compare_apis(population: Population, *apis: Api) -> ApiComparison:
    """Measure every step of every API on a population, and what an advertiser learns of each report.

    Privacy is the chance to name the user, all users being equally likely before; utility the chance to
    name a topic of the user's set (the paper's gain function for IBA companies, Sec. 4.2.2), under the
    population's own prior on sets.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Cookies, Population, TopicsAPI
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    >>> api = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 20))
    >>> print(compare_apis(Population.from_sets(sets), Cookies(), api).table().to_text())
    3 users with 2 different sets
    API         step            chance to name the user  leakage  epsilon  utility
    cookies     cookies                               1        3      inf  1
    topics_api  generalization                 0.666667        2      inf
    topics_api  bounded_noise                  0.666667        2      inf
    topics_api  topics_api                         0.65     1.95  3.88156  0.976667
    Leakage is by how much a step raises the chance to name the user over 1/N.
    Utility is the chance to name a topic of the user's set; without a report it is 0.666667.

    Raises
    ------
    ParameterError
        If no API is given.
    """
    if not apis:
        raise ParameterError("there is nothing to compare; give at least one API")
    sets, _ = population.distinct_sets()
    naming = membership_gain_from_codes(sets, sets.codes, population.topics)
    prior, users = population.set_prior(), population.user_prior()
    rows = []
    for api, name in zip(apis, _names(apis), strict=True):
        stages = api.stages(population)
        utility = posterior_vulnerability(prior, api.set_channel(population), naming)
        for number, (stage, C) in enumerate(stages.items(), start=1):
            rows.append(
                StageFigures(
                    api=name,
                    stage=stage,
                    posterior=posterior_vulnerability(users, C),
                    leakage=leakage(users, C),
                    epsilon=epsilon(C),
                    utility=utility if number == len(stages) else None,
                )
            )
    return ApiComparison(population.users.size, sets.size, vulnerability(prior, naming), tuple(rows))


def _names(apis: tuple[Api, ...]) -> list[str]:
    """Return the names of the APIs; two settings of the same one are told apart by their parameters."""
    names = [api.name for api in apis]
    return [str(api) if names.count(name) > 1 else name for api, name in zip(apis, names, strict=True)]
