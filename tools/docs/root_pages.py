"""Pages from the project's own folder, and links that work on the site as they do in the repository.

CONTRIBUTING.md and its neighbours stay where people look for them and are pages of the site as well. A link
to one of them leads to its page, a link to a notebook to the page made of it; a link to any other file
outside docs/ becomes its text, for the site does not hold that file.
"""

import re
from pathlib import Path
from posixpath import join, normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "SECURITY.md": "security.md",
}
# What was so in earlier versions is not found by the search, and its many numbers confuse the index of words.
_NOT_SEARCHED = {"CHANGELOG.md": "---\nsearch:\n  exclude: true\n---\n\n"}
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^\s()#:]+)(#[^\s()]*)?\)")


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    """Add the files of the project's own folder as pages."""
    for source, uri in PAGES.items():
        path = Path(config.config_file_path).parent / source
        if path.exists() and source != "README.md":  # docs/index.md is the site's first page
            text = _NOT_SEARCHED.get(source, "") + path.read_text(encoding="utf-8")
            files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Let every link to a file lead to the page that shows it."""
    root = Path(config.config_file_path).parent
    from_root = page.file.src_uri in PAGES.values() and page.file.src_uri != "index.md"
    folder = "" if from_root else join("docs", page.file.src_uri, "..")

    def rewritten(link: re.Match[str]) -> str:
        target = normpath(join(folder, link[2]))
        uri = PAGES.get(target) or target.removeprefix("docs/")
        if uri == target and (root / target).exists():
            return link[1]  # a file that the site does not hold
        if uri.startswith("notebooks/"):
            uri = uri.removesuffix(".ipynb") + ".md" if uri.endswith(".ipynb") else uri
        return f"[{link[1]}]({relpath(uri, join(page.file.src_uri, '..'))}{link[3] or ''})"

    return _LINK.sub(rewritten, markdown)
