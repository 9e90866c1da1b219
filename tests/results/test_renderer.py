"""The process that draws: what it cannot draw ends it and nothing else, and the next figure is drawn."""

import os
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.errors import QuiffError
from quiff.results.figures import renderer
from quiff.results.figures.charts import Axis, marks
from quiff.results.figures.figure import Figure
from quiff.results.figures.renderer import render
from words import refused, worded

GOOD = {
    "data": {"values": [{"a": "fine"}]},
    "mark": "bar",
    "encoding": {"x": {"field": "a", "type": "nominal"}},
}


def with_label(label):
    return GOOD | {"data": {"values": [{"a": label}]}}


@pytest.mark.parametrize("label", ["a\x00b", "a\x1bb", "\ufffe", "\ud800"], ids=ascii)
def test_a_figure_that_cannot_be_drawn_is_an_error_and_the_next_one_is_drawn(label):
    with refused(QuiffError):
        render("vegalite_to_svg", with_label(label))
    assert render("vegalite_to_svg", GOOD).startswith(b"<svg")


@pytest.mark.parametrize(
    "label", ["a\x00b", "\x1b[31m", "\ufffe\uffff", "\ud800", "\u202eabc", "a\nb", "\\x00"], ids=ascii
)
def test_every_label_is_drawn(label, tmp_path):
    points = [{"name": label, "kind": kind, "value": 0.1} for kind in (label, "after")]
    axis = Axis("value", label, "probability")
    figure = Figure.of(label, marks(points, axis, (label, "after"), joined=True))
    assert label not in figure.title
    assert label not in str(figure.spec)
    for kind in ("svg", "png", "html"):
        assert figure.write(tmp_path / f"figure.{kind}").stat().st_size > 1000
    assert Figure(label, {"title": label}).spec["title"] == figure.title


def test_a_figure_that_takes_too_long_is_given_up():
    with refused(QuiffError, 0):
        render("vegalite_to_svg", GOOD, patience=0)
    assert render("vegalite_to_svg", GOOD).startswith(b"<svg")


def test_an_interrupt_leaves_nothing_for_the_next_figure(monkeypatch):
    def interrupted(source, size):
        raise KeyboardInterrupt

    render("vegalite_to_svg", GOOD)
    with monkeypatch.context() as patched:
        patched.setattr(renderer, "_whole", interrupted)
        with pytest.raises(KeyboardInterrupt):
            render("vegalite_to_svg", with_label("first"))
    assert b"second" in render("vegalite_to_svg", with_label("second"))


def test_nothing_is_asked_for_over_the_network():
    far = {"data": {"url": "http://127.0.0.1:9/data.csv"}, "mark": "bar"}
    with refused(QuiffError):
        Figure("far", far).to_svg()


def test_several_threads_draw_at_the_same_time():
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(render("vegalite_to_svg", GOOD))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1
    assert len(made) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_draws_by_a_process_of_its_own():
    code = """
import os
from quiff.results.figures.renderer import render
spec = {"data": {"values": [{}]}, "mark": "point"}
first = render("vegalite_to_svg", spec)
child = os.fork()
if child == 0:
    os._exit(0 if render("vegalite_to_svg", spec) == first else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert render("vegalite_to_svg", spec) == first
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


def test_the_command_tells_it_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(renderer, "_WORK", "import os; os.abort()")
    renderer._end()
    result = CliRunner().invoke(main, ["theory", "--figure", str(tmp_path / "figure.svg")])
    monkeypatch.undo()
    renderer._end()
    assert result.exit_code == 1
    worded(result.stderr)
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
