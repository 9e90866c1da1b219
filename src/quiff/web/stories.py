"""Designs to begin with, two side by side, and what to look for in each pair."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Story:
    """Two designs, and a sentence on why they stand side by side."""

    group: str
    title: str
    text: str
    api: str
    api2: str = ""
    picture: str = "time"
    observations: int = 4


def stories() -> tuple[Story, ...]:
    """Return the stories of the page.

    Examples
    --------
    >>> [story.title for story in stories() if "epsilon" in story.text]
    ["The W3C draft's epsilon: 1 and 10", 'Ten times the noise']
    """
    from quiff.papers.presets import presets
    from quiff.theory.browser_apis import GATES

    topics, larger, *others = presets().items()
    what_ifs = [each for each in others if "what-if" in each[0]]
    gate = (
        f"A browser refuses a click whose reports could carry more than {GATES['click']:g} bits. A is what it"
        " allows by default; B has 32 trigger data. What the gate says of each stands below the numbers."
    )
    return (
        Story(
            "Topics",
            "Topics and the cookie",
            "A topic a week, drawn at random now and then, beside the third-party cookie that it was to"
            " replace.",
            topics[1],
            "cookies",
        ),
        Story(
            "Topics",
            "A larger taxonomy",
            "Version 2 of the taxonomy has more topics, so that each of them says more about a person.",
            topics[1],
            larger[1],
        ),
        Story(
            "Topics",
            "The crowd that is left",
            "Among how many people is a person still hidden, after one observation, after two? Move their"
            " number.",
            topics[1],
            picture="crowd",
            observations=2,
        ),
        *(
            Story(
                "The paper's what-ifs",
                name.removeprefix("Paper's what-if: "),
                "The paper asks which settings of a taxonomy of 629 topics (B) reveal no more than version 1"
                " does (A): larger sets, or more noise.",
                topics[1],
                spec,
            )
            for name, spec in what_ifs
        ),
        Story(
            "Attribution", "The event-level gate", gate, "event_level", "event_level:trigger_data=32", "guess"
        ),
        Story(
            "Attribution",
            "A click and a view",
            "A click may tell far more than a view: more trigger data, more windows, more reports.",
            "event_level",
            "event_level:source_type=view",
            "guess",
        ),
        Story(
            "Attribution",
            "The W3C draft's epsilon: 1 and 10",
            "The draft leaves epsilon open. What one unlucky observation can tell grows as e to the power of"
            " epsilon; what it tells on average grows more slowly.",
            "w3c_attribution:epsilon=1",
            "w3c_attribution:epsilon=10",
            "guess",
        ),
        Story(
            "Attribution",
            "Ten times the noise",
            "Aggregatable reports with the largest epsilon that is offered (A), and with a tenth of it (B).",
            "aggregatable:epsilon=64",
            "aggregatable:epsilon=6.4",
            "parameter",
        ),
    )
