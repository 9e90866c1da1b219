"""How well a secret is guessed after each observation, on average and posterior by posterior."""

from collections.abc import Sequence

from quiff.core.numbers import Number
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE, PERCENT


def knowledge_figure(
    name: str, guessed: Sequence[Number], posteriors: Sequence[Sequence[Sequence[float]]]
) -> Figure:
    """Draw the probability to guess the secret against the number of observations.

    Parameters
    ----------
    name
        What the program is called.
    guessed
        The probability to guess the secret after 0, 1, 2, ... observations.
    posteriors
        For each of them, with what probability the secret is guessed, and how probable a posterior is of
        which this is so: a circle with that area.

    Examples
    --------
    >>> knowledge_figure("bits", [0.25, 0.5], [[(0.25, 1.0)], [(0.5, 1.0)]]).title
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
    means = [{"observations": k, "guessed": float(mean)} for k, mean in enumerate(guessed)]
    circles = [
        {"observations": k, "guessed": most, "share": share}
        for k, step in enumerate(posteriors)
        for most, share in step
    ]
    size = alt.Size(
        "share:Q",
        title="probability of such a posterior",
        scale=alt.Scale(domain=[0, 1], range=[0, 400]),
        legend=alt.Legend(labelExpr=PERCENT),
    )
    dots = alt.Chart(alt.InlineData(values=circles)).mark_circle(color=PALETTE[1], opacity=0.5)
    line = alt.Chart(alt.InlineData(values=means)).mark_line(color=PALETTE[0], point=True)
    chart = alt.layer(line.encode(x, y), dots.encode(x, y, size)).properties(width=460, height=300)
    return Figure.of(f"{name}: what is known of the secret", chart)
