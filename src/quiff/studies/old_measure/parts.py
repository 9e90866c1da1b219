"""The three tables of a measurement: privacy by step, utility by channel, and limits."""

from fractions import Fraction

from quiff import theory
from quiff.apis.topics import TopicsAPI
from quiff.core.channel import Channel
from quiff.core.gain import Gain, membership_gain_from_codes
from quiff.core.labels import as_labels
from quiff.core.prior import Prior
from quiff.measures.capacity import bayes_capacity, max_case_capacity
from quiff.measures.differential_privacy import epsilon
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.populations.groups import Groups
from quiff.populations.population import Population
from quiff.results.measurement.rows import Limit, StagePrivacy, Use
from quiff.studies.old_measure.seen import Seen


def privacy_by_stage(
    api: TopicsAPI, holders: Groups, seen: Seen | None, channels: dict[str, Channel], occurring: int
) -> tuple[StagePrivacy, ...]:
    """Return the chance to name the user after each step, and the most that the step allows.

    Parameters
    ----------
    channels
        The channels from distinct sets to one topic: ``bounded_noise`` and ``topics_api``.
    occurring
        m', the number of topics that occur.
    """
    N, s, r = holders.n_users, api.top_s, api.noise
    posteriors = {
        "cookies": Fraction(1) if seen is None else seen.named_by_cookie(),
        "generalization": holders.by_secret,
        **{name: holders.reidentified_by(C) for name, C in channels.items()},
    }
    capacities = [
        {
            "cookies": Fraction(N),
            "generalization": theory.generalization_capacity(m, s, N),
            "bounded_noise": theory.bounded_noise_capacity(m, s),
            "topics_api": theory.bayes_capacity(m, s, r),
        }
        for m in (api.n_topics, occurring)
    ]
    return tuple(
        StagePrivacy(stage, holders.best_user, posterior, *(bound[stage] for bound in capacities))
        for stage, posterior in posteriors.items()
    )


def use_of_histories(holders: Groups, seen: Seen | None) -> tuple[Use, ...]:
    """Return how well browsing histories are told by C_U, which shows them, and by C_G, which shows sets.

    Without histories everybody is taken to have one of their own: then a history is named as a user is.
    """
    if seen is None:
        N = holders.n_users
        before = {"population": holders.best_user, "uniform": Fraction(1, N)}
        by_set = {"population": holders.by_secret, "uniform": Fraction(holders.secrets.size, N)}
    else:
        priors = {"population": seen.prior(), "uniform": Prior.uniform(as_labels(range(seen.n_histories)))}
        pairs = {weighting: seen.reconstructed(prior) for weighting, prior in priors.items()}
        before = {weighting: pair[0] for weighting, pair in pairs.items()}
        by_set = {weighting: pair[1] for weighting, pair in pairs.items()}
    certain = dict.fromkeys(before, Fraction(1))  # C_U is the identity on histories
    return tuple(
        Use(stage, "bayes", weighting, before[weighting], after[weighting])  # type: ignore[arg-type]
        for stage, after in (("cookies", certain), ("generalization", by_set))
        for weighting in before
    )


def use_of_sets(
    population: Population, priors: dict[str, Prior], channels: dict[str, Channel]
) -> tuple[Use, ...]:
    """Return how well a topic tells the set it is from, and a topic of it, under some priors on sets.

    Parameters
    ----------
    priors
        The priors on sets: that of the ``population``, or what is put in its place, and the ``uniform`` one.
    channels
        The channels from distinct sets to one topic.
    """
    sets, _ = population.distinct_sets()
    gains: dict[str, Gain | None] = {
        "bayes": None,
        "iba": membership_gain_from_codes(sets, sets.codes, population.topics),
    }
    return tuple(
        Use(
            stage,
            goal,  # type: ignore[arg-type]
            weighting,  # type: ignore[arg-type]
            vulnerability(weights, gain),
            posterior_vulnerability(weights, C, gain),
        )
        for goal, gain in gains.items()
        for stage, C in channels.items()
        for weighting, weights in priors.items()
    )


def limits(api: TopicsAPI, report: Channel, occurring: int) -> tuple[Limit, ...]:
    """Return the limits by formula, with m and with m' where they differ, and those of the channel.

    Parameters
    ----------
    report
        The channel from distinct sets to the reported topic.
    occurring
        m', the number of topics that occur.
    """
    s, r = api.top_s, api.noise
    bases = [("taxonomy", api.n_topics)] + [("occurring", occurring)] * (occurring < api.n_topics)
    formulas = [
        Limit(
            basis,  # type: ignore[arg-type]
            m,
            theory.bayes_capacity(m, s, r),
            theory.epsilon(m, s, r),
            theory.max_case_capacity(m, s, r),
        )
        for basis, m in bases
    ]
    own = Limit("channel", api.n_topics, bayes_capacity(report), epsilon(report), max_case_capacity(report))
    return (*formulas, own)
