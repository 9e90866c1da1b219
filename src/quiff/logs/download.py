"""One file from the network to its place on the disk: checked, and whole or not at all."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import IO, Any, final
from urllib.parse import urlsplit

from quiff.errors import ParameterError, QuiffError, SizeError, first_line
from quiff.io import whole_file

USUAL_LIMIT = 3600.0  # seconds for all files of a data set


@final
@dataclass(frozen=True)
class TimeLimit:
    """Seconds from now on for all that is done within them."""

    seconds: float = USUAL_LIMIT
    start: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ParameterError(what="the time limit in seconds", value=self.seconds, allowed="above 0")

    def run(self, work: Callable[[], Any], url: str, stop: Callable[[], None] | None = None) -> Any:
        """Return what `work` returns, or give it up when the time is over.

        It runs in a thread of its own: nothing else ends the wait for a server that sends a byte at times.
        `stop` is called when it is given up, to break the connections.
        """
        outcome: Future[Any] = Future()

        def run() -> None:
            try:
                outcome.set_result(work())
            except BaseException as error:
                outcome.set_exception(error)

        threading.Thread(target=run, name="quiff-network", daemon=True).start()
        left = max(0.0, self.start + self.seconds - monotonic())
        if not wait([outcome], min(left, threading.TIMEOUT_MAX)).done:
            if stop is not None:
                stop()
            raise QuiffError(
                f"cannot fetch {url}: it is not whole after {self.seconds:g} seconds; ask again, or allow"
                " more by --time-limit"
            )
        return outcome.result()


_CHUNK = 1 << 16


def cache_folder() -> Path:
    """Return the folder for fetched data: QUIFF_CACHE, or the platform cache directory."""
    import pooch

    return Path(os.environ.get("QUIFF_CACHE") or pooch.os_cache("quiff"))


def download(
    url: str,
    target: Path,
    check: Callable[[Path], None],
    time: TimeLimit,
    *,
    limit: int,
    size: int | None = None,
) -> Path:
    """Fetch a file, check it, and put it in its place.

    The address is http, https, or ``doi:``, a DOI, a slash and the name of a file of that record. Only a file
    for which `check` raises nothing replaces what is there. No more bytes than `limit` are taken; `size` is
    for the progress bar that a terminal shows.
    """
    with whole_file(target, force=True, public=True) as scratch:  # all of it is public
        with (
            network_errors(url),
            scratch.open("xb") as file,
            _progress(target.name, size) as advance,
            _downloader(url) as (transfer, stop),
        ):
            sink = _Sink(file, limit, url, advance)
            time.run(lambda: transfer(url, sink, None), url, stop)
        check(scratch)
    return target


@contextmanager
def network_errors(url: str) -> Iterator[None]:
    """Tell what goes wrong on the network as one error of ours."""
    from requests import exceptions

    try:
        yield
    except QuiffError:
        raise
    except exceptions.HTTPError as error:
        answer = error.response
        reason = first_line(error) if answer is None else f"{answer.status_code} {answer.reason}"
        raise QuiffError(f"cannot fetch {url}: the server answers {reason}") from error
    except (exceptions.ConnectionError, exceptions.Timeout) as error:
        where = urlsplit(str(error.request.url if error.request else url)).hostname
        raise QuiffError(
            f"cannot fetch {url}: no connection to {where}; without a network, use a copy by --mirror DIR"
        ) from error
    except exceptions.RequestException as error:
        raise QuiffError(f"cannot fetch {url}: the transfer broke off, {first_line(error)}") from error
    except (ValueError, LookupError, TypeError) as error:  # an answer that pooch does not understand
        raise QuiffError(f"cannot fetch {url}: {first_line(error)}") from error


@contextmanager
def _downloader(url: str) -> Iterator[tuple[Callable[..., None], Callable[[], None]]]:
    """Yield pooch's downloader for an address, and what breaks its connections while it waits.

    The connections are closed at the end, which pooch does not do on failure.
    """
    import pooch
    from requests import Response

    answers: list[Response] = []

    def stop() -> None:
        for answer in answers:
            with suppress(AttributeError, OSError, ValueError, RuntimeError):  # it has ended already
                answer.raw.shutdown()

    kind = pooch.DOIDownloader if url.startswith("doi:") else pooch.HTTPDownloader
    try:
        yield kind(chunk_size=_CHUNK, hooks={"response": lambda answer, **_: answers.append(answer)}), stop
    except BaseException:
        stop()  # else closing waits for who still reads
        raise
    finally:
        for answer in answers:
            answer.close()


@dataclass
class _Sink:
    """The writing end of a download: counts the bytes, and takes no more than the limit."""

    file: IO[bytes]
    limit: int
    url: str
    advance: Callable[[int], None]
    taken: int = 0

    def write(self, chunk: bytes) -> int:
        self.taken += len(chunk)
        if self.taken > self.limit:
            raise SizeError(f"{self.url} gives more than the {self.limit} bytes that are expected")
        self.advance(len(chunk))
        return self.file.write(chunk)

    def flush(self) -> None:
        """Leave it to the file when to write; pooch asks after every chunk."""


@contextmanager
def _progress(name: str, size: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal, nothing elsewhere; yield what tells it of new bytes."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    hidden = sys.stderr is None or not sys.stderr.isatty()
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        task = progress.add_task(name, total=size)
        yield lambda count: progress.advance(task, count)
