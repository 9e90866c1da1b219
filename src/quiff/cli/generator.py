"""From the signature of a registered function to its command: options, help, outputs, and what it prints.

An argument is an option of its name, with its type, default and text. What a type stands for on the command
line, such as people or a connected engine, has options of its own: the fields of a class in this room.
"""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import click

from quiff.cli.kinds import Output, at_option, kind_of
from quiff.cli.outputs import FORCE, check_outputs
from quiff.cli.source import REQUIRED, Argument, Source, command_source, source_of
from quiff.cli.terminal import echo
from quiff.safe_text import rows_shown
from quiff.theory.parameters import check_whole

_SPEC = (
    "An API: NAME, NAME:parameter=value,..., or FILE.py:NAME for your own (the file is run); with + between"
    " two, one observer sees both. See quiff apis."
)
_FORCE = (
    "Replace outputs that are there already: files, and folders with nothing in them but what quiff wrote."
    " Inputs are never replaced."
)


@dataclass(frozen=True)
class Provider:
    """Where the value of an argument of some type comes from: a class, whose fields are options."""

    title: str
    file: str
    name: str
    without: tuple[str, ...] = ()

    @property
    def source(self) -> Source:
        """The class."""
        return source_of(self.file, self.name)

    def arguments(self, outer: Argument) -> Iterator[Argument]:
        """Yield its options; one with the name of the argument itself is needed as much as that."""
        for name, inner in self.source.arguments.items():
            if name == outer.name:
                yield replace(inner, default=REQUIRED if outer.default is REQUIRED else None)
            elif name not in ("typed", "memory", "usual", *self.without):
                yield inner

    def make(
        self, values: Mapping[str, Any], *, memory: float = 2.0, usual: str | None = None, **_: Any
    ) -> Any:
        """Return the value that the options describe, with what else was typed and how it is registered."""
        own = {name: values[name] for name in self.source.arguments if name in values}
        made = getattr(import_module(f"quiff.cli.{self.file}"), self.name)
        return made(**own, typed=values, memory=memory, usual=usual)


_DRAWN, _ENGINE = ("rates", "users", "how", "drift"), ("engine", "master")
_OF_READ = ("columns", "weights", "missing", "epoch", "genuine")  # people who are not drawn
PROVIDERS = {
    "Population": Provider("People", "people", "Asked", (*_DRAWN, *_ENGINE)),
    "People": Provider("People", "people", "Asked", (*_DRAWN, *_ENGINE)),
    "PeopleOverTime": Provider("People", "people", "Asked", (*_DRAWN, *_ENGINE, "epoch")),
    "ManyPeople": Provider("People", "people", "Asked", _DRAWN),
    "ManyPeopleOverTime": Provider("People", "people", "Asked", (*_DRAWN, "epoch")),
    "Visitors": Provider("People", "people", "Asked", (*_ENGINE, *_OF_READ)),
    "RatedPeople": Provider(
        "People", "people", "Asked", (*_ENGINE, *_OF_READ, "attribute", "histories", "drift")
    ),
    "Engine": Provider("Engine", "pipeline", "Engine"),
    "LogFormat": Provider("Log", "pipeline", "LogForm"),
    "Suffixes": Provider("Domains", "pipeline", "SuffixList"),
    "Classification": Provider("Classification", "pipeline", "TopicsOfDomains"),
}
"""What stands behind the types of arguments."""
_TITLES = ("People", "API", "Options", "Log", "Domains", "Classification", "Engine", "Output")
_PRESENTERS = {
    "Findings": "show_result",
    "Result": "show_result",
    "Listed": "show_listed",
    "Gathered": "show_people",
    "None": "",
}


def _provider(argument: Argument) -> Provider | None:
    return PROVIDERS.get("Engine" if argument.name == "con" else argument.kind)


def _limit_memory(ctx: click.Context, param: click.Parameter, size: str | None) -> str | None:
    """Limit the memory of the run until the command ends; what cannot even start is refused."""
    if size is not None:
        from quiff.core.limits import PROCESS, bytes_of, check_need, memory_limit

        with at_option(ctx, param):
            limit = bytes_of(size)
        with memory_limit(limit / 2**30):
            check_need("quiff itself takes about", PROCESS)
        ctx.with_resource(memory_limit(limit / 2**30))
    return size


