"""The rules of the browser, each of them an option: one can be switched off, and its effect measured."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, final

from quiff.errors import ParameterError
from quiff.theory.parameters import Real, check_probability, check_whole

_OFF: dict[str, dict[str, Any]] = {
    "noise": {"noise": 0},
    "three_epochs": {"epochs_per_call": 1},
    "each_once": {"each_once": False},
    "per_site": {"per_site": False},
    "switch_delay": {"switch_delay": False},
    "witness_filter": {"witness_filter": False},
    "noise_after_filter": {"noise_after_filter": False},
    "padding": {"padding": False},
    "utility_buckets": {"utility_buckets": False},
    "blocking": {"blocked": frozenset()},
}

RULES = tuple(_OFF)


@final
@dataclass(frozen=True)
class BrowserRules:
    """How a browser makes its reports; the defaults are those of the public draft specification.

    Examples
    --------
    >>> BrowserRules().noise, BrowserRules().without("noise").noise
    (0.05, Fraction(0, 1))
    """

    top_s: int = 5  # s, how many top topics a browser keeps of an epoch
    noise: Real = 0.05  # r, the probability that a topic is replaced by a random one of the taxonomy
    epochs_per_call: int = 3  # how many epochs a call shows
    each_once: bool = True  # a call shows its topics sorted and each one once; else epoch by epoch
    per_site: bool = True  # each site has a choice of its own; else all see the same topic of an epoch
    switch_delay: bool = True  # a site is switched to a new epoch with a delay of its own, up to two days
    witness_filter: bool = True  # a caller must have observed a topic, or one below it, in three weeks
    noise_after_filter: bool = True  # so that who gets nothing gets no noise either
    padding: bool = True  # a set short of s is filled with random topics; else its places stay empty
    utility_buckets: bool = True  # topics of high utility rank before all others
    blocked: frozenset[Hashable] = frozenset()  # topics that the user does not want to be reported

    def __post_init__(self) -> None:
        for name in ("top_s", "epochs_per_call"):
            vars(self)[name] = check_whole(name, getattr(self, name), 1)
        vars(self).update(noise=check_probability("noise", self.noise), blocked=frozenset(self.blocked))

    @classmethod
    def of(
        cls,
        topics: Iterable[Hashable],
        top_s: int,
        noise: Real,
        without: Iterable[str] = (),
        blocked: Iterable[str] = (),
    ) -> "BrowserRules":
        """Return the specified rules without some, named with dashes or not, and with blocked topics."""
        named = {str(topic): topic for topic in topics}
        block = frozenset(named.get(topic, topic) for topic in blocked)
        rules = cls(top_s=top_s, noise=noise, blocked=block)
        return rules.without(*(rule.replace("-", "_") for rule in without))

    def without(self, *rules: str) -> "BrowserRules":
        """Return these rules with some of `RULES` switched off."""
        changes: dict[str, Any] = {}
        for rule in rules:
            if rule not in _OFF:
                raise ParameterError(what="a rule", value=rule, allowed=f"one of {', '.join(RULES)}")
            changes |= _OFF[rule]
        return replace(self, **changes)
