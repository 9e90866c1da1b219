"""Rules that guess the secret by the observation: by frequency, by neighbours, or by a classifier."""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, final

import numpy as np

from quiff.auditing.sample import Sample
from quiff.core.limits import check_fits
from quiff.core.numbers import Array
from quiff.errors import ParameterError, described

RULES = ("frequentist", "nearest", "nearest-scaled")
_MOST_ROWS = 50_000  # that classifiers are fitted to
_MOST_POINTS = 200_000  # distinct observations among which neighbours are looked for
_MOST_VALUES = 256  # of a column that becomes a column for each


class Rule(Protocol):
    """What guesses a secret for every output of a log, from the first part of the rows."""

    name: str

    def guesses(self, sample: Sample, rng: np.random.Generator) -> Array:
        """Return the place of the guessed secret for each output."""


@final
class Frequentist:
    """Guesses the secret that was seen most often with an output; of a new output, the most frequent one."""

    name = "frequentist"

    def guesses(self, sample: Sample, rng: np.random.Generator) -> Array:  # noqa: ARG002 - it draws nothing
        order = np.lexsort((-sample.train, sample.output))
        output, secret, rows = (each[order] for each in (sample.output, sample.secret, sample.train))
        first = np.append(True, output[1:] != output[:-1])
        found = np.full(len(sample.log.outputs), np.argmax(sample.per_secret("train")))
        seen = first & (rows > 0)
        found[output[seen]] = secret[seen]
        return found


@final
class Nearest:
    """Guesses by a vote of the nearest rows: k of them, the logarithm of all, and all others as near.

    Rows with the same observation count together, so that it is the frequentist rule where there are many
    (Cherubin, Chatzikokolakis and Palamidessi, S&P 2019). Distances are Euclidean, in the units of the log
    or, if they are `scaled`, in those of how much each coordinate varies.
    """

    def __init__(self, scaled: bool = False) -> None:
        self._scaled, self.name = scaled, "nearest-scaled" if scaled else "nearest"

    def guesses(self, sample: Sample, rng: np.random.Generator) -> Array:
        from scipy.sparse import csr_array
        from scipy.spatial import cKDTree

        train = sample.matrix("train").T.tocsr()  # outputs x secrets
        rows = np.asarray(train.sum(axis=1)).ravel()
        seen = np.flatnonzero(rows)
        if seen.size > _MOST_POINTS:
            seen = np.sort(rng.choice(seen, _MOST_POINTS, replace=False))
        points = _points_of(sample, seen, rows[seen], self._scaled)
        k = max(1, round(np.log(rows.sum())))
        found = cKDTree(points[seen]).query(points, k=np.arange(1, min(k, seen.size) + 1))
        near = np.asarray(found[1])
        sizes = rows[seen][near]
        used = np.cumsum(sizes, axis=1) - sizes < k
        voting = csr_array((np.ones(used.sum()), (np.nonzero(used)[0], near[used])), (len(points), seen.size))
        return np.asarray((voting @ train[seen]).argmax(axis=1)).ravel()


@final
class Classifier:
    """Guesses as a classifier of scikit-learn does, or anything else with ``fit`` and ``predict``."""

    def __init__(self, model: Any) -> None:
        self.model, self.name = model, type(model).__name__

    def guesses(self, sample: Sample, rng: np.random.Generator) -> Array:
        points, secret, rows = _fitted_rows(sample, rng)
        try:
            self.model.fit(points[rows], secret)
            return np.asarray(self.model.predict(points), dtype=np.int64)
        except (ValueError, TypeError, MemoryError) as error:
            raise ParameterError(
                f"the rule {self.name} cannot be fitted: {described(error)}", what="rule", value=self.name
            ) from error