def _set_digits(ctx: click.Context, param: click.Parameter, digits: int | None) -> int | None:
    if digits is not None:
        from quiff.results.numbers import significant

        with at_option(ctx, param):
            ctx.with_resource(significant(check_whole("digits", digits, 1, 15)))
    return digits


def _show_rows(ctx: click.Context, param: click.Parameter, wanted: bool | None) -> bool | None:
    if wanted:
        ctx.with_resource(rows_shown())
    return wanted


_CALLBACKS = {"memory_limit": _limit_memory, "digits": _set_digits, "show_rows": _show_rows}


class Option(click.Option):
    """An option of an argument, and the heading under which the help lists it."""

    def __init__(self, argument: Argument, title: str, **options: Any) -> None:
        name, default = argument.name.rstrip("_").replace("_", "-"), argument.default
        if argument.kind == "bool":
            spelt = {True: f"--no-{name}", False: f"--{name}"}.get(default, f"--{name}/--not-{name}")
            options |= {"is_flag": True, "default": None}
            if default is True:
                options["flag_value"] = False
        else:
            spelt = f"--{name}"
            options = {"type": kind_of(argument), "multiple": argument.repeated} | options
        callback = _CALLBACKS.get(argument.name)
        super().__init__(
            [spelt, argument.name],
            help=_help(argument),
            required=default is REQUIRED,
            metavar=_metavar(argument),
            is_eager=argument.name == "memory_limit",  # which is looked at before other words are
            callback=callback,
            **options,
        )
        self.title = title


