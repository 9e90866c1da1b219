"""Random texts for ``--api`` with extreme parameters: measured within the limits, or refused with words."""

import json
import math
import random
import selectors
import subprocess
import sys

from fuzzing import cases
from quiff.apis.base import parameters_of
from quiff.apis.registry import api_from, apis
from quiff.errors import QuiffError

SECONDS = 600.0  # for one text: what work_limit allows takes less
LIMIT = 1.0  # GiB of memory that a run may take
SLACK = 1.1  # what is measured is about what is meant
LARGEST = 9  # the power of ten to which sizes go
FLOATS = (0, 1e-300, 1e-12, 1e-6, 0.001, 0.05, 0.1, 0.5, 0.9, 0.999, 1, 2, 5, 10, 40, 64, 350, 700, 4294)

# A child process measures one text after the other, and says how much memory it has taken.
CHILD = """
import json, sys
import quiff
from quiff.apis.base import all_limits
people = quiff.Population.synthetic(200, seed=1, attributes=("history", "conversions"))
print("ready", flush=True)
for line in sys.stdin:
    said = "measured"
    with quiff.memory_limit(%r):
        for study in (
            lambda api: all_limits(api),
            lambda api: quiff.measure(people, api),
            lambda api: quiff.exposure(people, api),
            lambda api: quiff.over_time(people, api, observations=3),
        ):
            try:
                study(quiff.api_from(json.loads(line)))
            except quiff.QuiffError as error:
                said = f"refused: {error}"
            except Exception as error:
                said = f"broken: {type(error).__name__}: {error}"
                break
    peak = 0.0
    if sys.platform == "linux":
        with open("/proc/self/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**20
    print(json.dumps([said, peak]), flush=True)
"""


class Child:
    """The process that measures, started anew after one that was ended."""

    def __init__(self):
        self.process = None

    def answer(self, spec):
        """Return what became of a text, and the most memory so far in GiB; None after too long a time."""
        if self.process is None:
            command = [sys.executable, "-W", "ignore", "-c", CHILD % LIMIT]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.process.stdout.readline()
        print(json.dumps(spec), file=self.process.stdin, flush=True)
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            done = waiting.select(SECONDS)
        line = self.process.stdout.readline() if done else ""
        if not line:
            self.end()
            return None
        said, peak = json.loads(line)
        if peak > LIMIT * SLACK or said.startswith("broken"):
            self.end()
        return said, peak

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def draw_value(source, default):
    if isinstance(default, bool):
        return source.choice(["True", "False"])
    if isinstance(default, str):
        return default
    if isinstance(default, float) or source.random() < 0.2:
        return repr(source.choice(FLOATS))
    return str(math.floor(10 ** source.uniform(0, LARGEST)))


def draw_spec(source):
    """Return a text that names an API with parameters in range, some of them far from their defaults."""
    name = source.choice([name for name in apis() if name != "fitted"])
    chosen = {}
    for _ in range(30):
        for each in parameters_of(apis()[name]):
            if source.random() < 0.6 and not isinstance(each.default, str):
                trial = chosen | {each.name: draw_value(source, each.default)}
                given = ",".join(f"{key}={value}" for key, value in trial.items())
                try:
                    api_from(f"{name}:{given}")
                except QuiffError:
                    continue
                chosen = trial
        if chosen:
            break
    return f"{name}:{','.join(f'{key}={value}' for key, value in chosen.items())}" if chosen else name


def test_every_text_is_measured_within_the_limits_or_refused():
    child = Child()
    try:
        for seed in cases(8):
            spec = draw_spec(random.Random(seed))
            found = child.answer(spec)
            assert found is not None, f"{spec}: no end within {SECONDS:g} s, seed {seed}"
            assert not found[0].startswith("broken"), (spec, found[0], seed)
            assert found[1] <= LIMIT * SLACK, (spec, found[1], seed)
    finally:
        child.end()
