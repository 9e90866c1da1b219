"""Many observations through any channel: exactly within a limit of work, else estimated from drawn ones."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from math import inf
from typing import final

import numpy as np

from quiff.apis.base import Api
from quiff.core.channel import Channel
from quiff.core.compose import parallel, repeat
from quiff.core.distinct import distinct_codes
from quiff.core.kernels import Kernel, ProductKernel
from quiff.core.kernels.base import BLOCK
from quiff.core.labels import as_labels
from quiff.core.limits import check_work, dense_limit, work_limit
from quiff.core.numbers import Array, Number
from quiff.errors import SizeError
from quiff.measures.capacity import max_case_capacity
from quiff.measures.privacy import epsilon
from quiff.people.groups import Groups, grouped
from quiff.people.population import Population
from quiff.progress import advance
from quiff.weeks.estimate import SAMPLES, Estimate
from quiff.weeks.sequences import changing

_BILLIONS = 0.5  # numbers that are looked at for an exact figure, unless it is asked for whatever it takes
_DRAWN = 300_000_000  # numbers that are looked at for an estimate, if that is enough for _LEAST samples
_LEAST = 200


@final
@dataclass(frozen=True, eq=False)
class Composed:
    """People by what an API shows of them over time, and the channels of 1, 2, ... observations on that."""

    people: Population
    # They by their secret, by the sequence of secrets where these change, one by one where they are random.
    groups: Groups
    channel: Callable[[int], Channel]  # of n observations, from groups
    prefixes: Array | None = None  # the secret of each user in each epoch, (users, epochs), if it changes
    exact: bool = False  # whether to compute exactly whatever it takes
    # What the adversary already knows of each group, which `channel` then shows too; the channel without it.
    known: Channel | None = None
    alone: Callable[[int], Channel] | None = None

    @classmethod
    def of(cls, people: Population, api: Api, *, exact: bool = False) -> "Composed":
        """Compose the observations as the API draws them anew.

        A secret that is drawn once stays: C_secret C_n, with C_n the channel of `Api.over_time`. One that is
        drawn anew is another each time: n times C_secret C_observe. Secrets that change by epoch make the
        parallel composition of the epochs' channels.
        """
        ready = api.fit(people)
        if changing(people, ready):
            return cls._changing(people, ready, exact)
        secret = ready.secret(people)
        if ready.redraws != "secret":

            def seen(n: int) -> Channel:
                return ready.over_time(secret.outputs, n)
        else:
            C = ready.observe(secret.outputs)

            def seen(n: int) -> Channel:
                return repeat(C, n)

        if secret.codes is not None:
            return cls(people, grouped(people, secret), seen, exact=exact)
        users = grouped(people, people.channel())
        if ready.redraws == "secret":
            whole = secret @ C
            return cls(people, users, lambda n: repeat(whole, n), exact=exact)
        return cls(people, users, lambda n: secret @ seen(n), exact=exact)

    @classmethod
    def _changing(cls, people: Population, api: Api, exact: bool) -> "Composed":
        secrets = [api.secret(people.epoch(e)) for e in range(people.n_epochs)]
        shown = [api.observe(secret.outputs) for secret in secrets]
        maps = [secret.codes for secret in secrets if secret.codes is not None]
        if len(maps) < len(secrets):
            parts = [secret @ C for secret, C in zip(secrets, shown, strict=True)]
            groups = grouped(people, people.channel())
            return cls(people, groups, lambda n: reduce(parallel, parts[:n]), exact=exact)
        codes = np.stack(maps, axis=1)
        first, kind = distinct_codes(codes, max(secret.outputs.size for secret in secrets))
        profiles = as_labels(range(first.shape[0]))
        parts = [
            Channel.from_kernel(profiles, C.outputs, C.kernel.take_rows(codes[first, epoch]))
            for epoch, C in enumerate(shown)
        ]
        return cls(
            people, Groups(people, profiles, kind), lambda n: reduce(parallel, parts[:n]), codes, exact
        )

    def knowing(self, names: tuple[str, ...]) -> "Composed":
        """Return the same for an adversary who already knows some attributes of the user."""
        side = self.people.channel(*names)
        groups, codes = self.groups.knowing(side)
        known = Channel.deterministic_from_codes(groups.secrets, codes[:, 1], side.outputs)

        def seen(n: int) -> Channel:
            C = self.channel(n)
            rows = C.kernel.take_rows(codes[:, 0])
            return parallel(known, Channel.from_kernel(groups.secrets, C.outputs, rows))

        return Composed(self.people, groups, seen, None, self.exact, known, self.channel)

    @property
    def prior(self) -> Number:
        """The probability to re-identify the user before any observation, by what is known."""
        return self.groups.best_user if self.known is None else self.groups.reidentified_by(self.known)

    def profiles(self, n: int) -> Groups:
        """Return the people by all that n observations can tell of them."""
        if self.prefixes is None:
            return self.groups
        codes = self.prefixes[:, :n]
        first, kind = distinct_codes(codes, int(codes.max()) + 1)
        return Groups(self.people, as_labels(range(first.shape[0])), kind)

    def distinct(self, n: int) -> int:
        """Return how many different secrets, or sequences of secrets, there are."""
        return int(np.count_nonzero(self.profiles(n).counts))

    def limit(self, n: int) -> Number:
        """Return the leakage if secrets were observed as they are: no n observations leak more."""
        return self.profiles(n).by_secret / self.prior

    def leakage(self, n: int) -> Number:
        """Return the leakage of n observations; raise a SizeError if it is too much work."""
        try:
            with self._limited():
                leakage = self.groups.reidentified_by(self.channel(n)) / self.prior
        except SizeError as error:
            if self.exact:
                raise
            raise SizeError("to compute it exactly takes too long") from error
        # What is beyond the ends is rounding.
        return min(max(leakage, 1.0), float(self.limit(n))) if isinstance(leakage, float) else leakage

    def sampled(self, C: Channel, seed: list[int], samples: int = SAMPLES) -> list[Estimate]:
        """Estimate V = (sum_x w_x) E[max_x w_x C[x,y] / sum_x w_x C[x,y]], w_x of x's most probable person.

        Groups x are drawn as w_x says, and y by C; of a product, there is an estimate for its first 1, 2, ...
        factors each.
        """
        kernel, rng, factors = C.kernel, np.random.default_rng(seed), factors_of(C.kernel)
        each = kernel.n_rows * len(factors)
        check_work(_LEAST * each)
        samples = min(samples, max(_LEAST, _DRAWN // each))
        weights, total = self.groups.foremost.weights_for(self.groups.secrets, "people")
        best = np.asarray(weights, dtype=np.float64) / float(total)
        rows = rng.choice(best.shape[0], size=samples, p=best / best.sum())
        drawn = [factor.sample(rows, rng) for factor in factors]
        shares = np.empty((len(factors), samples))
        step = max(1, BLOCK // kernel.n_rows)
        for start in range(0, samples, step):
            part = slice(start, min(start + step, samples))
            joint = np.repeat(best[:, np.newaxis], part.stop - start, axis=1)
            for place, (factor, outputs) in enumerate(zip(factors, drawn, strict=True)):
                joint *= likelihoods(factor, outputs[part])
                joint /= joint.max(axis=0)  # of many observations the probabilities would vanish
                shares[place, part] = 1 / joint.sum(axis=0)
            advance(part.stop / samples)
        return [Estimate.of_mean(row).times(float(self.groups.by_secret)) for row in shares]

    def worst_case(self, n: int) -> tuple[float, Number] | None:
        """Return epsilon and the max-case capacity of n observations; None if it is too much work."""
        C = (self.alone or self.channel)(n)
        try:
            with self._limited():
                return float(epsilon(C)), max_case_capacity(C)
        except SizeError:
            return None

    def _limited(self) -> ExitStack:
        """Limit the work of what is done inside, or lift all limits if it is to be exact."""
        stack = ExitStack()
        stack.enter_context(work_limit(inf if self.exact else _BILLIONS))
        if self.exact:
            stack.enter_context(dense_limit(inf))
        return stack


def factors_of(kernel: Kernel) -> tuple[Kernel, ...]:
    """Return the factors of a product, which are observed one after the other; else the kernel itself."""
    return tuple(kernel.factors) if isinstance(kernel, ProductKernel) else (kernel,)


def likelihoods(kernel: Kernel, outputs: Array) -> Array:
    """Return P[output | row] as floats, (rows, outputs), each column looked up once."""
    distinct, which = np.unique(outputs, return_inverse=True)
    parts = [kernel.columns(int(y), int(y) + 1).astype(np.float64) for y in distinct]
    return np.concatenate(parts, axis=1)[:, which]
