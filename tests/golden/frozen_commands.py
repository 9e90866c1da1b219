"""The numbers of every command on two small populations, as data: run this file to freeze them anew.

They are kept apart from the classes that make them, so that these can be rebuilt and the numbers stay. What
each number should be is the matter of other tests; these say which ones a change has moved.
"""

import json
import sys
from pathlib import Path

from click.testing import CliRunner

FOLDER = Path(__file__).parent / "frozen"
MOST = 12  # entries of a list
PEOPLE, WEEKS = FOLDER / "people.csv", FOLDER / "weeks.csv"

COMMANDS = {
    "theory": ["theory"],
    "theory-v2": ["theory", "--api", "topics:n_topics=v2,top_s=3,noise=1/10"],
    "design-capacity": ["design", "--capacity", "50"],
    "design-epsilon": ["design", "--epsilon", "6"],
    "design-utility": ["design", "--utility", "0.9"],
    "design-people": ["design", "--people", PEOPLE, "--utility", "0.9"],
    "epochs": ["epochs", PEOPLE, "--observations", "5", "--utility"],
    "epochs-weighted": ["epochs", PEOPLE, "--observations", "4", "--weights", "weight"],
    "epochs-changing": ["epochs", WEEKS, "--observations", "3"],
    "popularity": ["popularity", PEOPLE, "--simulations", "50", "--seed", "1"],
    "simulate-rules": ["rules", PEOPLE, "--seed", "1"],
    "attack": ["attack", "compare", PEOPLE, "--observations", "5", "--seeds", "2", "--targets", "all"],
    "paper": ["paper"],
}


def numbers(answer, path=""):
    """Yield every number of a JSON answer with its place; names and sentences may change."""
    if isinstance(answer, dict):
        for key, value in answer.items():
            yield from numbers(value, f"{path}/{key}")
    elif isinstance(answer, list):
        yield f"{path}/length", len(answer)
        for place, value in enumerate(answer[:MOST]):
            yield from numbers(value, f"{path}/{place}")
    elif isinstance(answer, int | float) and not isinstance(answer, bool):
        yield path, answer


def answered(name):
    """Run a command and return its numbers by their places."""
    from quiff.cli import main

    none = {"QUIFF_MIRROR": "", "QUIFF_CACHE": str(FOLDER / "none")}  # no public list is at hand
    done = CliRunner().invoke(main, [*map(str, COMMANDS[name]), "--json"], env=none)
    assert done.exit_code == 0, done.output
    from golden.places import old_places

    return dict(numbers(old_places(name, json.loads(done.stdout), done.stdout)))


if __name__ == "__main__":
    for chosen in sys.argv[1:] or COMMANDS:
        (FOLDER / f"{chosen}.json").write_text(json.dumps(answered(chosen), indent=0) + "\n")
