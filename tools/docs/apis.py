"""The pages of the APIs, written from the registry when the site is built: one for each, and an index."""

from collections.abc import Iterator

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from quiff.apis.base import Api
from quiff.apis.described import ApiFacts
from quiff.apis.registry import apis
from quiff.results.markup import markdown_text
from quiff.studies.catalogue import api_tables, catalogue_table

_OPENING = """# The APIs

What can be measured, by what it is for. Each page says how an API works, what its parameters may be and by
which source, what its observations can reveal at most, what is assumed, and what its source leaves open.
`quiff compare` sets all of them side by side; see [what the comparison found](../guides/findings.md).
"""


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    """Add a page for each API, and the index."""
    pages = {"index": index(), **{name: page(name, api) for name, api in apis().items()}}
    for name, content in pages.items():
        files.append(File.generated(config, f"apis/{name}.md", content=content))
    return files


def index() -> str:
    """Return the list of all APIs, by shelf."""
    table, known = catalogue_table(apis()), apis()
    lines = [_OPENING]
    for shelf in dict.fromkeys(row[0] for row in table.rows):
        lines += [f"\n## {shelf[:1].upper()}{shelf[1:]}\n"]
        for row in table.rows:
            if row[0] == shelf:
                title, status = markdown_text(known[row[1]].title), row[2] and f" ({row[2]})"
                lines.append(f"- [{title}]({row[1]}.md){status}: shows {markdown_text(row[3])}.")
    lines += ["", *(f"- {markdown_text(note)}" for note in table.notes[:-1])]
    return "\n".join(lines) + "\n"


def page(name: str, api: type[Api]) -> str:
    """Return the page of one API."""
    return "\n\n".join(_blocks(name, api)) + "\n"


def _blocks(name: str, api: type[Api]) -> Iterator[str]:
    facts = ApiFacts.of(name, api)
    yield f"# {markdown_text(api.title)}"
    yield markdown_text(facts.mechanism)
    for table in api_tables(facts).values():
        _, _, body = table.to_markdown().partition("\n\n")
        yield f"## {markdown_text(table.title)}"
        yield body.strip()
    yield "## In Python and on the command line"
    yield f"[`quiff.{api.__name__}`](../reference/apis.md#quiff.{api.__name__}) in the reference;"
    yield f"```console\n$ quiff apis {name}\n$ quiff compare --api {name}\n```"
