"""CityHash64 of version 1.0.3, by which FLoC hashed domains: up to 64 bytes, on Python's integers.

Source: google/cityhash, release 1.0.3 (6 October 2011); later releases changed the function.
"""

from quiff.errors import ParameterError

K0, K1, K2, K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
MULTIPLIER = 0x9DDFEA08EB382D69
_MASK = (1 << 64) - 1


def city_hash(text: bytes) -> int:
    """Return the 64-bit hash of up to 64 bytes.

    Examples
    --------
    >>> hex(city_hash(b""))
    '0x9ae16a3b2f90404f'
    """
    n = len(text)
    if n > 64:
        raise ParameterError(what="the text of CityHash", value=n, allowed="at most 64 bytes")
    if n > 32:
        return _up_to_64(text)
    return _up_to_32(text) if n > 16 else _up_to_16(text)


def mixed(u: int, v: int) -> int:
    """Return the hash of two 64-bit numbers."""
    a = (u ^ v) * MULTIPLIER & _MASK
    a ^= a >> 47
    b = (v ^ a) * MULTIPLIER & _MASK
    b ^= b >> 47
    return b * MULTIPLIER & _MASK


def _rotated(value: int, by: int) -> int:
    value &= _MASK
    return (value >> by | value << (64 - by)) & _MASK if by else value


def _shift_mixed(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _number(text: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(text[at : at + size], "little")


def _up_to_16(text: bytes) -> int:
    n = len(text)
    if n > 8:
        a, b = _number(text, 0), _number(text, n - 8)
        return mixed(a, _rotated(b + n, n)) ^ b
    if n >= 4:
        return mixed(n + (_number(text, 0, 4) << 3), _number(text, n - 4, 4))
    if n > 0:
        y, z = text[0] + (text[n >> 1] << 8), n + (text[n - 1] << 2)
        return _shift_mixed(y * K2 ^ z * K3) * K2 & _MASK
    return K2


def _up_to_32(text: bytes) -> int:
    n = len(text)
    a, b = _number(text, 0) * K1, _number(text, 8)
    c, d = _number(text, n - 8) * K2, _number(text, n - 16) * K0
    return mixed(
        (_rotated(a - b, 43) + _rotated(c, 30) + d) & _MASK, (a + _rotated(b ^ K3, 20) - c + n) & _MASK
    )


def _up_to_64(text: bytes) -> int:
    n = len(text)
    v = _half(_number(text, 0) + (n + _number(text, n - 16)) * K0, text, 8, 16, _number(text, 24))
    start = _number(text, 16) + _number(text, n - 32)
    w = _half(start, text, n - 24, n - 16, _number(text, n - 8))
    r = _shift_mixed((v[0] + w[1]) * K2 + (w[0] + v[1]) * K0)
    return _shift_mixed(r * K0 + v[1]) * K2 & _MASK


def _half(a: int, text: bytes, second: int, third: int, z: int) -> tuple[int, int]:
    b, c = _rotated(a + z, 52), _rotated(a, 37)
    a += _number(text, second)
    c += _rotated(a, 7)
    a += _number(text, third)
    return a + z, b + _rotated(a, 31) + c
