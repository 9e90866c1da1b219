"""A folder of a log that appears whole or not at all."""

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quiff.errors import ParameterError, first_line

__all__ = ["new_folder"]

_OURS = re.compile(r"log-\d+\.txt\.gz|classification\.csv", re.ASCII)


@contextmanager
def new_folder(out: str | os.PathLike[str], replace: bool = False) -> Iterator[Path]:
    """Yield an empty folder that becomes `out` when all went well, and is removed when not.

    Parameters
    ----------
    out
        The folder to make. It must be missing or empty.
    replace
        Whether to put the new folder in place of one that holds a made-up log, and nothing else.

    Raises
    ------
    ParameterError
        If there is something else at `out`, or nothing can be written there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as parent, new_folder(Path(parent) / "log") as folder:
    ...     _ = (folder / "log-01.txt.gz").write_bytes(b"")
    """
    target = Path(out).resolve()
    _check(target, replace)
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        yield temporary
        _check(target, replace)
        _move(temporary, target)
    except OSError as error:
        raise ParameterError(f"cannot write {str(out)!r}: {first_line(error)}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _check(target: Path, replace: bool) -> None:
    """Raise an error if the folder would take the place of something."""
    if not target.exists():
        return
    if not target.is_dir():
        raise ParameterError(f"{str(target)!r} is a file; name a new or empty folder")
    held = sorted(path.name for path in target.iterdir())
    if not held:
        return
    others = [name for name in held if not _OURS.fullmatch(name)]
    if replace and others:
        raise ParameterError(
            f"{str(target)!r} also holds {others[0]!r}, which is no part of a made-up log, and is left alone;"
            " name a new or empty folder"
        )
    if not replace:
        raise ParameterError(
            f"{str(target)!r} is not empty: it holds {held[0]!r};"
            " name a new or empty folder, or replace a made-up log by --force"
        )


def _move(temporary: Path, target: Path) -> None:
    """Give the new folder its name; what is there before is removed only after that."""
    if not target.exists():
        temporary.rename(target)
        return
    old = target.with_name(f".{secrets.token_hex(8)}.tmp")
    target.rename(old)
    try:
        temporary.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old)
