"""The limits and the counting probabilities of one set of parameters, in one picture."""

from quiff.errors import counted
from quiff.results.figures.counting import counting_chart
from quiff.results.figures.figure import Figure
from quiff.results.figures.limits import limits_chart
from quiff.results.figures.style import panel_title
from quiff.results.numbers import shown
from quiff.theory.parameters import HALF, Real


def overview_figure(n_topics: int = 349, top_s: int = 5, noise: Real = 0.05, share: Real = HALF) -> Figure:
    """Draw the limits of one report above, and the counting probabilities below.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> overview_figure(n_topics=469).title
    'The Topics API with 469 topics, sets of 5, noise 0.05'
    """
    import altair as alt

    limits = limits_chart(n_topics, top_s, noise).properties(
        title=panel_title("What one report can give away at most (the dot: these parameters)")
    )
    counting = counting_chart(n_topics, top_s, noise, share).properties(
        title=panel_title(
            f"Chance to learn who has a topic, if each user has it with probability {shown(share)}"
        )
    )
    chart = alt.vconcat(limits, counting, spacing=36).resolve_scale(
        color="independent", shape="independent", strokeDash="independent"
    )
    title = f"The Topics API with {counted(n_topics, 'topic')}, sets of {top_s}, noise {shown(noise)}"
    return Figure.of(title, chart)