def rule_of(rule: Any) -> Rule:
    """Return a rule by its name: one of quiff's, or a classifier of scikit-learn; or of a classifier itself.

    Examples
    --------
    >>> rule_of("frequentist").name, rule_of("nearest").name
    ('frequentist', 'nearest')

    Raises
    ------
    ParameterError
        If there is no such rule.
    """
    if not isinstance(rule, str):
        if hasattr(rule, "fit") and hasattr(rule, "predict"):
            return Classifier(rule)
        raise ParameterError(
            f"a rule is a name or has fit and predict, but {type(rule).__name__} has not",
            what="a rule",
            value=rule,
        )
    if rule in RULES:
        return Frequentist() if rule == "frequentist" else Nearest(rule == "nearest-scaled")
    try:
        from sklearn.utils import all_estimators
    except ImportError:
        raise ParameterError(
            f"the rule {rule!r} is not one of {', '.join(RULES)}; for classifiers of scikit-learn install"
            " quiff with its extra audit",
            what="rule",
            value=rule,
            allowed=", ".join(RULES),
        ) from None
    known = dict(all_estimators(type_filter="classifier"))
    if rule not in known:
        raise ParameterError(
            f"there is no rule {rule!r}; the rules are {', '.join(RULES)}, and classifiers of scikit-learn"
            " by their names, such as RandomForestClassifier",
            what="rule",
            value=rule,
            allowed=", ".join(RULES),
        )
    try:
        return Classifier(known[rule]())
    except TypeError as error:
        raise ParameterError(
            f"the rule {rule!r} needs parameters; make it in Python: {error}", what="rule", value=rule
        ) from None


def _fitted_rows(sample: Sample, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return each output as a point, and of some rows of the first part the secrets and outputs."""
    cells = np.repeat(np.arange(sample.train.size), sample.train)
    if cells.size > _MOST_ROWS:
        cells = rng.choice(cells, _MOST_ROWS, replace=False)
    outputs = sample.output[cells]
    seen, rows = np.unique(outputs, return_counts=True)
    return _points_of(sample, seen, rows, True), sample.secret[cells], outputs


def _points_of(sample: Sample, seen: Array, rows: Array, scaled: bool) -> Array:
    """Return each output as a point; if `scaled`, so that the rows of those that were seen vary alike."""
    known = np.zeros(len(sample.log.outputs), dtype=bool)
    known[seen] = True
    points = features(sample.log.outputs, known)
    if not scaled:
        return points
    middle = np.average(points[seen], axis=0, weights=rows)
    spread = np.sqrt(np.average((points[seen] - middle) ** 2, axis=0, weights=rows))
    return np.asarray(points / np.where(spread > 0, spread, 1))


def features(outputs: Sequence[Hashable], seen: Array | None = None) -> Array:
    """Return each output as a point: numbers and embeddings as they are, other values and sets as bits.

    Which values have a bit depends only on the outputs that were `seen`, by default all.

    Examples
    --------
    >>> features([(1.5, "a"), (2.5, "b")]).tolist()
    [[1.5, 1.0, 0.0], [2.5, 0.0, 1.0]]
    """
    records = [each if isinstance(each, tuple) else (each,) for each in outputs]
    if len({len(record) for record in records}) > 1:
        raise ParameterError("observations have different lengths; give embeddings of one length, or sets")
    mask = np.ones(len(records), dtype=bool) if seen is None else seen
    return np.hstack([_points(column, mask) for column in zip(*records, strict=True)])


def _points(column: Sequence[Any], seen: Array) -> Array:
    if not any(isinstance(value, frozenset | tuple) for value in column):
        try:
            numbers = np.array(column, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.array([np.nan])  # words
        if np.isfinite(numbers).all():
            return numbers[:, np.newaxis]
    elif all(isinstance(value, tuple) for value in column) and len({len(value) for value in column}) == 1:
        return np.hstack([_points(part, seen) for part in zip(*column, strict=True)])
    sets = [value if isinstance(value, frozenset) else frozenset([value]) for value in column]
    rows: dict[Hashable, int] = {}
    for place_of in np.flatnonzero(seen):
        for member in sets[place_of]:
            rows[member] = rows.get(member, 0) + 1
    common = sorted(rows, key=lambda member: (-rows[member], str(member)))[:_MOST_VALUES]
    place = {member: k for k, member in enumerate(common)}
    check_fits(len(column), len(place))
    bits = np.zeros((len(column), len(place)))
    for row, value in enumerate(sets):
        bits[row, [place[member] for member in value if member in place]] = 1
    return bits
