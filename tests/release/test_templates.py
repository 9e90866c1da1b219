"""The forms for issues are whole, and name only what there is."""

import re
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).parents[2]
GITHUB = PROJECT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_what_is_needed(path):
    form = yaml.safe_load(path.read_text())
    assert form["name"]
    assert form["description"]
    kinds = {"markdown", "textarea", "input", "dropdown", "checkboxes"}
    assert {part["type"] for part in form["body"]} <= kinds
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in asked}) == len(asked)
    for part in asked:
        assert part["attributes"]["label"]
        options = part["attributes"].get("options", [])
        assert bool(options) == (part["type"] in ("dropdown", "checkboxes"))
    assert any(part.get("validations", {}).get("required") for part in asked)


def test_there_are_forms_for_bugs_wrong_numbers_and_additions():
    assert [path.stem for path in FORMS] == ["addition", "bug", "wrong-number"]
    assert yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / "config.yml").read_text())


def test_files_that_are_named_are_there():
    others = (GITHUB / "PULL_REQUEST_TEMPLATE.md", PROJECT / "SECURITY.md", PROJECT / "CONTRIBUTING.md")
    for page in (*FORMS, *others):
        text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for path in re.findall(r"(?:src|docs|tests|tools)/[\w./-]*\w/?|[A-Z]+\.md", text):
            assert (PROJECT / path).exists() or path in written_by_recipes(), f"{page.name} names {path}"


def written_by_recipes():
    """The files that the recipes tell to write."""
    text = (PROJECT / "CONTRIBUTING.md").read_text()
    titles = set(re.findall(r'```python title="([\w.]+)"', text))
    return {path for path in re.findall(r"`([\w/]+/\w+\.py)`", text) if Path(path).name in titles}
