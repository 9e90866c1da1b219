"""The one way to write: whole or not at all, and never in place of what must not be replaced."""

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from quiff.errors import ParameterError
from quiff.io import (
    check_suffix,
    check_target,
    staged,
    together,
    whole_file,
    whole_folder,
    write_bytes,
    write_text,
    written,
)
from quiff.io.targets import MARKER
from words import refused


def held(folder):
    """Return all that is in a folder, with the bytes of files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def wrote(folder, name="a.csv", **options):
    with whole_folder(folder, **options) as new:
        (new / name).write_text("topic")


def no_space(*_):
    raise OSError(28, "No space left on device")


def test_a_new_file_is_written_and_nothing_else_is_left(tmp_path):
    assert write_text(tmp_path / "a.txt", "größer") == tmp_path / "a.txt"
    assert held(tmp_path) == {"a.txt": "größer".encode()}


def test_an_old_file_is_replaced_only_by_force(tmp_path):
    file = tmp_path / "a.bin"
    file.write_bytes(b"a long old content")
    with refused(ParameterError):
        write_bytes(file, b"new")
    assert held(tmp_path) == {"a.bin": b"a long old content"}
    write_bytes(file, b"new", force=True)
    assert held(tmp_path) == {"a.bin": b"new"}


@pytest.mark.parametrize("force", [False, True])
def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, force):
    file = tmp_path / "a.txt"
    if force:
        file.write_text("old")
    before = held(tmp_path)
    for way in ("pathlib.Path.replace", "pathlib.Path.rename", "os.link"):
        monkeypatch.setattr(way, no_space)
    with refused(ParameterError):
        write_text(file, "new", force=force)
    monkeypatch.undo()
    assert held(tmp_path) == before


def half_written(path, **options):
    with whole_file(path, **options) as new:
        new.write_text("half")
        raise RuntimeError


def test_what_fails_on_the_way_leaves_nothing_not_even_folders(tmp_path):
    with pytest.raises(RuntimeError):
        half_written(tmp_path / "deep" / "deeper" / "a.txt", public=True)
    assert held(tmp_path) == {}


def half_a_folder(path):
    with whole_folder(path) as new:
        (new / "a.csv").write_text("half")
        raise RuntimeError


def written_by_another_too(path):
    with whole_file(path) as new:
        new.write_text("new")
        path.write_text("another's")


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    with refused(ParameterError):
        written_by_another_too(tmp_path / "a.txt")
    assert held(tmp_path) == {"a.txt": b"another's"}


def test_nor_one_that_appears_after_the_last_check(tmp_path, monkeypatch):
    monkeypatch.setattr("quiff.io.Staged._check", lambda *_: None)
    with refused(ParameterError):
        written_by_another_too(tmp_path / "a.txt")
    assert held(tmp_path) == {"a.txt": b"another's"}


def test_a_file_system_without_links_will_do(tmp_path, monkeypatch):
    monkeypatch.setattr("os.link", no_space)
    write_text(tmp_path / "a.txt", "one")
    write_text(tmp_path / "a.txt", "two", force=True)
    assert held(tmp_path) == {"a.txt": b"two"}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("there", ["file", "folder", "nothing"])
def test_a_link_is_refused_and_so_is_what_it_points_to(tmp_path, there, force):
    if there == "folder":
        (tmp_path / "target").mkdir()
        (tmp_path / "target" / MARKER).write_text('{"wrote": []}')
    elif there == "file":
        (tmp_path / "target").write_text("old")
    link = tmp_path / "link"
    link.symlink_to("target")
    before = held(tmp_path)
    for write in (
        lambda: write_text(link, "new", force=force),
        lambda: check_target(link, force=force),
        lambda: check_target(link, force=force, folder=True),
        lambda: whole_folder(link, force=force).__enter__(),
        lambda: staged(link, force=force).__enter__(),
    ):
        with refused(ParameterError):
            write()
    assert link.is_symlink()
    assert held(tmp_path) == before


def test_links_in_a_circle_are_told(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with refused(ParameterError):
        write_text(tmp_path / "a", "text", force=True)


def test_only_the_owner_can_read_from_the_first_byte_on(tmp_path):
    with staged(tmp_path / "new") as stage:
        new = stage.add("a.txt")
        new.write_text("text")
        assert rights(new.parent) == 0o700
    assert (rights(tmp_path / "new"), rights(tmp_path / "new" / "a.txt")) == (0o700, 0o600)
    wrote(tmp_path / "tables")
    found = [rights(tmp_path / "tables" / name) for name in (".", "a.csv", MARKER)]
    assert found == [0o700, 0o600, 0o600]


def test_where_others_write_too_files_have_the_rights_of_any_new_file(tmp_path):
    (tmp_path / "usual.txt").touch()
    with whole_file(tmp_path / "ours.txt", public=True) as new:
        new.write_text("text")
    assert rights(tmp_path / "usual.txt") == rights(tmp_path / "ours.txt")


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("place", ["missing/a.txt", ".", "file/a.txt"])
def test_what_cannot_be_written_is_an_error_in_one_line(tmp_path, place, force):
    (tmp_path / "file").touch()
    with refused(ParameterError) as caught:
        write_text(tmp_path / place, "text", force=force)
    assert "\n" not in str(caught.value)
    assert list(held(tmp_path)) == ["file"]


def strange_things(folder):
    """Make what is neither file nor folder, and return name and kind of each."""
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(folder)  # the name of a socket is short
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
    (folder / "link").symlink_to("pipe")
    return {"pipe": "a pipe", "socket": "a socket", "link": "a pipe", "/dev/null": "a device"}


def test_neither_devices_nor_pipes_are_replaced(tmp_path):
    for name, kind in strange_things(tmp_path).items():
        before = stat.S_IFMT((tmp_path / name).stat().st_mode)
        for write in (
            lambda path: write_text(path, "text", force=True),
            lambda path: wrote(path, force=True),
        ):
            with pytest.raises(ParameterError, match=f"it is {kind}; name a file"):
                write(tmp_path / name)
        assert stat.S_IFMT((tmp_path / name).stat().st_mode) == before


class TestFolders:
    def test_a_new_or_empty_one_is_made(self, tmp_path):
        (tmp_path / "empty").mkdir()
        for name in ("empty", "deep/new"):
            wrote(tmp_path / name)
            assert (tmp_path / name / "a.csv").read_text() == "topic"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "empty"]

    def test_one_that_quiff_wrote_is_replaced_by_force(self, tmp_path):
        wrote(tmp_path / "t")
        with refused(ParameterError):
            wrote(tmp_path / "t", "b.csv")
        assert (tmp_path / "t" / "a.csv").exists()
        wrote(tmp_path / "t", "b.csv", force=True)
        assert sorted(held(tmp_path)) == ["t", f"t/{MARKER}", "t/b.csv"]
        write_text(tmp_path / "t", "now a file", force=True)
        assert held(tmp_path) == {"t": b"now a file"}

    @pytest.mark.parametrize(
        "strange", ["thesis.txt", "deep/thesis.txt", "a.csv/thesis.txt", "empty/", "link"]
    )
    def test_one_with_anything_else_is_left_alone(self, tmp_path, strange):
        target = tmp_path / "t"
        wrote(target)
        if strange.startswith("a.csv"):
            (target / "a.csv").unlink()
        if strange == "link":
            (target / "link").symlink_to("a.csv")
        elif strange.endswith("/"):
            (target / strange).mkdir()
        else:
            (target / strange).parent.mkdir(exist_ok=True)
            (target / strange).write_text("years of work")
        before = held(tmp_path)
        first = "a.csv/thesis.txt" if strange.startswith("a.csv") else strange.split("/")[0]
        for write in (wrote, lambda path, force: write_text(path, "x", force=force)):
            with pytest.raises(ParameterError, match=f"also holds '{first}', which quiff did not write"):
                write(target, force=True)
        assert held(tmp_path) == before

    @pytest.mark.parametrize("marker", [None, "", "[]", '{"wrote": 3}', '{"wrote": []}'])
    def test_one_without_a_marker_is_left_alone(self, tmp_path, marker):
        (tmp_path / "t").mkdir()
        (tmp_path / "t" / "thesis.txt").write_text("years of work")
        if marker is not None:
            (tmp_path / "t" / MARKER).write_text(marker)
        before = held(tmp_path)
        for write in (wrote, lambda path, force: write_text(path, "x", force=force)):
            with refused(ParameterError):
                write(tmp_path / "t", force=True)
        assert held(tmp_path) == before

    def test_what_is_added_at_the_last_moment_stays(self, tmp_path, monkeypatch):
        wrote(tmp_path / "t")
        monkeypatch.setattr("quiff.io.Staged._check", lambda *_: None)
        (tmp_path / "t" / "thesis.txt").write_text("years of work")
        before = held(tmp_path)
        with refused(ParameterError):
            wrote(tmp_path / "t", force=True)
        assert held(tmp_path) == before

    def test_a_file_is_not_replaced_by_a_folder(self, tmp_path):
        (tmp_path / "thesis").write_text("years of work")
        with refused(ParameterError):
            wrote(tmp_path / "thesis", force=True)

    def test_a_failure_puts_the_old_one_back(self, tmp_path, monkeypatch):
        wrote(tmp_path / "t")
        before = held(tmp_path)
        rename = Path.replace

        def fails(self, target):
            if self.name == "t" and self.parent.parent.name.endswith(".tmp"):
                no_space()
            return rename(self, target)

        monkeypatch.setattr("pathlib.Path.replace", fails)
        with refused(ParameterError):
            wrote(tmp_path / "t", "b.csv", force=True)
        assert held(tmp_path) == before

    @pytest.mark.parametrize("name", ["replaced", "new"])
    def test_any_name_will_do(self, tmp_path, name):
        with pytest.raises(RuntimeError):
            half_a_folder(tmp_path / name)
        assert held(tmp_path) == {}
        for force in (False, True):
            wrote(tmp_path / name, "b.csv" if force else "a.csv", force=force)
        assert sorted(held(tmp_path)) == [name, f"{name}/{MARKER}", f"{name}/b.csv"]


class TestGroups:
    def write(self, folder, text, *names, **options):
        with staged(folder, **options) as stage:
            for name in names:
                stage.add(name).write_text(text)

    def test_all_get_their_names_or_none(self, tmp_path):
        self.write(tmp_path / "out", "one", "a", "b")
        (tmp_path / "out" / "b").unlink()
        (tmp_path / "out" / "b").mkdir()
        before = held(tmp_path)
        with refused(ParameterError):
            self.write(tmp_path / "out", "two", "a", "b", force=True)
        assert held(tmp_path) == before

    @pytest.mark.parametrize("old", [True, False])
    def test_a_failure_at_the_second_undoes_the_first(self, tmp_path, monkeypatch, old):
        if old:
            self.write(tmp_path, "one", "a", "b")
        before = held(tmp_path)
        for way, kind in (("replace", Path), ("link", os)):
            real = getattr(kind, way)

            def fails(source, target, real=real):
                if Path(target) == tmp_path / "b":
                    raise FileExistsError(28, "No space left on device")
                return real(source, target)

            monkeypatch.setattr(kind, way, fails)
        with refused(ParameterError):
            self.write(tmp_path, "two", "a", "b", force=old)
        assert held(tmp_path) == before

    def test_a_link_is_not_followed_out_of_the_folder(self, tmp_path):
        (tmp_path / "thesis").write_text("years of work")
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "a").symlink_to("../thesis")
        with refused(ParameterError):
            self.write(tmp_path / "out", "one", "a", force=True)
        assert (tmp_path / "thesis").read_text() == "years of work"


class TestInputs:
    @pytest.fixture
    def log(self, tmp_path):
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "log.txt").write_text("visits")
        (tmp_path / "in" / MARKER).write_text('{"wrote": ["log.txt"]}')
        (tmp_path / "link").symlink_to("in/log.txt")
        (tmp_path / "folder").symlink_to("in")
        os.link(tmp_path / "in" / "log.txt", tmp_path / "hard")
        return tmp_path / "in" / "log.txt"

    @pytest.mark.parametrize("named", ["in/log.txt", "link", "hard", "in", "folder/log.txt"])
    @pytest.mark.parametrize(
        "target", ["in/log.txt", "in/../in/log.txt", "link", "hard", "in", "folder", "folder/log.txt"]
    )
    def test_no_input_is_replaced_nor_what_it_lies_in(self, tmp_path, log, named, target):
        before = held(tmp_path)
        if named == "hard" and target in ("in", "folder"):
            return  # the input has a name elsewhere, under which it stays
        for write in (wrote, lambda path, **options: write_text(path, "x", **options)):
            with refused(ParameterError):
                write(tmp_path / target, force=True, inputs=[tmp_path / named])
        assert held(tmp_path) == before

    def test_nothing_is_put_among_the_parts_of_a_table(self, tmp_path):
        wrote(tmp_path / "treated.parquet", "part-00000.parquet")
        with refused(ParameterError):
            write_text(tmp_path / "treated.parquet" / "x", "x", inputs=[tmp_path / "treated.parquet"])

    def test_a_folder_that_holds_inputs_can_take_outputs(self, tmp_path, log):
        write_text(tmp_path / "in" / "report.html", "page", inputs=[log])
        write_text(tmp_path / "in" / "figure.svg", "figure", inputs=[log.parent])
        assert log.read_text() == "visits"


def test_a_suffix_that_does_not_fit_is_told():
    with refused(ParameterError):
        check_suffix("/dev/null", [".csv", ".md", ".tex"])


def test_a_folder_without_write_permission_is_told_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere
    with refused(ParameterError):
        check_target(tmp_path / "a.txt")


@pytest.mark.parametrize(
    "write", [lambda path: write_text(path, "x"), lambda path: check_target(path, parents=False)]
)
def test_a_folder_that_is_missing_is_told_behind_links_too(tmp_path, write):
    (tmp_path / "link").symlink_to("missing")
    with refused(ParameterError):
        write(tmp_path / "link" / "a.txt")


class TestTogether:
    def test_outputs_get_their_names_together(self, tmp_path):
        with together():
            write_text(tmp_path / "a.txt", "a")
            with whole_folder(tmp_path / "b") as folder:
                write_text(folder / "c.txt", "c")
                assert (folder / "c.txt").read_text() == "c"
            assert not (tmp_path / "a.txt").exists()
            assert written(tmp_path / "a.txt").read_text() == "a"
            assert written(tmp_path / "other") == tmp_path / "other"
        assert (tmp_path / "a.txt").read_text() == "a"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b"]
        assert sorted(path.name for path in (tmp_path / "b").iterdir()) == [MARKER, "c.txt"]

    def test_all_or_none(self, tmp_path):
        (tmp_path / "a.txt").write_text("old")
        before = held(tmp_path)
        with suppress(KeyError), together():
            write_text(tmp_path / "a.txt", "new", force=True)
            raise KeyError
        assert held(tmp_path) == before

    def test_what_has_its_name_already_is_taken_back(self, tmp_path):
        (tmp_path / "a.txt").write_text("old")

        def write():
            with together():
                write_text(tmp_path / "a.txt", "new", force=True)
                write_text(tmp_path / "b.txt", "new")
                (tmp_path / "b.txt").write_text("somebody's")

        with refused(ParameterError):
            write()
        assert held(tmp_path) == {"a.txt": b"old", "b.txt": b"somebody's"}
