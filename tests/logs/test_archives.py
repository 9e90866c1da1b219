"""Archives that mean harm, made on the spot; and those that do not."""

import gzip
import io
import ntpath
import stat
import tarfile
import zipfile
from pathlib import Path, PureWindowsPath

import hypothesis
import hypothesis.strategies as st
import pytest

from quiff.errors import QuiffError, SizeError
from quiff.logs.archives import Limits, check_archive, files_digest, read_files, safe_name, unpack
from words import refused

ESCAPES = [
    "../up", "a/../../up", "/etc/passwd", "//host/share", "\\windows", "C:\\x", "a\\..\\..\\up", "./C:",
    "a/C:/x", ".. /up", "a/.. ./up", "...",
]  # fmt: skip
NOT_PLAIN = [
    "c:x", "./c:x", "a:stream", "Acme Inc.", "b /c", "NUL", "a/con.txt", "Com1", "lpt9.csv", "aux .txt",
    "CONIN$", "COM\u00b9",
]  # fmt: skip


def make_zip(path, content, packing=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name), data, packing)
    return path


def make_tar(path, content, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for name, data in content.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


MAKERS = {
    "zip": make_zip,
    "stored zip": lambda path, content: make_zip(path, content, zipfile.ZIP_STORED),
    "tar": lambda path, content: make_tar(path, content, "w"),
    "tar.gz": make_tar,
    "tar.bz2": lambda path, content: make_tar(path, content, "w:bz2"),
    "tar.xz": lambda path, content: make_tar(path, content, "w:xz"),
}


@pytest.fixture(params=MAKERS)
def make(request, tmp_path):
    return lambda content: MAKERS[request.param](tmp_path / "archive", content)


def test_files_come_out_as_they_went_in(make, tmp_path):
    content = {"top/a.csv": b"a,b\n" * 100_000, "top/lists/ü b.csv": b"", "c": bytes(range(256))}
    path = make(content)
    assert {name: stream.read() for name, stream in read_files(path)} == content
    assert [name for name, _ in read_files(path, "lists")] == ["ü b.csv"]
    out = unpack(path, tmp_path / "new" / "out")
    assert {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("[!.]*") if p.is_file()} == content


def test_a_stream_can_be_read_by_lines_and_left_early(make):
    path = make({"a": b"1\n2\n3\n", "b": b"4\n"})
    assert [stream.readline() for _, stream in read_files(path)] == [b"1\n", b"4\n"]


def test_an_empty_archive_is_no_error(make):
    assert list(read_files(make({}))) == []


@pytest.mark.parametrize("name", ESCAPES + NOT_PLAIN)
def test_a_name_that_leaves_the_folder_is_refused_before_anything_is_read(make, name, tmp_path):
    path = make({"innocent": b"1", name: b"2"})
    with refused(QuiffError) as first:
        next(read_files(path))
    with pytest.raises(QuiffError) as second:
        unpack(path, tmp_path / "deep" / "out")
    assert str(second.value) == str(first.value)
    assert {p.name for p in tmp_path.rglob("*")} == {"archive"}


def _is_device(name):
    """What Python says that Windows takes for a device; 3.13 has it elsewhere."""
    known = getattr(ntpath, "isreserved", None)
    return known(name) if known else PureWindowsPath(name).is_reserved()


@hypothesis.given(st.text(st.sampled_from("a./\\:C\n NUL1"), max_size=9))
@hypothesis.example("./C:")
def test_a_name_stays_inside_or_is_refused(name):
    try:
        inside = safe_name(name)
    except QuiffError:
        return
    assert not Path(inside).is_absolute()
    assert Path("/srv/folder", inside).resolve().is_relative_to("/srv/folder")
    assert PureWindowsPath("D:/srv", inside).is_relative_to("D:/srv")
    assert not PureWindowsPath(inside).drive
    assert not _is_device(inside)
    assert safe_name(inside) == inside


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_file_are_refused(tmp_path, kind):
    with tarfile.open(tmp_path / "archive", "w:gz") as archive:
        entry = tarfile.TarInfo("member")
        entry.type = kind
        entry.linkname = "/etc/passwd"
        archive.addfile(entry)
    with refused(QuiffError):
        check_archive(tmp_path / "archive")


@pytest.mark.parametrize("form", [stat.S_IFLNK, stat.S_IFIFO])
def test_links_and_devices_in_a_zip_file_are_refused(tmp_path, form):
    with zipfile.ZipFile(tmp_path / "archive", "w") as archive:
        entry = zipfile.ZipInfo("member")
        entry.external_attr = (form | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    with refused(QuiffError):
        check_archive(tmp_path / "archive")


def test_an_encrypted_member_is_refused(tmp_path):
    path = make_zip(tmp_path / "archive", {"member": b"1"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with refused(QuiffError):
        check_archive(path)


def test_a_name_that_is_there_twice_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("x", "2")
    with refused(QuiffError):
        check_archive(tmp_path / "a.zip")
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name in ("x", "./x"):
            tar.addfile(tarfile.TarInfo(name))
    with refused(QuiffError):
        check_archive(tmp_path / "a.tar")


@pytest.mark.parametrize("name", ["a\x00b", "a\x1b[31m", "a\nb"])
def test_unprintable_names_are_refused(tmp_path, name):
    path = make_zip(tmp_path / "archive", {"plain": b""})
    path.write_bytes(path.read_bytes().replace(b"plain", name.encode().ljust(5, b"x")[:5]))
    with refused(QuiffError):
        check_archive(path)


def test_a_bomb_is_told_from_its_ratio(make, tmp_path):
    path = make({"zeros": bytes(20 << 20)})
    if path.stat().st_size > 1 << 20:  # not packed: no bomb
        check_archive(path)
        return
    with refused(SizeError):
        check_archive(path)
    with pytest.raises(SizeError):
        unpack(path, tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["archive"]


def test_limits_on_number_and_size(make):
    path = make({f"file {i}": b"x" * 1000 for i in range(20)})
    check_archive(path)
    with refused(SizeError, 19):
        check_archive(path, limits=Limits(members=19))
    with refused(SizeError, 19999):
        check_archive(path, limits=Limits(size=19_999))


def test_a_zip_file_that_lies_about_its_sizes_gives_no_more_than_it_tells(tmp_path):
    path = make_zip(tmp_path / "archive", {"member": bytes(5 << 20)})
    data = path.read_bytes().replace((5 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    path.write_bytes(data)
    with refused(QuiffError):
        [stream.read() for _, stream in read_files(path)]


def test_a_tar_bomb_is_stopped_while_it_unfolds(tmp_path):
    """The header tells 10 bytes; what is packed behind it goes on and on."""
    entry = tarfile.TarInfo("member")
    entry.size = 10
    path = tmp_path / "archive"
    with gzip.open(path, "wb") as file:
        file.write(entry.tobuf() + b"x" * 512)
        other = tarfile.TarInfo("GNU long name")
        other.type = tarfile.GNUTYPE_LONGNAME
        other.size = 50 << 20
        file.write(other.tobuf() + bytes(50 << 20))
    with refused(SizeError):
        check_archive(path)


def test_a_sparse_file_is_refused(tmp_path):
    entry = tarfile.TarInfo("member")
    entry.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    block[386:398] = b"00000000000\0"  # one piece of data: where, and how long
    block[398:410] = b"00000000000\0"
    block[483:495] = b"77777777777\0"  # eight gigabytes that are nowhere
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    (tmp_path / "archive").write_bytes(bytes(block) + bytes(1024))
    with refused(QuiffError):
        check_archive(tmp_path / "archive", limits=Limits(free=1 << 40, size=1 << 40))


def test_a_negative_size_is_refused(tmp_path):
    block = bytearray(tarfile.TarInfo("member").tobuf())
    block[124:136] = b"\xff" * 11 + b"\x00"  # -256
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    (tmp_path / "archive").write_bytes(bytes(block) + bytes(1024))
    with refused(QuiffError):
        check_archive(tmp_path / "archive")


def test_every_cut_and_every_flipped_bit_is_an_error_of_ours_or_harmless(make):
    path = make({"a": bytes(range(256)) * 4, "b/c": b"hello" * 100})
    whole = path.read_bytes()
    step = max(1, len(whole) // 150)
    damaged = [whole[:end] for end in range(0, len(whole), step)]
    damaged += [whole[:i] + bytes([whole[i] ^ 0xFF]) + whole[i + 1 :] for i in range(0, len(whole), step)]
    refused = 0
    for data in damaged:
        path.write_bytes(data)
        try:
            for _, stream in read_files(path):
                stream.read()
        except QuiffError:
            refused += 1
    assert refused > 10  # and every other error would have ended the test


def test_a_file_that_is_no_archive(tmp_path):
    (tmp_path / "text").write_text("hello " * 1000)
    for path in (tmp_path / "text", tmp_path / "nowhere", tmp_path):
        with refused(QuiffError):
            check_archive(path)


def test_unpacking_does_not_touch_what_is_there(tmp_path):
    path = make_zip(tmp_path / "archive", {"a": b"new"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    with refused(QuiffError):
        unpack(path, tmp_path / "out")
    assert (tmp_path / "out" / "a").read_text() == "old"


def test_unpacking_a_broken_archive_leaves_nothing(tmp_path):
    path = make_zip(tmp_path / "archive", {"a": b"1" * 1000, "b": b"2" * 1000}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"2" * 1000, b"3" * 1000))
    with refused(QuiffError):
        unpack(path, tmp_path / "out")
    with refused(QuiffError):
        unpack(path, path / "below a file")
    assert [p.name for p in tmp_path.iterdir()] == ["archive"]


def test_the_digest_of_files_sees_names_and_contents(tmp_path):
    contents = [{"t/l/a": b"1"}, {"t/l/a": b"2"}, {"t/l/b": b"1"}, {"t/l/a": b"1", "t/l/b": b""}, {}]
    digests = {files_digest(make_zip(tmp_path / "a.zip", content), "l") for content in contents}
    assert len(digests) == len(contents)
    same = files_digest(make_tar(tmp_path / "a.tar", {"other/l/a": b"1", "other/x": b"9"}), "l")
    assert same == files_digest(make_zip(tmp_path / "a.zip", {"t/l/a": b"1"}), "l")
