"""Programs for teaching: plain functions of the literature, whose leakage is known by hand.

`quiff.testing.gallery` has their channels, and why their numbers are what they are.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from quiff.programs.draws import Draw


def monty_hall(prize: int, draw: Draw, left: Fraction = Fraction(1, 2)) -> int:
    """Open a door: not the player's, which is 0, and not the one with the prize."""
    shut = [door for door in (1, 2) if door != prize]
    return shut[0] if len(shut) == 1 or draw.flip(left) else shut[1]


def password_timing(password: str, draw: Draw, guess: str = "aaaa") -> tuple[bool, int]:  # noqa: ARG001
    """Compare letter by letter and stop at the first that is wrong: the time tells how far it came."""
    for steps, (mine, theirs) in enumerate(zip(password, guess, strict=True), 1):
        if mine != theirs:
            return False, steps
    return True, len(guess)


def password_in_constant_time(password: str, draw: Draw, guess: str = "aaaa") -> tuple[bool, int]:  # noqa: ARG001
    """Compare all letters before the answer."""
    right = sum(mine == theirs for mine, theirs in zip(password, guess, strict=True))
    return right == len(guess), len(guess)


def warner(secret: bool, draw: Draw, truth: Fraction = Fraction(3, 4)) -> bool:
    """Answer truthfully with some probability, else the contrary (Warner, 1965)."""
    return secret if draw.flip(truth) else not secret


def randomised_response(secret: int, draw: Draw, k: int = 4, truth: Fraction = Fraction(1, 2)) -> int:
    """Answer truthfully with some probability, else with one of the k - 1 other answers."""
    if draw.flip(truth):
        return secret
    return draw.uniform([other for other in range(k) if other != secret])


def dining_cryptographers(payer: Any, draw: Draw, bias: Fraction = Fraction(1, 2)) -> tuple[bool, ...]:
    """Announce whether neighbouring coins agree; who paid says the contrary (Chaum, 1988)."""
    coins = [draw.flip(bias) for _ in range(3)]
    return tuple((coins[i] == coins[i - 1]) != (payer == i) for i in range(3))


def square_and_multiply(exponent: int, draw: Draw, bits: int = 8) -> Iterator[str]:  # noqa: ARG001
    """Show every operation of an exponentiation: a bit of the secret decides whether to multiply."""
    for bit in reversed(range(bits)):
        yield "square"
        if exponent >> bit & 1:
            yield "multiply"
