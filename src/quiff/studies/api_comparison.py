"""The question how several APIs, or several settings of one, compare on one population."""

from collections.abc import Mapping

from quiff import theory
from quiff.apis.topics import TopicsAPI
from quiff.core.gain import membership_gain_from_codes
from quiff.errors import ParameterError
from quiff.measures.capacity import max_case_capacity
from quiff.measures.differential_privacy import epsilon
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.populations.groups import grouped
from quiff.populations.population import Population
from quiff.results.api_comparison import SettingComparison, SettingFigures


def compare_settings(
    populations: Population | Mapping[int, Population], settings: Mapping[str, TopicsAPI]
) -> SettingComparison:
    """Measure a report of the Topics API at several settings on the same users.

    Parameters
    ----------
    populations
        The users and their sets; for settings with different sizes s of the sets, the same users once for
        each size, by size: ``{5: Population.read(file), 9: Population.read(file, top=9)}``.
    settings
        The settings by name.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    >>> noises = {"little noise": Fraction(1, 20), "much noise": Fraction(1, 2)}
    >>> settings = {name: TopicsAPI(n_topics=5, top_s=2, noise=r) for name, r in noises.items()}
    >>> for table in compare_settings(Population.from_sets(sets), settings).tables():
    ...     print(table.to_text())
    What settings of the Topics API give away: 3 users
    setting       different sets  chance to name the user  leakage  capacity  epsilon  max-case capacity
    little noise               2                     0.65     1.95     2.425  3.88156               48.5
    much noise                 2                      0.5      1.5      1.75  1.25276                3.5
    Leakage is by how much one report raises the chance to name the user.
    Capacity is the most that any population leaks; the last two columns are of this one.
    What settings of the Topics API are good for: 3 users
    setting       topic before  topic after  report is genuine  set before  set after
    little noise      0.666667     0.976667               0.97    0.666667   0.976667
    much noise        0.666667     0.766667                0.7    0.666667   0.766667
    Topic and set: the chance to name a topic of the user's set, or the whole set, by a report.

    Raises
    ------
    ParameterError
        If there is no setting, there are no sets of a setting's size, or the users are not as many.
    """
    if not settings:
        raise ParameterError("there is nothing to compare; give at least one setting")
    if isinstance(populations, Population):
        populations = {populations.top_s: populations}
    for name, api in settings.items():
        if api.top_s not in populations:
            raise ParameterError(
                f"the setting {name!r} needs sets of {api.top_s} topics, but there are only sets of "
                f"{', '.join(map(str, sorted(populations)))}; read the profiles with top={api.top_s}"
            )
    sizes = {population.n_users for population in populations.values()}
    if len(sizes) > 1:
        raise ParameterError(
            f"the populations have {' and '.join(map(str, sorted(sizes)))} users; "
            "give the same users for each size of the sets"
        )
    found = tuple(_setting(name, api, populations[api.top_s]) for name, api in settings.items())
    return SettingComparison(sizes.pop(), found)


def _setting(name: str, api: TopicsAPI, population: Population) -> SettingFigures:
    (sets, _), C = population.distinct_sets(), api.fit(population).observe(population.distinct_sets()[0])
    holders = grouped(population, population.channel("topics"))
    naming = membership_gain_from_codes(sets, sets.codes, population.topics)
    posterior, parameters = holders.reidentified_by(C), (api.n_topics, api.top_s, api.noise)
    return SettingFigures(
        name,
        *parameters,
        distinct_sets=sets.size,
        posterior=posterior,
        leakage=posterior / holders.best_user,
        bayes_capacity=theory.bayes_capacity(*parameters),
        epsilon=epsilon(C),
        max_case_capacity=max_case_capacity(C),
        prior_utility=vulnerability(holders.prior, naming),
        utility=posterior_vulnerability(holders.prior, C, naming),
        genuine_probability=theory.genuine_probability(*parameters),
        prior_reconstruction=vulnerability(holders.prior),
        reconstruction=posterior_vulnerability(holders.prior, C),
    )
