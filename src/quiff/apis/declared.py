"""What is wrong in somebody's own class of APIs, told where it is declared or as soon as it answers."""

from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Any

from quiff.core.channel import Channel
from quiff.errors import ParameterError, typed

_CHANNELS = ("secret", "observe", "over_time", "channel")


def check_class(api: type, **declared: tuple[Any, ...]) -> None:
    """Refuse attributes of other kinds or values than these; let its channels be nothing but channels.

    >>> class Api: needs = "country"
    >>> check_class(Api, needs=(tuple, list))
    Traceback (most recent call last):
    quiff.errors.ParameterError: needs of Api must be tuple or list, not 'country'
    """
    own = vars(api)
    for name, allowed in declared.items():
        value = own.get(name, allowed[0])
        if value not in allowed and not isinstance(value, (property, *filter(_is_type, allowed))):
            words = " or ".join(each.__name__ if _is_type(each) else repr(each) for each in allowed)
            raise ParameterError(what=f"{name} of {api.__name__}", value=value, allowed=words)
    for name in _CHANNELS:
        if isfunction(own.get(name)):
            setattr(api, name, _a_channel(name, typed(own[name])))


def _is_type(value: object) -> bool:
    return isinstance(value, type)


def _a_channel(name: str, method: Callable[..., Any]) -> Callable[..., Channel]:
    """Let a method return a channel, and nothing else."""

    @wraps(method)
    def checked(self: Any, *args: Any, **options: Any) -> Channel:
        answer = method(self, *args, **options)
        if isinstance(answer, Channel):
            return answer
        place, kind = f"{name}() of {type(self).__name__}", type(answer).__name__
        raise ParameterError(f"{place} must return a quiff.Channel, not {kind}")

    return checked
