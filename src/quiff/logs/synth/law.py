"""The law of the synthetic logs: how many rows, which of them clicks, on what, and when.

The figures are those that the paper prints for the AOL log (tables "Experimental datasets statistics" and
"Treated and Reduced datasets statistics"), and the shape in between is the simplest that meets them:

- **Rows of a user.** The logarithm is a piecewise linear function of a standard normal variable, through the
  published quartiles, 95 % and 99 % quantiles. That gives 54.9 rows on average; with the one outlier, who
  has 0.425 rows per user of the log, it is 55.4.
- **Clicks.** Each user clicks with a probability of their own, from a beta distribution: 53.4 % of all rows
  have a URL, and one user in five never clicks.
- **Domains.** The domain of popularity rank k (from 0) has a probability proportional to the integral of
  x^-0.95 from k+2 to k+3. Every 150 ranks in a row form a shelf with one domain of each theme. Below the
  first shelf, which is for everyone, six visits in ten go to a domain of the same shelf with a theme that
  interests the user. With a probability of the user's own, a visit goes back to one of eight favourites.
- **Times.** Sessions of four rows on average, at any day of the 92, by night less than by day.
"""

from statistics import NormalDist

import numpy as np

from quiff.core.numbers import Array

DAYS = 92  # 1 March to 31 May 2006
MEAN_ROWS = 55.37
N_THEMES = 150
N_DOMAINS = 13_400 * N_THEMES

_QUANTILES = {0.25: 5, 0.5: 17, 0.75: 52, 0.95: 228, 0.99: 566}
_FURTHEST = 5.0  # standard deviations; beyond them the number of rows no longer grows
OUTLIER_CLICKS = 150_802 / 279_430
_OUTLIER_SHARE = 279_430 / 657_426
_OUTLIER_MOST = 279_430
_CLICKS, _NO_CLICKS = 0.3366, 0.2934  # of the beta distribution, mean 0.5343

_EXPONENT, _SHIFT = 0.95, 2.0
_OWN_THEME = 0.6
_INTERESTS, _INTEREST_RATIO = 6, 0.7
_FAVOURITES, _FAVOURITE_RATIO = 8, 0.35
_THEME_EXPONENT, _THEME_SHIFT = 0.8, 3.0

_SESSION = 1 / 4  # probability that a row starts a session
_PAUSE = 90.0  # seconds between two rows of a session, on average
_HOURS = (5, 3, 2, 1, 1, 2, 3, 5, 7, 9, 10, 10, 10, 10, 10, 11, 11, 11, 12, 13, 13, 13, 11, 8)
_DAY = 86_400


def _knots() -> tuple[Array, Array]:
    """Return the piecewise linear function from a normal variable to the logarithm of the rows."""
    normal = NormalDist()
    z = np.array([normal.inv_cdf(share) for share in _QUANTILES])
    logs = np.log(list(_QUANTILES.values()))
    slopes = np.diff(logs) / np.diff(z)
    low = logs[0] - slopes[0] * (z[0] + _FURTHEST)
    high = logs[-1] + slopes[-1] * (_FURTHEST - z[-1])
    return np.array([-_FURTHEST, *z, _FURTHEST]), np.array([low, *logs, high])


_Z, _LOGS = _knots()


def _shares(weights: Array) -> Array:
    """Return the cumulative shares of some weights; the last is 1."""
    total = np.cumsum(weights, dtype=float)
    return np.asarray(total / total[-1])


_THEME_SHARES = _shares((np.arange(N_THEMES) + _THEME_SHIFT) ** -_THEME_EXPONENT)
_INTEREST_SHARES = _shares(_INTEREST_RATIO ** np.arange(_INTERESTS))
_FAVOURITE_SHARES = _shares(_FAVOURITE_RATIO ** np.arange(_FAVOURITES))
_HOUR_SHARES = _shares(np.array(_HOURS))


def rows_per_user(rng: np.random.Generator, n_users: int) -> Array:
    """Return how many rows each of some users has, at least one."""
    logs = np.interp(rng.standard_normal(n_users), _Z, _LOGS)
    return np.maximum(np.rint(np.exp(logs)), 1).astype(np.int64)


def outlier_rows(n_users: float) -> int:
    """Return the rows of the one outlier, in proportion to the users, at most 279 430."""
    return min(round(_OUTLIER_SHARE * n_users), _OUTLIER_MOST)


def click_chances(rng: np.random.Generator, n_users: int) -> Array:
    """Return the probability that a row has a URL, for each of some users."""
    return rng.beta(_CLICKS, _NO_CLICKS, n_users)


def clicked_domains(rng: np.random.Generator, users: Array, n_users: int) -> Array:
    """Return the popularity rank of the domain of each click, given whose click it is (0 to n_users - 1)."""
    interests = _pick(rng, _THEME_SHARES, n_users * _INTERESTS).reshape(n_users, _INTERESTS)
    everyone = np.repeat(np.arange(n_users), _FAVOURITES)
    favourites = _visited(rng, interests, everyone).reshape(n_users, _FAVOURITES)
    loyalty = rng.random(n_users)
    domains = _visited(rng, interests, users)
    returns = np.flatnonzero(rng.random(users.shape[0]) < loyalty[users])
    domains[returns] = favourites[users[returns], _pick(rng, _FAVOURITE_SHARES, returns.shape[0])]
    return domains


def _visited(rng: np.random.Generator, interests: Array, users: Array) -> Array:
    """Return the ranks of domains by popularity and by the users' interests."""
    low, high = _SHIFT ** (1 - _EXPONENT), (N_DOMAINS + _SHIFT) ** (1 - _EXPONENT)
    x = (low + (high - low) * rng.random(users.shape[0])) ** (1 / (1 - _EXPONENT))
    ranks: Array = np.minimum(x - _SHIFT, N_DOMAINS - 1).astype(np.int64)
    own = np.flatnonzero((ranks >= N_THEMES) & (rng.random(users.shape[0]) < _OWN_THEME))
    themes = interests[users[own], _pick(rng, _INTEREST_SHARES, own.shape[0])]
    ranks[own] += themes - ranks[own] % N_THEMES
    return ranks


def query_times(rng: np.random.Generator, counts: Array) -> Array:
    """Return the seconds since the first midnight for each row, in order for each user, given their rows."""
    n_rows = int(counts.sum())
    starts = rng.random(n_rows) < _SESSION
    starts[np.cumsum(counts) - counts] = True
    n_sessions = int(np.count_nonzero(starts))
    hours = _pick(rng, _HOUR_SHARES, n_sessions)
    begins = rng.integers(DAYS, size=n_sessions) * _DAY + hours * 3600 + rng.integers(3600, size=n_sessions)
    pauses = rng.standard_exponential(n_rows) * _PAUSE
    passed = np.cumsum(pauses)
    session = np.cumsum(starts) - 1
    since = passed - passed[np.flatnonzero(starts)][session]
    seconds = np.minimum(begins[session] + since.astype(np.int64), DAYS * _DAY - 1)
    # one number orders by user, then by time; the other columns do not depend on the time
    users = np.repeat(np.arange(counts.shape[0]) * (DAYS * _DAY), counts)
    keys: Array = np.sort(users + seconds)
    return np.asarray(keys - users)


def _pick(rng: np.random.Generator, shares: Array, size: int) -> Array:
    """Return positions drawn at random, given the cumulative shares."""
    return np.searchsorted(shares, rng.random(size), side="right")
