"""Questions about the W3C Attribution API: what events give, what is revealed, and whether budgets hold."""

from collections.abc import Callable

from quiff.attribution.checker import check_worlds
from quiff.attribution.events import play, read_config, read_events
from quiff.attribution.rules import rules_named
from quiff.files import StrPath
from quiff.results.result import Provenance, Result
from quiff.results.views.attribution import checked_views, played_views
from quiff.theory.parameters import check_whole

_SOURCE = "w3c/attribution at 9fab4e8 (14 May 2026), api.bs"


def play_events(
    events: StrPath, config: StrPath | None = None, *, rules: str = "draft", seed: int | None = None
) -> Result:
    """Play a file of events on a browser with the W3C Attribution API.

    Parameters
    ----------
    events, config
        Files in the format of the group's own end-to-end tests; by default the configuration is theirs too,
        but for the epoch's start and the rounding of credit, which are drawn.
    rules
        ``draft``, ``draft-literal`` or ``reference``.
    seed
        The random seed of what the configuration does not fix; by default the system's randomness.

    Raises
    ------
    ParameterError
        If a file cannot be read; the message says where and why.
    """
    chosen = rules_named(rules)
    happened, own = read_events(events)
    given = None if config is None else read_config(config)
    steps, browser = play(happened, own or given, chosen, seed=seed)
    call = f"quiff.play_events({str(events)!r}, rules={rules!r}, seed={seed!r})"
    return Result(
        rows=(),
        provenance=Provenance(call, seed=seed, sources=(_SOURCE,)),
        **played_views(steps, browser),
    )


def check_budgets(
    size: int = 2,
    *,
    rules: str = "draft",
    limit: int | None = None,
    tell: Callable[[str, float], None] | None = None,
) -> Result:
    """Check the budgets of the W3C Attribution API on all worlds of at most `size` impressions and queries.

    For every world and each of its neighbours, which is without the impressions of one epoch, the exact
    privacy loss to each conversion site is compared with that site's budget, and the loss to all of them with
    the global budget. The first world that violates one is a smallest.

    Parameters
    ----------
    size
        At most so many impressions, and so many queries, in 3 epochs and on 2 conversion sites.
    rules
        ``draft``, ``draft-literal``, ``reference``, or the draft but for one rule: ``attributed-epoch``,
        ``single-by-match``, ``two-roundings``, ``unset-global``.
    limit
        Go through at most so many worlds.
    tell
        Is told how far it is.

    Examples
    --------
    >>> from quiff import check_budgets
    >>> check_budgets(1).facts["violation"] is None
    True
    """
    found = check_worlds(
        check_whole("size", size, 1, 6),
        rules_named(rules),
        limit=None if limit is None else check_whole("limit", limit, 1),
        tell=tell,
    )
    return Result(
        rows=(),
        provenance=Provenance(f"quiff.check_budgets({size}, rules={rules!r})", sources=(_SOURCE,)),
        **checked_views(found),
    )
