"""A browser's state and operations, step by step as the draft has them; numbers of steps are the draft's."""

import random
from collections.abc import Iterable
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple, final

from quiff.attribution.credit import Flip, last_n_touch
from quiff.attribution.options import (
    DAY,
    MICRO,
    Config,
    Conversion,
    Impression,
    parse_site,
    registrable_domain,
    validated_conversion,
    validated_impression,
)
from quiff.attribution.rules import DRAFT, Rules
from quiff.errors import ParameterError

_HOUR = 3600
_KEPT = 64  # entries of a store below which it is not searched for what has expired


class Charge(NamedTuple):
    """What one conversion took from the budgets of one epoch, in microepsilons."""

    epoch: int
    site: str
    of_site: int
    shared: int  # of the global budget, and of the quota of each of
    impression_sites: tuple[str, ...]


class Report(NamedTuple):
    """What a conversion gives: the histogram, which is then encrypted, and what was charged for it."""

    histogram: list[int]
    charges: tuple[Charge, ...] = ()


@final
class Browser:
    """One browser profile.

    Parameters
    ----------
    config
        The values that implementations choose.
    rules
        Which text is followed where intent, text and code differ.
    flip
        What draws True with a given probability, where credit is rounded; by default random, or as the
        configuration fixes it.
    seed
        The random seed; by default the system's randomness.

    Examples
    --------
    >>> browser = Browser(Config(epoch_start=0.5))
    >>> browser.save_impression(1, "publisher.example", histogram_index=2)
    >>> service = "https://agg-service.example"
    >>> report = browser.measure_conversion(
    ...     2, "shop.example", aggregation_service=service, histogram_size=3, lookback_days=1
    ... )
    >>> report.histogram, report.charges[0].of_site, browser.site_budgets
    ([0, 0, 1], 500000, {(0, 'shop.example'): 500000})
    """

    def __init__(
        self,
        config: Config | None = None,
        rules: Rules = DRAFT,
        *,
        flip: Flip | None = None,
        seed: int | None = None,
    ) -> None:
        self.config, self.rules = config or Config(), rules
        self._seed = seed
        self._flip = flip or self._drawn
        self._period = (self.rules.epoch_days or self.config.privacy_budget_epoch_days) * DAY
        self._now = 0
        self._room = _KEPT
        self.enabled = True
        self.impressions: list[Impression] = []
        self.epoch_start: int | None = None
        self.last_clear: int | None = None
        self.site_budgets: dict[tuple[int, str], int] = {}
        self.quotas: dict[tuple[int, str], int] = {}
        self.global_budgets: dict[int, int | None] = {}  # None: what comes of decrementing an unset entry

    @cached_property
    def _random(self) -> random.Random:
        return random.Random(self._seed)  # noqa: S311 - a model, not a browser

    def _drawn(self, p: float) -> bool:
        fixed = self.config.fairly_allocate_credit_fraction
        return (self._random.random() if fixed is None else fixed) < p

    def _clock(self, now: int) -> int:
        if now < self._now:
            raise ParameterError(
                f"the time {now} is before {self._now}; times do not go back", what="the time", value=now
            )
        self._now = now
        return now

    # Epochs

    def epoch(self, t: int) -> int:
        """Return the index of the epoch of a moment: "get the current epoch"."""
        if self.epoch_start is None:  # 2
            fixed = self.config.epoch_start
            share = self._random.random() if fixed is None else fixed
            self.epoch_start = int((t - share * self._period) // _HOUR) * _HOUR  # 2.1 to 2.4
        return (t - self.epoch_start) // self._period  # 3 to 5

    def _starting_epoch(self, now: int) -> int:
        """Return the first epoch that is looked at: "get the starting epoch for attribution"."""
        start = self.epoch(now - self.config.max_lookback_days * DAY)  # 1, 2
        if self.last_clear is not None:  # 3
            return max(start, self.epoch(self.last_clear) + 1)
        return start  # 4

    # Impressions

    def save_impression(self, now: int, site: str, intermediary: str | None = None, **options: Any) -> None:
        """Save an impression; the options are those of `validated_impression`."""
        site, intermediary = _implicit_inputs(site, intermediary)
        impression = validated_impression(self.config, self._clock(now), site, intermediary, **options)  # 5
        if self.enabled:  # 6.2
            self.impressions.append(impression)
            if len(self.impressions) > self._room:
                self._maintain(now)

    def _maintain(self, now: int) -> None:
        """Drop what no later conversion can reach: expired impressions, and budgets of epochs long past."""
        self.impressions = [i for i in self.impressions if now <= i.timestamp + i.lifetime]
        if self.epoch_start is not None:
            first = self.epoch(now - self.config.max_lookback_days * DAY)
            self.site_budgets = {key: left for key, left in self.site_budgets.items() if key[0] >= first}
            self.quotas = {key: left for key, left in self.quotas.items() if key[0] >= first}
            self.global_budgets = {e: left for e, left in self.global_budgets.items() if e >= first}
        self._room = max(_KEPT, 2 * len(self.impressions))

    def clear_impressions_for_site(self, now: int, host: str) -> None:
        """Clear-Site-Data: "clear impressions for a site"."""
        self._clock(now)
        site = registrable_domain(host)  # 2
        self.impressions = [kept for i in self.impressions if (kept := _without(i, site)) is not None]  # 3

    def clear_browsing_history(self, now: int, sites: Iterable[str] = (), *, forget_visits: bool) -> None:
        """Clear all history, or that with some sites: "clear browsing history for attribution"."""
        self._clock(now)
        chosen = sorted(set(map(parse_site, sites)))
        if not forget_visits:  # 1
            if not chosen:  # 1.1
                raise ParameterError("sites are missing: forgetVisits is false, so name the sites to clear")
            first, last = self._starting_epoch(now), self.epoch(now)  # 1.2.1, 1.2.2
            for site in chosen:  # 1.2
                self.site_budgets |= {(epoch, site): 0 for epoch in range(first, last + 1)}  # 1.2.3
            return  # 1.3
        if not chosen:  # 2
            self.impressions, self.site_budgets, self.quotas, self.global_budgets = [], {}, {}, {}
        else:  # 3; the global budgets stay
            self.impressions = [i for i in self.impressions if i.site not in chosen]
            self.site_budgets = {k: left for k, left in self.site_budgets.items() if k[1] not in chosen}
            self.quotas = {k: left for k, left in self.quotas.items() if k[1] not in chosen}
        self.last_clear = now  # 4

    # Conversions

    def measure_conversion(
        self, now: int, site: str, intermediary: str | None = None, **options: Any
    ) -> Report:
        """Measure a conversion; the options are those of `validated_conversion`."""
        site, intermediary = _implicit_inputs(site, intermediary)
        validated = validated_conversion(self.config, **options)  # 5
        self._clock(now)
        if not self.enabled:  # 7.1, 7.2
            return Report([0] * validated.histogram_size)
        return self._attribute(validated, site, site if intermediary is None else intermediary, now)

    def _attribute(self, options: Conversion, site: str, caller: str, now: int) -> Report:
        """Return "do attribution and fill a histogram"."""
        current = self.epoch(now)  # 1
        start = self._starting_epoch(now)  # 2
        earliest = self.epoch(now - options.lookback)  # 3
        found = self._matching(options, site, caller, now)
        if self.rules.over_used == "site":
            found = self._within_quotas(found, options)
        if self.rules.budget_of == "caller":
            site = caller
        zeros = Report([0] * options.histogram_size)
        only = current if current == earliest else None  # 4: the epoch, if it is a single one
        if self.rules.single_by == "matched":
            only = next(iter(found)) if len(found) == 1 else None
        l1 = 0  # 5
        charged_for: list[int] = []
        if only is not None:  # 6
            if only not in found:  # 6.2
                return zeros
            charged_for = last_n_touch(found[only], options, self._flip)  # 6.3
            l1 = sum(charged_for)  # 6.4
        matched: list[Impression] = []  # 9
        charges = []
        epochs = [epoch for epoch in sorted(found) if start <= epoch <= current]  # 10
        newest_first = self.rules.charged == "attributed"
        for epoch in reversed(epochs) if newest_first else epochs:
            charge = self._deduct(epoch, site, found[epoch], options, None if only is None else l1)  # 10.2.2
            if charge is not None:  # 10.2.3
                charges.append(charge)
                matched += found[epoch]
                if newest_first:
                    break
        if not matched:  # 11
            return zeros
        if only is not None and self.rules.one_rounding:
            return Report(charged_for, tuple(charges))
        return Report(last_n_touch(matched, options, self._flip), tuple(charges))  # 12, 13

    def _matching(self, options: Conversion, site: str, caller: str, now: int) -> dict[int, list[Impression]]:
        """Return the matching impressions of each epoch that has some: "common matching logic", for all."""
        found: dict[int, list[Impression]] = {}
        for i in self.impressions:  # 2
            if now > i.timestamp + i.lifetime or now > i.timestamp + options.lookback:  # 2.3, 2.4
                continue
            if i.conversion_sites and site not in i.conversion_sites:  # 2.5
                continue
            if i.conversion_callers and caller not in i.conversion_callers:  # 2.6, 2.7
                continue
            if options.match_values and i.match_value not in options.match_values:  # 2.8
                continue
            if options.impression_sites and i.site not in options.impression_sites:  # 2.9
                continue
            if options.impression_callers and i.caller not in options.impression_callers:  # 2.10, 2.11
                continue
            found.setdefault(self.epoch(i.timestamp), []).append(i)  # 2.1, 2.2, 2.12
        return found

    def _within_quotas(
        self, found: dict[int, list[Impression]], options: Conversion
    ) -> dict[int, list[Impression]]:
        """Leave out the impressions of sites whose quota is spent, as the group's issue 374 wishes."""
        shared = ceil(options.value / options.max_value * options.epsilon * MICRO)
        quota = self.config.impression_site_quota_per_epoch
        kept = {
            epoch: [i for i in impressions if shared <= self.quotas.get((epoch, i.site), quota)]
            for epoch, impressions in found.items()
        }
        return {epoch: impressions for epoch, impressions in kept.items() if impressions}

    # Budgets

    def _deduct(
        self, epoch: int, site: str, impressions: list[Impression], options: Conversion, l1: int | None
    ) -> Charge | None:
        """Charge one epoch, if all budgets suffice: "deduct privacy and safety budgets".

        `l1` is the histogram's sum if the conversion is one of a single epoch, else None.
        """
        scale = 2 * options.max_value / options.epsilon  # 3
        shared = ceil(2 * options.value / scale * MICRO)  # 2, 5, 7
        of_site = shared if l1 is None else ceil(l1 / scale * MICRO)  # 1, 4, 6
        sites = tuple(dict.fromkeys(i.site for i in impressions))
        if not self._suffices(epoch, site, of_site, shared, sites):  # 9
            return None
        config, rules = self.config, self.rules
        left = self.site_budgets.get((epoch, site), config.per_site_privacy_budget)  # 10.2
        self.site_budgets[epoch, site] = left - of_site  # 10.3
        whole = config.global_privacy_budget_per_epoch if rules.global_starts_full else None
        remains = self.global_budgets.get(epoch, whole)
        self.global_budgets[epoch] = None if remains is None else remains - shared  # 10.5
        if rules.quotas_are_stored:
            for key in ((epoch, name) for name in sites):  # 10.6
                self.quotas[key] = self.quotas.get(key, config.impression_site_quota_per_epoch) - shared
        return Charge(epoch, site, of_site, shared, sites)

    def _suffices(self, epoch: int, site: str, of_site: int, shared: int, sites: tuple[str, ...]) -> bool:
        """Return "check for available privacy budget"."""
        config = self.config
        if of_site > self.site_budgets.get((epoch, site), config.per_site_privacy_budget):  # 3
            return False
        left = self.global_budgets.get(epoch, config.global_privacy_budget_per_epoch)  # 5
        if left is not None and shared > left:  # 6
            return False
        quota = config.impression_site_quota_per_epoch
        return all(shared <= self.quotas.get((epoch, name), quota) for name in sites)  # 7


def _implicit_inputs(site: str, intermediary: str | None) -> tuple[str, str | None]:
    """Return the top-level site, and the intermediary's unless it is the same: "implicit API inputs"."""
    top = parse_site(site)
    other = None if intermediary is None else parse_site(intermediary)
    return top, None if other == top else other


def _without(impression: Impression, site: str | None) -> Impression | None:
    """Return what is left of an impression when a site clears its own."""
    if impression.caller == site:  # 3.1, 3.2
        return None
    sites, callers = impression.conversion_sites, impression.conversion_callers
    if site in sites:  # 3.3
        sites -= {site}
        if not sites:
            return None
    if site in callers:  # 3.4
        callers -= {site}
        if not callers:
            return None
    return impression._replace(conversion_sites=sites, conversion_callers=callers)
