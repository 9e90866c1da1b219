"""The one way in which quiff writes: whole or not at all, and never in place of what it must not replace.

Everything is written into a hidden scratch folder beside its place, which only its owner can read, and
renamed when all is done. What is there already is replaced only where that is asked for, and only if
:mod:`quiff.io.targets` allows it, before any work is done and again when the output gets its name.
What is read, packed or not, is read by :mod:`quiff.io.blocks`.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from quiff.errors import cannot_write
from quiff.io import scratch
from quiff.io.targets import (
    MARKER,
    StrPath,
    as_path,
    check_link,
    check_name,
    check_place,
    check_suffix,
    check_target,
    check_written,
    entries,
    resolved,
)

__all__ = [
    "Staged",
    "StrPath",
    "as_path",
    "check_link",
    "check_name",
    "check_suffix",
    "check_target",
    "staged",
    "together",
    "whole_file",
    "whole_folder",
    "write_bytes",
    "write_text",
    "written",
]


def write_bytes(
    path: StrPath, content: bytes, *, force: bool = False, inputs: Iterable[StrPath] = ()
) -> Path:
    """Write ``content`` to ``path`` and return the path, as :func:`whole_file` does."""
    with whole_file(path, force=force, inputs=inputs) as new:
        new.write_bytes(content)
    return Path(path)


def write_text(path: StrPath, text: str, *, force: bool = False, inputs: Iterable[StrPath] = ()) -> Path:
    """Write ``text`` to ``path`` in UTF-8, as :func:`write_bytes` does."""
    return write_bytes(path, text.encode(), force=force, inputs=inputs)


@contextmanager
def whole_file(
    path: StrPath, *, force: bool = False, inputs: Iterable[StrPath] = (), public: bool = False
) -> Iterator[Path]:
    """Give the path of a new file, which gets its name when all went well, and goes away when not.

    A link is refused, and so is what it points to. `force` replaces a regular file, or a folder
    with nothing but what quiff wrote there, but never one of `inputs`. For a `public` one, folders above it
    are made, and others may read it as the system's habits are.
    """
    resolved(path)  # links in a circle are told
    target = resolved(Path(path).parent) / Path(path).name
    with staged(
        target.parent, force=force, inputs=inputs, make=public, private=not public, shown=path
    ) as stage:
        yield stage.add(target.name)


@contextmanager
def whole_folder(path: StrPath, *, force: bool = False, inputs: Iterable[StrPath] = ()) -> Iterator[Path]:
    """Give an empty folder, which gets its name when all went well, and goes away when not.

    The parameters are those of :func:`whole_file`; parents are made, and an empty folder needs no force.
    """
    resolved(path)
    target = resolved(Path(path).parent) / Path(path).name
    with staged(target.parent, force=force, inputs=inputs, shown=path) as stage:
        new = stage.add(target.name, folder=True)
        new.mkdir(mode=0o700)
        yield new


@dataclass
class Staged:
    """Outputs of one folder, which get their names together."""

    scratch: Path  # a hidden folder, for all that goes at the end
    folder: Path  # where the outputs go
    force: bool = False
    inputs: tuple[StrPath, ...] = ()
    private: bool = True
    shown: StrPath | None = None
    _outputs: dict[str, bool] = field(default_factory=dict)

    def add(self, name: str, *, folder: bool = False) -> Path:
        """Name an output, and return where to write it."""
        self._check(name, folder)
        self._outputs[name] = folder
        return self.new / name

    @property
    def new(self) -> Path:
        """The folder in the scratch folder for outputs until they are done, whatever their names."""
        return scratch.new_folder(self.scratch)

    def _check(self, name: str, folder: bool) -> None:
        target = self.folder / name
        shown = target if self.shown is None else self.shown
        check_target(shown, force=self.force, inputs=self.inputs, folder=folder)

    def _place(self) -> None:
        """Give all outputs their names; if one cannot have it, put back what was there."""
        done: list[str] = []
        with scratch.uninterrupted():
            try:
                for name, folder in self._outputs.items():
                    _finish(self.new / name, self.private)
                    self._check(name, folder)
                    done.append(name)
                    _exchange(self.scratch, self.folder / name, replace=self.force)
            except BaseException:
                self._take_back(done)
                raise

    def _take_back(self, names: Sequence[str] | None = None) -> None:
        """Put back what was there before outputs got their names."""
        for name in reversed(list(self._outputs) if names is None else names):
            _put_back(self.scratch, self.folder / name)


@contextmanager
def staged(
    folder: StrPath,
    *,
    force: bool = False,
    inputs: Iterable[StrPath] = (),
    make: bool = True,
    private: bool = True,
    shown: StrPath | None = None,
) -> Iterator[Staged]:
    """Give a place for outputs of a folder, which get their names together when all went well.

    `make` makes the folder, which goes if all fails; a link to one is refused. Messages name `shown`,
    by default each output. The rest is as in :func:`whole_file`.
    """
    target = Path(folder)
    name = os.fspath(target if shown is None else shown)
    check_link(target)
    check_place(name, target, make)
    hidden, placed = None, False
    try:
        hidden = scratch.make(target, private=private)
        scratch.new_folder(hidden).mkdir(mode=0o700 if private else 0o777)
        stage = Staged(hidden, target, force, tuple(inputs), private, shown)
        waiting = _waiting.get() if private else None
        token = _waiting.set(None)  # what is written inside has its place there at once
        try:
            yield stage
        finally:
            _waiting.reset(token)
        if waiting is not None:
            waiting.append(stage)
            hidden = None
            return
        stage._place()
        placed = True
    except OSError as error:
        raise cannot_write(name, error) from error
    finally:
        if hidden is not None:
            scratch.drop(hidden, failed=not placed)


_waiting: ContextVar[list[Staged] | None] = ContextVar("waiting", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Let all outputs that are written inside get their names together, when all went well.

    Until then `written` says where they are. What is public, such as a data set in the cache, does not wait.
    """
    stages: list[Staged] = []
    token, placed = _waiting.set(stages), False
    try:
        yield
        with scratch.uninterrupted():
            _place_all(stages)
        placed = True
    finally:
        _waiting.reset(token)
        for stage in stages:
            scratch.drop(stage.scratch, failed=not placed)


