"""Pictures of the report and of every view of the explorer, as people see them first: `make pictures`.

Those of README and site go to docs/images; the folder `pictures` has each view on a screen and on a phone,
light and dark, to be looked at. The people in them are synthetic. The browser is the one that the tests use;
nothing is fetched from a network.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PICTURES = ROOT / "pictures"
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_QUIFF = str(Path(sys.executable).with_name("quiff"))
_SCREEN, _PHONE = (1280, 800), (390, 844)
_TWO = "second=1&api2=topics:n_topics=v2,noise=0.2"
# The address of each view, and what is there when it has been drawn.
VIEWS = {
    "guide": ("", "#guide:not([hidden])"),
    "design": ("?view=design&observations=2", "#picture .line"),
    "two-designs": (f"?view=design&observations=2&{_TWO}", "#picture .line.second"),
    "two-apis": ("?view=design&second=1&api2=noisy_ranking", "#picture .line.second"),
    "crowd": (f"?view=design&picture=crowd&observations=2&{_TWO}", "#crowd figure"),
    "guess": ("?view=design&picture=guess&api=event_level&second=1&api2=w3c_attribution", "#picture .line"),
    "parameter": (f"?view=design&picture=parameter&{_TWO}", "#picture .line"),
    "wrong-value": ("?view=design&api=topics:noise=7", "#noise[aria-invalid=true]"),
    "no-closed-form": ("?view=design&api=floc", "#nothing:not([hidden])"),
    "people": ("?view=people&n=500&run=1", "#people[data-ended='Done.'] #people-lead svg"),
    "compare": ("?view=compare", "#compared table"),
    "paper": ("?view=paper", "#items table"),
}
_WAIT = 120_000  # milliseconds, for a study


def main() -> None:
    """Make the demo's report in a temporary folder and an explorer, and take their pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        demo = Path(folder) / "demo"
        subprocess.run([_QUIFF, "demo", "--out", str(demo)], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        report = (demo / "report.html").as_uri()
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=_FLAGS)
        _take(browser, report, "main", IMAGES / "report.png")
        with _explorer() as link:
            query, ready = VIEWS["two-designs"]
            _take(browser, link + query, ready, IMAGES / "explorer.png")
            for size, scheme in product((_SCREEN, _PHONE), ("light", "dark")):
                _take(browser, report, "main", _path("report", size, scheme), size, scheme)
                for name, (query, ready) in VIEWS.items():
                    _take(browser, link + query, ready, _path(name, size, scheme), size, scheme)
        browser.close()


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


def _path(name: str, size: tuple[int, int], scheme: str) -> Path:
    return PICTURES / f"{name}-{size[0]}-{scheme}.png"


def _take(
    browser: Browser,
    address: str,
    ready: str,
    path: Path,
    size: tuple[int, int] = _SCREEN,
    scheme: str = "light",
) -> None:
    """Take a picture of the first screen of a page."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page.goto(address)
    page.wait_for_selector(ready, state="attached", timeout=_WAIT)
    page.wait_for_timeout(300)  # until what was drawn is on the screen
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(page.screenshot())
    page.close()


if __name__ == "__main__":
    main()
