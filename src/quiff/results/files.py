"""Files that are written whole or not at all."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from quiff.errors import ParameterError

__all__ = ["write_bytes", "write_text"]


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write ``content`` to ``path``, in place of what is there, and return the path.

    The content goes to a new name in the same folder first and then takes the place of the file, so
    that nobody ever sees half of it and a failure leaves the old file as it was.

    Raises
    ------
    ParameterError
        If the file cannot be written, because its folder is missing for example.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder) / "hello.bin", b"hello").read_bytes()
    b'hello'
    """
    path = Path(path)
    target = path.resolve()  # a link stays a link: what it points to is replaced
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
        temporary.replace(target)
    except OSError as error:
        raise ParameterError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return path


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write ``text`` to ``path`` in UTF-8, as :func:`write_bytes` does.

    Raises
    ------
    ParameterError
        If the file cannot be written.

    Examples
    --------
    >>> write_text("/no/such/folder/table.md", "text")
    Traceback (most recent call last):
    quiff.errors.ParameterError: cannot write '/no/such/folder/table.md': No such file or directory
    """
    return write_bytes(path, text.encode())
