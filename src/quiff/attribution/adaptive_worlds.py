"""The search for the smallest world in which a site learns too much from another that acts on its result."""

from collections.abc import Iterator

from quiff.attribution.checker import TOLERANCE, Checked, Violation
from quiff.attribution.events import events_from
from quiff.attribution.neighbours import pair_losses
from quiff.attribution.options import MICRO
from quiff.attribution.rules import Rules
from quiff.attribution.worlds import EPOCHS, SITES, Query, Seen, World, events_of, queries, shared_limits
from quiff.progress import tell

_NAME = "never reached"  # by shared limits: what is asked is whether a site's own budget holds


def check_adaptive_worlds(events: int, rules: Rules, *, limit: int | None = None) -> Checked:
    """Check all worlds of at most so many events in which one event depends on an earlier result.

    An event with a condition happens if bucket 0 of the noisy result of an earlier query is above one half.
    Credit is [1], and there are as many buckets as epochs. The loss to each site that does not see that
    result is compared with its budget; who sees it may act on it by the draft's own analysis.

    Examples
    --------
    >>> from quiff.attribution.rules import DRAFT
    >>> check_adaptive_worlds(4, DRAFT).violation is None
    True
    """
    size = EPOCHS
    config = shared_limits(size, rules)[_NAME]
    budget, largest, worlds, pairs = config.per_site_privacy_budget / MICRO, 0.0, 0, 0
    level: list[World] = [(Seen(0, 0),)]
    violation = None
    for length in range(2, events + 1):
        grown = []
        for place, world in enumerate(level):
            if place % 64 == 0:
                tell(f"{length} of {events} events, sites that act", place / len(level))
            for event in _next(world, size):
                longer = (*world, event)
                worlds += 1
                grown.append(longer)
                if not _tells(longer):
                    continue
                for removed in sorted({event.epoch for event in longer if isinstance(event, Seen)}):
                    here, _ = events_from(events_of(longer, config, size))
                    there, _ = events_from(events_of(longer, config, size, removed))
                    pairs += 1
                    for found in pair_losses(here, there, config, rules):
                        if found.observer not in _unaware(longer):
                            continue
                        largest = max(largest, found.loss / budget)
                        if found.loss > (budget if violation is None else violation.loss) + TOLERANCE:
                            violation = Violation(
                                longer, removed, found.observer, found.loss, budget, _NAME, config
                            )
                if limit is not None and worlds >= limit:
                    return Checked(rules, size, worlds, worlds, pairs, largest, violation, False)
        if violation is not None:  # of the smallest the one that reveals most
            break
        level = grown
    return Checked(rules, size, worlds, worlds, pairs, largest, violation, True)


def _next(world: World, size: int) -> Iterator[Seen | Query]:
    """Yield the events that may come next; buckets, epochs and sites are numbered as they come."""
    asked = [event for event in world if isinstance(event, Query)]
    seen = [event for event in world if isinstance(event, Seen)]
    last = world[-1].epoch
    used = any(event.when is not None for event in world)
    whens: list[int | None] = [None] if used else [None, *range(len(asked))]
    newest, buckets = max(event.epoch for event in seen), max(event.bucket for event in seen) + 2
    for when in whens:
        for epoch in range(last, min(max(newest, last) + 2, EPOCHS)):
            for bucket in range(min(buckets, size)):
                yield Seen(epoch, bucket, when)
        for epoch in range(last, newest + 1):
            for query in queries(epoch, range(2 if asked else 1)):
                if query.touches == 1 and (when is None or query.site != asked[when].site):
                    yield query._replace(when=when)


def _unaware(world: World) -> set[str]:
    """Return the sites that do not see the result on which an event depends."""
    asked = [event for event in world if isinstance(event, Query)]
    aware = {SITES[asked[event.when].site] for event in world if event.when is not None}
    return {*SITES} - aware


def _tells(world: World) -> bool:
    """Whether a site that does not see the result asks last, the event that depends on it or one after it."""
    depends = next((place for place, event in enumerate(world) if event.when is not None), None)
    if depends is None:
        return False
    later = (event for event in world[depends:] if isinstance(event, Query))
    return isinstance(world[-1], Query) and any(SITES[event.site] in _unaware(world) for event in later)
