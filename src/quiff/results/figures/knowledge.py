"""How well a secret is guessed after each observation, on average and posterior by posterior."""

from collections.abc import Sequence

from quiff.core.numbers import Number
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE, PERCENT


def knowledge_figure(name: str, steps: Sequence[tuple[Number, Sequence[tuple[Number, Number]]]]) -> Figure:
    """Draw the probability to guess the secret against the number of observations.

    Parameters
    ----------
    name
        What the program is called.
    steps
        For 0, 1, 2, ... observations the probability to guess the secret, and for each posterior how
        probable it is and with what probability the secret is guessed then: a circle with that area.

    Examples
    --------
    >>> knowledge_figure("bits", [(0.25, [(1.0, 0.25)]), (0.5, [(0.5, 0.5), (0.5, 0.5)])]).title
    'bits: what is known of the secret'
    """
    import altair as alt

    x = alt.X("observations:Q", title="observations", axis=alt.Axis(tickMinStep=1, format="d"))
    y = alt.Y(
        "guessed:Q",
        title="probability to guess the secret",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(labelExpr=PERCENT),
    )
    means = [{"observations": k, "guessed": float(mean)} for k, (mean, _) in enumerate(steps)]
    masses: dict[tuple[int, float], float] = {}
    for k, (_, best) in enumerate(steps):
        for p, most in best:
            masses[k, float(most)] = masses.get((k, float(most)), 0.0) + float(p)
    circles = [{"observations": k, "guessed": most, "share": p} for (k, most), p in masses.items()]
    size = alt.Size(
        "share:Q",
        title="probability of such a posterior",
        scale=alt.Scale(domain=[0, 1], range=[0, 400]),
        legend=alt.Legend(labelExpr=PERCENT),
    )
    found = alt.Chart(alt.InlineData(values=circles)).mark_circle(color=PALETTE[1], opacity=0.5)
    line = alt.Chart(alt.InlineData(values=means)).mark_line(color=PALETTE[0], point=True)
    chart = alt.layer(line.encode(x, y), found.encode(x, y, size)).properties(width=460, height=300)
    return Figure.of(f"{name}: what is known of the secret", chart)
