"""The common suite of tests that every API passes: those of quiff, and yours."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isclose, sqrt
from typing import Any, final

import numpy as np

from quiff.apis.base import Api, Limit, Unit, all_limits, checked_api, checked_people, parameters_of
from quiff.apis.registry import api_from, apis
from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.labels import Labels, SetLabels, as_labels, same
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import QuiffError, SizeError
from quiff.measures.capacity import bayes_capacity, max_case_capacity
from quiff.measures.privacy import epsilon
from quiff.measures.refinement import refines
from quiff.measures.vulnerability import leakage, posterior_vulnerability, vulnerability
from quiff.people.population import Population

_FEW = 40  # secrets that are looked at entry by entry
_SMALL = 4_000  # entries up to which refinement is decided by a linear program
_DRAWS = 4_000
_WIDE = 300_000  # entries from which on only some are looked at
_CLOSE = 1e-9


class ApiError(QuiffError, AssertionError):
    """An API breaks a rule that every API keeps; the message says which."""


def check_api(api: Api, people: Population, *, seed: int = 0) -> list[str]:
    """Run the common suite on an API, and return the names of the checks that it passed.

    The rules: rows of `observe` depend on the secret alone; `fit` changes nothing the second time; a user's
    row is that of the secret; the last stage is what is observed, later stages refine earlier ones; closed
    forms bound what is measured; more observations never reveal less; goals fit the secrets; draws follow the
    channel; names of users and weights of 1 change nothing.

    Parameters
    ----------
    api
        The API, with its parameters.
    people
        Some people with the attributes that it needs; a few dozen are enough.
    seed
        Of what is drawn.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> len(check_api(api, people)) > 15
    True

    Raises
    ------
    ApiError
        If a rule is broken.
    ParameterError
        If API or people are something else.
    """
    case = _Case.of(checked_api(api), checked_people(people), seed)
    passed = []
    for check in _CHECKS:
        try:
            check(case)
        except ApiError as error:
            raise ApiError(f"{api.spec}: {error}") from None
        passed.append(check.__name__.removeprefix("_").replace("_", " "))
    return passed


@final
@dataclass(frozen=True, eq=False)
class _Case:
    """An API fitted to people, and a few secrets of theirs that are looked at entry by entry."""

    api: Api
    people: Population
    rng: np.random.Generator
    ready: Api
    secret: Channel
    few: Labels

    @classmethod
    def of(cls, api: Api, people: Population, seed: int) -> "_Case":
        rng, ready = np.random.default_rng(seed), api.fit(people)
        secret = ready.secret(people)
        chosen = np.sort(rng.permutation(secret.outputs.size)[:_FEW])
        return cls(api, people, rng, ready, secret, _taken(secret.outputs, chosen))

    def observed(self) -> Channel:
        """Return what is observed of the few secrets."""
        return self.ready.observe(self.few)


def _taken(labels: Labels, index: Array) -> Labels:
    """Return some labels in another order, topic sets as topic sets."""
    if isinstance(labels, SetLabels):
        return SetLabels(labels.codes[index], labels.topics)
    return as_labels([labels[int(i)] for i in index])


def _rule(holds: bool, words: str) -> None:
    if not holds:
        raise ApiError(words)


def _same_rows(C: Channel, D: Channel, words: str) -> None:
    """Compare two channels by labels: entry by entry, or of very many outputs those of some draws."""
    if _wide(C) or _wide(D):
        _rule(same(C.outputs, D.outputs), f"{words}: the outputs differ")
        rows = D.inputs.positions(list(C.inputs))
        drawn = C.kernel.sample(np.arange(rows.size), np.random.default_rng(0))
        for shift in range(min(3, rows.size)):  # outputs of one secret, as others have them
            mine, other = np.roll(np.arange(rows.size), shift), np.roll(rows, shift)
            _rule(bool(np.allclose(C.kernel.cells(mine, drawn), D.kernel.cells(other, drawn))), words)
        return
    _rule(set(C.outputs) == set(D.outputs), f"{words}: the outputs differ")
    columns = D.outputs.positions(list(C.outputs))
    rows = D.inputs.positions(list(C.inputs))
    _rule(bool(np.allclose(_dense(C), _dense(D)[np.ix_(rows, columns)], atol=1e-12)), words)


def _wide(C: Channel) -> bool:
    return C.inputs.size * C.outputs.size > _WIDE


def _dense(C: Channel) -> Array:
    return np.asarray(C.to_numpy(), dtype=np.float64)


def _described(case: _Case) -> None:
    api = case.api
    _rule(bool(api.name and api.title and api.sees), "name, title and sees must be given")
    _rule(isinstance(api.unit, Unit), "unit must be a quiff.Unit")
    _rule(api.redraws in ("noise", "secret", "nothing"), "redraws must be noise, secret or nothing")
    _rule(isinstance(api.needs, tuple), "needs must be a tuple of attributes")


def _frozen(case: _Case) -> None:
    settings = getattr(case.api, "__dataclass_params__", None)
    _rule(settings is not None and settings.frozen, "an API is a frozen dataclass")


def _spec_names_the_setting(case: _Case) -> None:
    api = case.api
    if list(api.parameters()) == [each.name for each in parameters_of(type(api))]:
        again = type(api)(**api.parameters())
        _rule(again.spec == api.spec, "the same parameters must have the same spec")
    if apis().get(api.name) is type(api) and "/" not in api.spec.partition(":")[0]:
        try:
            read = api_from(api.spec)
        except QuiffError:
            return  # a parameter that no text holds, such as a mapping
        _rule(read.spec == api.spec, "the spec does not name the API that it is of")


def _fit_is_idempotent(case: _Case) -> None:
    again = case.ready.fit(case.people)
    _rule(again == case.ready, "fit changes an API that is fitted already")
    _same_rows(again.observe(case.few), case.observed(), "fit changes an API that is fitted already")


def _unfitted_says_so(case: _Case) -> None:
    try:
        C = case.api.observe(case.few)
    except QuiffError:
        return
    _same_rows(C, case.observed(), "without fit, observe answers something else instead of an error")


def _secrets_are_of_the_users(case: _Case) -> None:
    _rule(same(case.secret.inputs, case.people.users), "secret must be a channel from the users")


def _observes_the_secrets(case: _Case) -> None:
    C = case.observed()
    _rule(same(C.inputs, case.few), "observe must be a channel from the secrets it is given, in their order")


def _rows_do_not_depend_on_the_order(case: _Case) -> None:
    other = _taken(case.few, case.rng.permutation(case.few.size))
    _same_rows(case.ready.observe(other), case.observed(), "rows depend on the order of the secrets")


def _rows_do_not_depend_on_the_others(case: _Case) -> None:
    some = _taken(case.few, np.arange(0, case.few.size, 2))
    C, D = case.ready.observe(some), case.observed()
    words = "rows depend on which other secrets there are"
    if _wide(D):
        rows = D.inputs.positions(list(some))
        _same_rows(C, Channel.from_kernel(some, D.outputs, D.kernel.take_rows(rows)), words)
        return
    _rule(set(C.outputs) <= set(D.outputs), "the outputs depend on the other secrets: settle them in fit")
    part = _dense(C)
    whole = _dense(D)[np.ix_(D.inputs.positions(list(some)), D.outputs.positions(list(C.outputs)))]
    _rule(bool(np.allclose(part, whole, atol=1e-12)), words)


def _channel_is_secret_then_observe(case: _Case) -> None:
    users = _taken(case.people.users, np.arange(min(case.people.users.size, _FEW)))
    C, D = case.api.channel(case.people), case.secret @ case.ready.observe(case.secret.outputs)
    rows = C.inputs.positions(list(users))
    one, two = (Channel.from_kernel(users, E.outputs, E.kernel.take_rows(rows)) for E in (C, D))
    _same_rows(one, two, "channel is not secret @ observe")


def _last_stage_is_observed(case: _Case) -> None:
    stages = case.ready.stages(case.few)
    _same_rows(list(stages.values())[-1], case.observed(), "the last stage is not what is observed")


def _later_stages_refine_earlier_ones(case: _Case) -> None:
    stages = list(case.ready.stages(case.few).items())
    for (before, C), (after, D) in pairwise(stages):
        if C.outputs.size * D.outputs.size <= _SMALL:
            _rule(refines(D, C), f"the stage {after!r} shows what {before!r} before it does not")


def _limit(case: _Case, quantity: str) -> Limit | None:
    limits = (each for each in all_limits(case.ready) if each.quantity == quantity and not each.stage)
    return next(limits, None)


_MEASURES: dict[str, Callable[[Channel], Any]] = {
    "bayes_capacity": bayes_capacity,
    "epsilon": epsilon,
    "max_case_capacity": max_case_capacity,
}


def _limits_bound_what_is_measured(case: _Case) -> None:
    for quantity, measure in _MEASURES.items():
        limit = _limit(case, quantity)
        if limit is not None:
            most, here = float(limit.value), float(measure(case.observed()))
            _rule(here <= most * (1 + _CLOSE), f"{quantity} is {here:g}, above its limit {most:g}")


def _limits_are_met_over_all_secrets(case: _Case) -> None:
    space = case.ready.space()
    if space is None or space.size * case.observed().outputs.size > 100 * _SMALL:
        return
    for quantity, measure in _MEASURES.items():
        limit = _limit(case, quantity)
        if limit is not None and limit.bound == "equal":
            most, found = float(limit.value), float(measure(case.ready.observe(space)))
            equal = most == found or isclose(most, found, rel_tol=1e-6)
            _rule(equal, f"{quantity} over all secrets is {found:g}, but its limit says {most:g}")


def _limits_hold_for_any_prior_and_goal(case: _Case) -> None:
    limit = _limit(case, "bayes_capacity")
    if limit is None or limit.value == inf:
        return
    C, n = case.observed(), case.few.size
    for _ in range(5):
        prior = Prior.from_array(case.few, case.rng.dirichlet(np.full(n, 0.5)))
        gain = None if _wide(C) else Gain(case.rng.random((3, n)), inputs=case.few)
        found = float(leakage(prior, C, gain))
        _rule(found <= float(limit.value) * (1 + _CLOSE), f"a goal leaks {found:g}, above the capacity")


def _one_observation_is_observe(case: _Case) -> None:
    _same_rows(case.ready.over_time(case.few, 1), case.observed(), "over_time(1) is not observe")


def _more_observations_reveal_no_less(case: _Case) -> None:
    prior = Prior.uniform(case.few)
    try:
        one, two = (float(posterior_vulnerability(prior, case.ready.over_time(case.few, n))) for n in (1, 2))
    except SizeError:
        return
    _rule(two >= one * (1 - _CLOSE), "two observations reveal less than one")
    if case.ready.redraws == "nothing":
        _rule(isclose(one, two, rel_tol=_CLOSE), "nothing is drawn anew, but two observations reveal more")
    most = float(bayes_capacity(case.observed())) ** 2 * float(vulnerability(prior))
    _rule(two <= most * (1 + _CLOSE), "two observations reveal more than the square of the capacity")


def _goals_fit_the_secrets(case: _Case) -> None:
    prior, C = Prior.uniform(case.few), case.observed()
    for name, gain in case.ready.goals(case.few).items():
        _rule(same(gain.inputs, case.few), f"the goal {name!r} is not on the secrets")
        try:
            before, after = float(vulnerability(prior, gain)), float(posterior_vulnerability(prior, C, gain))
        except SizeError:  # too many outputs for this goal
            continue
        _rule(after >= before * (1 - _CLOSE), f"the goal {name!r} is harder to reach with an observation")
        _rule(after <= float(gain.largest) * (1 + _CLOSE), f"the goal {name!r} exceeds its largest gain")


def _draws_follow_the_channel(case: _Case) -> None:
    C = case.observed()
    if _wide(C):
        _draws_have_the_entropy(case, C)
        return
    for row in range(min(3, case.few.size)):
        drawn = C.kernel.sample(np.full(_DRAWS, row), case.rng)
        shares = np.bincount(drawn, minlength=C.outputs.size) / _DRAWS
        law = C.kernel.cells(np.full(C.outputs.size, row), np.arange(C.outputs.size)).astype(np.float64)
        error = np.abs(shares - law) / np.sqrt(np.maximum(law * (1 - law), 1 / _DRAWS) / _DRAWS)
        _rule(bool(error.max() < 4 + sqrt(2 * np.log(C.outputs.size))), "draws do not follow the channel")


def _draws_have_the_entropy(case: _Case, C: Channel) -> None:
    """Compare the mean of -log2 C[x,y] over draws of y with the entropy of the row of x."""
    rows = np.zeros(_DRAWS // 20, dtype=np.intp)
    likelihoods = C.kernel.cells(rows, C.kernel.sample(rows, case.rng)).astype(np.float64)
    if (likelihoods < 1e-300).any():  # what no float can hold tells nothing
        return
    logs = -np.log2(likelihoods)
    error = abs(float(logs.mean()) - float(C.kernel.row_entropies()[0]))
    _rule(error <= 5 * float(logs.std()) / sqrt(rows.size) + _CLOSE, "draws do not follow the channel")


def _leakage_of(api: Api, people: Population) -> float:
    return float(leakage(people.user_prior(), api.channel(people)))


def _names_of_users_do_not_matter(case: _Case) -> None:
    if case.people.merged:
        return
    renamed = case.people.replaced(users=as_labels([("user", k) for k in range(case.people.users.size)]))
    found, other = _leakage_of(case.api, case.people), _leakage_of(case.api, renamed)
    _rule(isclose(found, other, rel_tol=_CLOSE), "leakage depends on the names of the users")


def _weights_of_one_do_not_matter(case: _Case) -> None:
    if case.people.merged or case.people.weights is not None:
        return
    weighted = case.people.replaced(weights=np.ones(case.people.users.size, dtype=np.int64))
    found, other = _leakage_of(case.api, case.people), _leakage_of(case.api, weighted)
    _rule(isclose(found, other, rel_tol=_CLOSE), "leakage changes with weights that are all 1")


def _one_user_has_nothing_to_lose(case: _Case) -> None:
    if case.people.merged:
        return
    secret = case.ready.secret(case.people)
    C = secret @ case.ready.observe(secret.outputs)
    first = Channel.from_kernel(as_labels(["one"]), C.outputs, C.kernel.take_rows(np.array([0])))
    found = float(leakage(Prior.uniform(["one"]), first))
    _rule(isclose(found, 1, rel_tol=_CLOSE), "the only user there is leaks something")


_CHECKS: tuple[Callable[[_Case], None], ...] = (
    _described,
    _frozen,
    _spec_names_the_setting,
    _fit_is_idempotent,
    _unfitted_says_so,
    _secrets_are_of_the_users,
    _observes_the_secrets,
    _rows_do_not_depend_on_the_order,
    _rows_do_not_depend_on_the_others,
    _channel_is_secret_then_observe,
    _last_stage_is_observed,
    _later_stages_refine_earlier_ones,
    _limits_bound_what_is_measured,
    _limits_are_met_over_all_secrets,
    _limits_hold_for_any_prior_and_goal,
    _one_observation_is_observe,
    _more_observations_reveal_no_less,
    _goals_fit_the_secrets,
    _draws_follow_the_channel,
    _names_of_users_do_not_matter,
    _weights_of_one_do_not_matter,
    _one_user_has_nothing_to_lose,
)
