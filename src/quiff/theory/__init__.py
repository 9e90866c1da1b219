"""The closed forms: privacy and utility from the parameters m, m', s, r, N, c, E alone.

Nothing here builds a channel, which makes it the independent oracle of all that does. In formulas m is
``n_topics``, m' ``occurring``, s ``top_s``, r ``noise``, N ``n_users``, c ``contexts``, E ``epochs``.
Results are Fractions if every parameter is an int or a Fraction, and floats if one is a float;
logarithms and infinity are floats. A parameter outside its range is a ParameterError.
"The paper" is Alvim, Fernandes, McIver and Nunes, CCS '24, doi 10.1145/3658644.3670368; where one of its
figures differs, a function says so.
"""

from quiff.theory.adaptivity import *
from quiff.theory.browser_apis import *
from quiff.theory.counting import *
from quiff.theory.design import *
from quiff.theory.meaning import *
from quiff.theory.mechanisms import *
from quiff.theory.surfaces import *
from quiff.theory.topics import *


def __dir__() -> list[str]:
    """Return the names that the files of closed forms define, but not what they import."""
    homes = {name: str(getattr(value, "__module__", "")) for name, value in globals().items()}
    forms = (name for name, home in homes.items() if home.startswith("quiff.theory."))
    return sorted(name for name in forms if homes[name] != "quiff.theory.parameters")
