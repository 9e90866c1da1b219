"""Where the numbers of commands stood in the JSON of 0.2: read from rows, words and payload.

The frozen files keep those places, so that no number is frozen anew; `GONE` are those that have gone.
"""

import re

from quiff.results.result import Result
from read import leakages, learned, occasion, records, risks

GONE = {
    "epochs": (
        r"/epochs/\d+/distinct_profiles",  # of fewer observations; that of the most is there
        r"/call/epochs",  # 3, in the words of the occasion
    ),
    "epochs-weighted": (r"/epochs/\d+/distinct_profiles", r"/risks?(/\d+)?/above_half"),  # now by weight
    "epochs-changing": (r"/epochs/\d+/distinct_profiles",),
    "popularity": (r"/topics/\d+/estimate/standard_error",),  # of the estimate; that of the truth is there
}
ENDS = ("value", "low", "high")


def gone(name, place):
    """Tell whether a number follows from others and has gone."""
    return any(re.fullmatch(pattern, place) for pattern in GONE.get(name, ()))


def old_places(name, data, text):
    """Return the JSON of a command with its numbers in the places that they had."""
    kind = name.partition("-")[0]
    kind = "fitted" if name == "design-people" else kind
    return {**data, **PLACES[kind](data, text)} if kind in PLACES else data


def parameters(data):
    (own,) = data["provenance"]["parameters"].values()
    return own


def theory(data, text):
    (own,) = data["study"]["words"]["forms"].values()
    forms = {row["quantity"]: row["value"] for row in data["rows"] if not row["stage"]}
    names = ("n_users", "all_bits_right", "raw_count_right", "best_count_right", "prior_count_right")
    counting = Result.from_json(text).tables["counting"].rows
    return {**own, **forms, "counting": [dict(zip(names, line, strict=True)) for line in counting]}


def design(data, _):
    return {**parameters(data), "target": data["study"]["words"]["target"], **data["payload"]}


def fitted(data, _):
    people, words, payload = data["population"], data["study"]["words"], data["payload"]
    beside = payload["topics_api"]
    return {
        "users": people["users"],
        "distinct_sets": people["distinct_sets"],
        "fitted_on": people["distinct_sets"] if words["drawn"] is None else words["drawn"],
        "utility": words["utility"],
        "topics_api": {**beside, "top_s": beside["top"], "n_topics": parameters(data)["n_topics"]},
        "fitted": payload["fitted"],
    }


def epochs(data, _):
    users = data["population"]["users"]
    after = [{**row, "epochs": row["observations"]} for row in leakages(data)]
    spread = [
        {**row, "epochs": row["observations"], "above_half": round(users * row["users_above"])}
        for row in risks(data)
    ]
    (before,) = {row["value"] for row in records(data) if row["quantity"] == "prior"}
    naming, reconstruction = learned(data, "topics"), learned(data, "secret")
    call, in_order = occasion(data, "page view"), occasion(data, "page view in order")
    return {
        **parameters(data),
        "users": users,
        "cookies": 1 / before,
        "distinct_profiles": data["study"]["words"]["profiles"],
        "plan": data["study"]["words"]["plan"],
        "epochs": after,
        "risks": spread,
        "risk": spread[-1],
        "call": call and call | {"in_order": in_order["leakage"]},
        "link": occasion(data, "two sites"),
        "utility": [
            {"epochs": n, "naming": one, "reconstruction": whole}
            for n, (one, whole) in enumerate(zip(naming, reconstruction, strict=True))
        ],
    }


def popularity(data, _):
    own, payload, N = parameters(data), data["payload"], data["study"]["words"]["n_users"]
    inside = (1 - own["noise"]) / own["top_s"] + own["noise"] / own["n_topics"]
    outside = own["noise"] / own["n_topics"]

    def ends(numbers):
        return dict(zip(ENDS, numbers, strict=True))

    def value(entry):
        estimate = ends(entry["estimate"])
        shown = round(estimate["value"] * (inside - outside) + N * outside)
        estimate |= {"users": estimate["value"], "reports": shown}
        return entry | {"topic": entry["value"], "share": entry["users"] / N, "estimate": estimate}

    return {
        **own,
        **data["study"]["words"],
        "topics": list(map(value, payload["values"])),
        "chances": [entry | {"simulated": ends(entry["simulated"])} for entry in payload["finding"]],
        "growth": [
            entry | {"first": ends(entry["first"]), "in_order": ends(entry["in_order"])}
            for entry in payload["growth"]
        ],
    }


def simulate(data, _):
    goals = {"call": "user", "link": "link"}

    def leakage(stage, goal):
        (row,) = (row for row in data["rows"] if (row["stage"], row["goal"]) == (stage, goal))
        return {"leakage": row["value"], "low": row["low"], "high": row["high"]}

    return {
        "users": data["population"]["users"],
        "distinct_sets": data["population"]["distinct_sets"],
        "n_topics": parameters(data)["n_topics"],
        "cookies": data["population"]["users"],
        "specified": leakage("", "user")["leakage"],
        "rules": [
            {"with": leakage(rule, goals[by]), "without": leakage(f"-{rule}", goals[by])}
            for rule, by, _ in data["study"]["words"]["rules"]
        ],
    }


def attack(data, _):
    rows, words = data["rows"], data["study"]["words"]
    counts = sorted({row["observations"] for row in rows})
    bounds = {row["observations"]: row for row in rows if row["quantity"] == "posterior"}
    names = [entry["name"] for entry in words["attacks"]]
    rates = {(row["quantity"], row["observations"]): row for row in rows if row["quantity"] in names}
    return {
        **parameters(data),
        "users": data["population"]["users"],
        **{name: words[name] for name in ("targets", "seeds", "earlier")},
        "reidentified": [
            {"epochs": n, "rate": rates[name, n]["value"], "bound": bounds[n]["value"]}
            | {end: rates[name, n][end] for end in ("low", "high")}
            for name in names
            for n in counts
        ],
        "bounds": [
            {
                "epochs": n,
                "reports": words["reports"] - counts[-1] + n,
                **{end: bounds[n][end] if bounds[n][end] is not None else bounds[n]["value"] for end in ENDS},
            }
            for n in counts
        ],
        "noise_removal": [
            entry | {"epochs": entry["observations"]} for entry in data["payload"]["noise_removal"]
        ],
    }


PLACES = {
    "theory": theory, "design": design, "fitted": fitted, "epochs": epochs, "popularity": popularity,
    "simulate": simulate, "attack": attack,
}  # fmt: skip
