"""Pictures of the report and of the explorer for README and site: `make pictures` takes them anew.

The people in them are synthetic. The browser is the one that the tests use; nothing is fetched.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_QUIFF = str(Path(sys.executable).with_name("quiff"))
_MARGIN = 16  # pixels below the last part
# The picture of the explorer shows the controls, the sentences, the figures and the first numbers.
_NOT_OF_EXPLORER = "#cards ~ *, footer"


def main() -> None:
    """Make a report in a temporary folder and an explorer, and take their pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=_FLAGS)
        _picture_report(browser, Path(folder) / "demo")
        _picture_explorer(browser)
        browser.close()


def _picture_report(browser: Browser, folder: Path) -> None:
    """Take the first screen of the demo's report, light, dark and on a phone."""
    subprocess.run([_QUIFF, "demo", "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    screens = {"report": (1280, "light"), "report-dark": (1280, "dark"), "report-phone": (390, "light")}
    for name, (width, scheme) in screens.items():
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
        page.goto((folder / "report.html").as_uri())
        page.screenshot(path=IMAGES / f"{name}.png")
        page.close()


def _picture_explorer(browser: Browser) -> None:
    with _explorer() as address:
        page = _opened(browser, f"{address}?view=design&second=1&api2=topics:n_topics=v2,noise=0.2", 1180)
        page.wait_for_selector("#design-figures svg >> nth=1", state="attached")
        _take(page, IMAGES / "explorer.png", without=_NOT_OF_EXPLORER)


@contextmanager
def _explorer() -> Iterator[str]:
    """Serve the explorer on a free port of this machine, and give its address."""
    command = [_QUIFF, "explore", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            said = iter(server.stdout or [])
            yield next(found[0] for line in said if (found := re.search(r"http://\S+", line)))
        finally:
            server.terminate()


def _opened(browser: Browser, address: str, width: int) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="light")
    page.goto(address)
    return page


def _take(page: Page, path: Path, without: str) -> None:
    """Leave parts out and take a picture of the rest, as tall as it is."""
    page.evaluate("names => document.querySelectorAll(names).forEach((part) => part.remove())", without)
    height = page.evaluate("Math.ceil(document.querySelector('main').getBoundingClientRect().bottom)")
    page.set_viewport_size({"width": page.viewport_size["width"], "height": height + _MARGIN})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(page.screenshot())
    page.close()


if __name__ == "__main__":
    main()
