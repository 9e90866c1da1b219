"""How much a channel adds to what an adversary can expect to gain."""

from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.errors import GainError, LabelError, typed
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability


@typed
def leakage(prior: Prior, channel: Channel, gain: Gain | None = None, additive: bool = False) -> Number:
    """Return V_g[pi > C] / V_g(pi) (paper, eq. leakage), or their difference.

    Parameters
    ----------
    prior, channel, gain
        As for `posterior_vulnerability`; gain None is Bayes.
    additive
        Whether to return the difference instead of the ratio.

    Examples
    --------
    >>> from quiff import Channel, Prior, leakage
    >>> users = Prior.uniform(["Alice", "Bob", "Carol"])
    >>> leakage(users, Channel.deterministic({"Alice": 1, "Bob": 0, "Carol": 1}))
    Fraction(2, 1)

    Raises
    ------
    GainError
        If the prior vulnerability is 0, so that there is no ratio.
    """
    before = vulnerability(prior, gain)
    after = posterior_vulnerability(prior, channel, gain)
    if additive:
        return after - before
    if before == 0:
        raise GainError("the prior vulnerability is 0, so there is no ratio to it; ask for additive=True")
    return after / before


@typed
def dalenius_leakage(joint: Prior, C: Channel, gain: Gain | None = None) -> Number:
    """Return what C leaks about another secret Z that is correlated with its input.

    DL = V_g[rho > B C] / V_g(rho), where the joint distribution is rho, the marginal on Z, followed by B,
    the channel from Z to the inputs (paper, Sec. 2.3, unknown correlations). Whatever the correlation and
    the gain, it is at most ``bayes_capacity(C)``.

    Parameters
    ----------
    joint
        A prior on pairs (z, x), with x an input of C.
    C
        The channel.
    gain
        A gain on the values of Z; None is Bayes.

    Examples
    --------
    >>> from quiff import Channel, Prior, dalenius_leakage
    >>> joint = Prior({("old", "Alice"): 0.25, ("old", "Bob"): 0.25, ("young", "Carol"): 0.5})
    >>> dalenius_leakage(joint, Channel.identity(["Alice", "Bob", "Carol"]))
    2.0
    """
    table: dict[object, dict[object, Number]] = {}
    for pair, probability in joint.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise LabelError(what="a label of the joint prior", value=pair, allowed="a pair (z, x)")
        C.inputs.position(pair[1], "input of the channel")
        table.setdefault(pair[0], {})[pair[1]] = probability
    rho = {z: sum(row.values()) for z, row in table.items()}
    # A z that never happens may have any row; it weighs nothing.
    rows = {
        z: {x: value / rho[z] for x, value in row.items() if value} if rho[z] else {C.inputs[0]: 1}
        for z, row in table.items()
    }
    return leakage(Prior(rho), Channel.sparse(rows, outputs=C.inputs) @ C, gain)
