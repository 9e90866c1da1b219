"""The sections on several epochs: studies that are fitted to the epochs that a population has sets for."""

from collections.abc import Sequence

from quiff.apis.topics import TopicsAPI
from quiff.epochs.plan import EXACT_IT
from quiff.errors import SizeError
from quiff.populations.population import Population
from quiff.report.page import Section
from quiff.report.sections import attacks_section, epochs_section, left_out
from quiff.studies.attacks import attack
from quiff.studies.over_time import Told, over_time

_EARLIER = 2  # epochs before its own that a first call shows, as specified


def study_epochs(
    population: Population,
    api: TopicsAPI,
    epochs: int,
    *,
    seed: int = 0,
    progress: Told | None = None,
) -> Section:
    """Measure what the reports of 1 to `epochs` epochs give away, or of as many as there are sets for.

    What would take too long or too much memory is not done, and the section says so.

    Examples
    --------
    >>> section = study_epochs(Population.synthetic(50, seed=1), TopicsAPI(), 2)
    >>> [row[0] for row in section.tables[0].rows]
    [1, 2]
    """
    most = epochs if population.n_epochs == 1 else min(epochs, population.n_epochs)
    try:
        return epochs_section(over_time(population, api, most, seed=seed, progress=progress))
    except SizeError as error:
        return left_out("epochs", f"Not measured: {str(error).removesuffix(EXACT_IT)}.")


def study_attacks(
    population: Population,
    api: TopicsAPI,
    epochs: Sequence[int],
    *,
    seeds: int,
    seed: int = 0,
    progress: Told | None = None,
) -> Section:
    """Run the published attacks after some numbers of epochs, or after as many as there are sets for.

    Sets for n epochs, of which the first call shows two before its own (or fewer, if there are not so many),
    last for n - 2 calls.

    Examples
    --------
    >>> from quiff import drift
    >>> people = drift(Population.synthetic(50, seed=1), 5, 0.1, seed=1)
    >>> section = study_attacks(people, TopicsAPI(), (1, 5, 10), seeds=1)
    >>> [row[0] for row in section.tables[0].rows]
    [1, 3]
    """
    earlier = _EARLIER
    if population.n_epochs > 1:
        earlier = min(_EARLIER, population.n_epochs - 1)
        last = min(epochs[-1], population.n_epochs - earlier)
        epochs = [*(number for number in epochs if number < last), last]
    found = attack(
        population,
        api,
        observations=epochs,
        seeds=seeds,
        sample=300,
        earlier=earlier,
        seed=seed,
        progress=progress,
    )  # fmt: skip
    return attacks_section(found)
