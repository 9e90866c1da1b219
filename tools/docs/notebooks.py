"""The notebooks as pages: text, code and stored outputs, converted when the site is built.

Figures are the pictures that the notebook holds, never a script; the notebook itself can be downloaded.
"""

from pathlib import PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from nbconvert import MarkdownExporter
from traitlets.config import Config

# What to show of an output that comes in several forms; pictures before tables, for a figure may be both.
_FORMS = ["image/svg+xml", "image/png", "text/html", "text/markdown", "text/latex", "text/plain"]
_DOWNLOAD = '<a href="{name}" download>Download this notebook</a> to run it yourself.'


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    """Add a page for each notebook, and its pictures."""
    notebooks = [file for file in files if file.src_uri.endswith(".ipynb")]
    for notebook in notebooks:
        path = PurePosixPath(notebook.src_uri)
        markdown, pictures = _converted(notebook)
        files.append(File.generated(config, str(path.with_suffix(".md")), content=markdown))
        for name, picture in pictures.items():
            files.append(File.generated(config, str(path.parent / name), content=picture))
    return files


def _converted(notebook: File) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as Markdown, and its pictures by name."""
    path = PurePosixPath(notebook.src_uri)
    settings = Config({"NbConvertBase": {"display_data_priority": _FORMS}})
    exporter = MarkdownExporter(config=settings)
    resources = {"unique_key": path.stem, "output_files_dir": f"{path.stem}-figures"}
    markdown, found = exporter.from_filename(str(notebook.abs_src_path), resources=resources)
    title, _, rest = markdown.lstrip().partition("\n")
    page = f"{title}\n\n{_DOWNLOAD.format(name=path.name)}\n{rest}"
    return page, found.get("outputs", {})