class ApiOption(Option):
    """The option ``--api``, of which a command takes one or several."""

    def __init__(self, argument: Argument) -> None:
        self._several = argument.repeated
        super().__init__(
            replace(argument, name="api", default=None, about=f"{_SPEC} {argument.about}"), "API"
        )
        self.multiple = True

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the texts; a second one where one is taken is refused."""
        specs = super().process_value(ctx, value) or ()
        if len(specs) > 1 and not self._several:
            raise click.UsageError(f"This command takes one --api, not {len(specs)}.", ctx)
        return specs


def _help(argument: Argument) -> str:
    """Return what the docstring says of an argument, that it may be repeated, and its default."""
    (text, mark, shown), default = argument.about.partition("[default:"), argument.default
    if argument.repeated and "repeated" not in text:
        text = f"{text.rstrip()} May be repeated."
    plain = (
        default is not REQUIRED and default is not None and default != () and not isinstance(default, bool)
    )
    if plain and not mark:
        shown = f" {', '.join(map(str, default)) if isinstance(default, tuple) else default}]"
    return f"{text.rstrip()}  [default:{shown}" if shown else text


def _metavar(argument: Argument) -> str | None:
    if argument.new is not None:
        return "DIR" if "NewFolder" in argument.kind else "FILE"
    if argument.choices or argument.kind == "bool":
        return None
    named = {"memory_limit": "SIZE", "mirror": "DIR"}.get(argument.name)
    kinds = {"Api": "SPEC", "Spec": "SPEC", "Path": "FILE", "int": "N", "float": "X", "Real": "X"}
    return named or next((metavar for word, metavar in kinds.items() if word in argument.kind), "NAME")


class Generated(click.Command):
    """The command of a registered function. It begins only if all its outputs can be written."""

    def __init__(self, name: str) -> None:
        self.source = command_source(name)
        presenter = _PRESENTERS.get(self.source.returns, "show_counts")
        self.presenter = source_of("shown", presenter) if presenter else None
        text = f"{self.source.text}\n\nExample: {self.source.example}".replace("`", "")
        short = text.partition("\n")[0]
        super().__init__(name.rpartition(" ")[2], help=text, short_help=short, callback=self._run)
        self.params = list({param.name: param for param in reversed([*self._parameters()])}.values())[::-1]
        if any(isinstance(param.type, Output) for param in self.params):
            self.params.append(Option(Argument("force", "bool", False, _FORCE), "Output"))

    def _parameters(self) -> Iterator[click.Parameter]:
        """Yield the arguments and options, some of them several times."""
        for argument in self.source.arguments.values():
            provider = _provider(argument)
            needed = argument.placed and argument.default is REQUIRED
            if provider is not None:
                for inner in provider.arguments(argument):
                    yield _place(inner) if inner.name == "people" else Option(inner, provider.title)
            elif argument.name in ("api", "apis") and not (argument.unnamed and not argument.several):
                yield ApiOption(argument)
            elif argument.new is None and (needed or argument.unnamed):
                yield _place(argument)
            elif argument.kind != "Steps" and argument.name != "force":
                yield Option(argument, "Options")
        for argument in () if self.presenter is None else self.presenter.arguments.values():
            if not argument.placed:
                yield Option(argument, "Output")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options under their headings."""
        records: dict[str, list[tuple[str, str]]] = {title: [] for title in _TITLES}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                records[getattr(param, "title", "Output")].append(record)
        abouts = {provider.title: provider.source.text for provider in PROVIDERS.values()}
        for title, entries in records.items():
            if entries:
                with formatter.section(title):
                    for line in abouts.get(title, "").partition("\n\n")[2].splitlines():
                        formatter.write(f"{'':{formatter.current_indent}}{line}".rstrip() + "\n")
                    formatter.write_dl(entries)

    def invoke(self, ctx: click.Context) -> Any:
        """Check all outputs, then do the work."""
        check_outputs(ctx)
        return super().invoke(ctx)

    def _run(self, **typed: Any) -> None:
        """Call the function with what was typed, and print what it returns."""
        from quiff.cli.progress import shown_progress
        from quiff.io import together

        values = {name: value for name, value in typed.items() if value is not None and value != ()}
        function = self.source.load()
        with ExitStack() as stack:
            if self.presenter is None:
                self._call(function, values, stack, None)
                return
            with together():
                shown = stack.enter_context(shown_progress())
                result = self._call(function, values, stack, shown)
                own = {name: values[name] for name in self.presenter.arguments if name in values}
                text = self.presenter.load()(result, shown, **own)
        for param in self.params:
            if (
                getattr(param, "title", "") == "Output"
                and isinstance(param.type, Output)
                and param.name in values
            ):
                echo(f"Wrote {values[param.name]}", err=True)
        echo(text)

    def _call(self, function: Any, values: Mapping[str, Any], stack: ExitStack, shown: Any) -> Any:
        """Return what the function returns; people come before the APIs, which are made for them."""
        from quiff.cli.people import Asked, read_api

        bound, asked, people = inspect.signature(function).bind_partial(), None, None
        for name, argument in self.source.arguments.items():
            provider = _provider(argument)
            if provider is not None and (
                name in (*values, "people") or name not in provider.source.arguments
            ):
                value = provider.make(values, **self.source.registration)
                asked = value if isinstance(value, Asked) else asked
                value = people = value.population() if argument.kind == "Population" else value
                bound.arguments[name] = stack.enter_context(value) if hasattr(value, "__enter__") else value
            elif argument.kind == "Api":
                specs = values.get("api", ())
                apis = tuple(map(read_api, specs)) if asked is None else asked.apis(people)
                bound.arguments[name] = apis if argument.several else apis[-1] if apis else argument.default
            elif argument.kind == "Steps":
                bound.arguments[name] = shown.steps
            elif name == "force":
                bound.arguments[name] = click.get_current_context().meta[FORCE]
            elif name in values:
                bound.arguments[name] = values[name]
        bound.apply_defaults()
        return function(*bound.args, **bound.kwargs)


def _place(argument: Argument) -> click.Argument:
    """Return an argument that stands without the name of an option."""
    several = argument.several or argument.repeated
    metavar = argument.name.upper().removesuffix("S" if several else " ")
    required = argument.default is REQUIRED or argument.several
    shown = f"{metavar}..." if several else metavar if required else f"[{metavar}]"
    return click.Argument(
        [argument.name], type=kind_of(argument), required=required, nargs=-1 if several else 1, metavar=shown
    )
