"""Files are written whole or not at all."""

import stat

import pytest

from quiff.errors import ParameterError
from quiff.results.files import write_bytes, write_text


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_written_and_nothing_else_is_left(tmp_path):
    assert write_text(tmp_path / "a.txt", "größer") == tmp_path / "a.txt"
    assert (tmp_path / "a.txt").read_bytes() == "größer".encode()
    assert names(tmp_path) == ["a.txt"]


def test_an_old_file_is_replaced(tmp_path):
    file = tmp_path / "a.bin"
    file.write_bytes(b"a long old content")
    write_bytes(file, b"new")
    assert file.read_bytes() == b"new"
    assert names(tmp_path) == ["a.bin"]


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    file = tmp_path / "a.txt"
    file.write_text("old")

    def fails(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fails)
    with pytest.raises(ParameterError, match=r"cannot write .*a\.txt.*No space left"):
        write_text(file, "new")
    assert file.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "target.txt").write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to("target.txt")
    write_text(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "target.txt").read_text() == "new"


def test_a_file_has_the_rights_of_any_new_file(tmp_path):
    (tmp_path / "usual.txt").touch()
    write_text(tmp_path / "ours.txt", "text")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual.txt", "ours.txt")}
    assert len(modes) == 1


@pytest.mark.parametrize("place", ["missing/a.txt", "."])
def test_what_cannot_be_written_is_an_error_in_one_line(tmp_path, place):
    with pytest.raises(ParameterError, match="cannot write") as caught:
        write_text(tmp_path / place, "text")
    assert "\n" not in str(caught.value)
    assert names(tmp_path) == []
