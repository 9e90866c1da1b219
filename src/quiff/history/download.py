"""One file from the network to its place on the disk: checked, and whole or not at all."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from quiff.errors import QuiffError, SizeError, first_line
from quiff.files import whole_file
from quiff.history.time_limit import TimeLimit

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
    with whole_file(target, force=True, parents=True, private=False) as scratch:  # all of it is public
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

    def keep(answer: Response, **_: object) -> None:
        answers.append(answer)

    def stop() -> None:
        for answer in answers:
            with suppress(AttributeError, OSError, ValueError, RuntimeError):  # it has ended already
                answer.raw.shutdown()

    kind = pooch.DOIDownloader if url.startswith("doi:") else pooch.HTTPDownloader
    try:
        yield kind(chunk_size=_CHUNK, hooks={"response": keep}), stop
    except BaseException:
        stop()  # else closing waits for who still reads
        raise
    finally:
        for answer in answers:
            answer.close()


class _Sink:
    """The writing end of a download: counts the bytes, and takes no more than the limit."""

    def __init__(self, file: IO[bytes], limit: int, url: str, advance: Callable[[int], None]) -> None:
        self._file = file
        self._left = limit
        self._limit = limit
        self._url = url
        self._advance = advance

    def write(self, chunk: bytes) -> int:
        self._left -= len(chunk)
        if self._left < 0:
            raise SizeError(f"{self._url} gives more than the {self._limit} bytes that are expected")
        self._advance(len(chunk))
        return self._file.write(chunk)

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
