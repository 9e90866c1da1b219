"""Loops compiled beside a command: only where they are lacking, and those that it needs last."""

import os
import subprocess
import sys
from contextlib import nullcontext

import pytest

from quiff.cli import ahead


@pytest.mark.parametrize("lacking", [True, False])
def test_a_process_starts_only_if_a_loop_is_lacking(monkeypatch, lacking):
    started = []
    monkeypatch.setattr(ahead, "_lacking", lambda: lacking)
    monkeypatch.setattr(ahead, "_beside", lambda what: started.append(what) or nullcontext())
    with ahead.compiling_last():
        pass
    assert started == ["last"] * lacking


@pytest.mark.full
def test_the_last_loops_of_attacks_are_kept_for_the_command(tmp_path):
    """Linking two sites, and the bound; the loops that match users are left to the command."""
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "quiff.cli.ahead", "last"], env=env, check=True)
    kept = {path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")}
    assert {"link_kernels.rank_linked", "loops.tally_bits", "kernels.best_shares"} <= kept
    assert "kernels.rank_by_bits" not in kept


def test_nothing_is_imported_from_the_folder_that_it_is_run_in(tmp_path, monkeypatch):
    (tmp_path / "numba.py").write_text("open('run', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    with ahead._beside("nothing") as other:
        other.wait()
    assert not (tmp_path / "run").exists()


def test_the_process_ends_with_the_block_whatever_happens_in_it():
    with pytest.raises(ZeroDivisionError), ahead._beside("report") as other:
        raise ZeroDivisionError
    assert other.poll() is not None
