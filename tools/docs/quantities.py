"""The reference of quantities, written from the registry when the site is built."""

from collections.abc import Iterator

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from quiff.attacks.catalogue import ATTACKS
from quiff.results.markup import markdown_text
from quiff.results.quantities import QUANTITIES, Quantity
from quiff.studies import attack, theory  # noqa: F401 - they register theirs
from quiff.theory.forms import FORMS, Form

_OPENING = """# Quantities

Every number of every result is one of these: `result[api, quantity]` in Python, `quantity` in the rows of
`--json`, and what `--explain` prints. The page is made from the registry that the commands use.
[What does this number mean?](../guides/numbers.md) reads the main ones aloud.

In formulas `pi` is the prior and `C` the channel, `C[x,y]` the probability of output `y` for the secret `x`,
and `V_g` the vulnerability for a gain `g` (`V_1`: one guess at the secret). `N` is the number of users; the
Topics API has `m` topics, `m'` of them occurring, sets of `s` and noise `r`; cookies have `c` contexts, and
there are `E` epochs."""


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    """Add the page of the quantities."""
    files.append(File.generated(config, "reference/quantities.md", content="\n\n".join(blocks()) + "\n"))
    return files


def blocks() -> Iterator[str]:
    """Yield the page block by block: what any API has, closed forms of cookies and Topics, attacks."""
    yield _OPENING
    yield "## Of any API"
    closed = {form.formula for form in FORMS.values()}
    any_api = (q for name, q in QUANTITIES.items() if name not in ("bayes", *ATTACKS))
    yield from (_entry(quantity) for quantity in any_api if quantity.formula not in closed)
    for section in dict.fromkeys(form.section for form in FORMS.values()):
        yield f"## {markdown_text(section)}"
        yield from (_entry(form, form.assumes) for form in FORMS.values() if form.section == section)
    yield "## Attacks"
    yield from (_entry(QUANTITIES[name]) for name in ("bayes", *ATTACKS))


def _entry(what: Quantity | Form, assumes: str = "") -> str:
    """Return a quantity, or a closed form of one, as an entry of a list of definitions."""
    name, title = (what.quantity, what.name) if isinstance(what, Form) else (what.name, what.title)
    unit, meaning = markdown_text(what.unit), markdown_text(what.meaning)
    lines = [f"**{markdown_text(title)}** (`{name}`, {unit})\n:   {meaning}.", f"    `{what.formula}`"]
    lines += [f"    Assumes: {markdown_text(assumes)}."] * bool(assumes)
    return "\n\n".join([*lines, f"    Source: {markdown_text(what.source)}."])