def _place_all(stages: list[Staged]) -> None:
    """Give the outputs of all stages their names, or none of them."""
    for number, stage in enumerate(stages):
        try:
            stage._place()
        except BaseException as error:
            for before in reversed(stages[:number]):
                before._take_back()
            if isinstance(error, OSError):
                name = os.fspath(stage.folder if stage.shown is None else stage.shown)
                raise cannot_write(name, error) from error
            raise


def written(path: StrPath) -> Path:
    """Return where an output is that was written inside `together`, and has not yet got its name."""
    target = Path(path).absolute()
    for stage in _waiting.get() or ():
        for name in stage._outputs:
            if (stage.folder / name).absolute() == target:
                return stage.new / name
    return Path(path)


def _finish(new: Path, private: bool) -> None:
    """Mark a folder as written by quiff, and leave all to the owner alone."""
    if new.is_dir():
        wrote = sorted(entries(new))
        (new / MARKER).write_text(json.dumps({"wrote": wrote}, indent=0) + "\n", encoding="utf-8")
    if private:
        for place in (new, *(new.rglob("*") if new.is_dir() else ())):
            place.chmod(0o700 if place.is_dir() else 0o600)


def _exchange(hidden: Path, target: Path, *, replace: bool) -> None:
    """Rename an output to its name; what is there waits in the scratch folder until all is done."""
    new = scratch.new_folder(hidden) / target.name
    if replace and os.path.lexists(target):
        old = scratch.moved_aside(hidden, target)
        if target.is_dir() or new.is_dir():
            target.rename(old)
            if old.is_dir():
                check_written(target, old)  # nothing has been added meanwhile
        else:
            with suppress(OSError):  # a file system without links has only the one that replaces it
                os.link(target, old)
        new.replace(target)
    elif new.is_dir():
        new.rename(target)  # that fails on a folder which is not empty by now
    else:
        try:
            os.link(new, target)  # that fails on a file which is there by now; a rename would replace it
        except OSError as error:
            if isinstance(error, FileExistsError):
                raise
            new.rename(target)  # a file system without links


def _put_back(hidden: Path, target: Path) -> None:
    """Undo an exchange, as far as it has come."""
    new, old = scratch.new_folder(hidden) / target.name, scratch.moved_aside(hidden, target)
    with suppress(OSError):
        if not os.path.lexists(new):
            target.rename(new)
        elif target.exists() and target.samefile(new):
            target.unlink()
        if os.path.lexists(old):
            old.replace(target)
