"""How many words of 64 bits something takes."""

__all__ = ["words_for"]


def words_for(bits: int) -> int:
    """Return how many words hold this many bits.

    Examples
    --------
    >>> words_for(349)
    6
    """
    return -(-bits // 64)
