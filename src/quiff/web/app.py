"""The page's answers: what each address gives, as JSON, a stream of events, or a file."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from importlib.resources import files
from math import isinf
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from quiff import __version__
from quiff.errors import QuiffError
from quiff.results.figures.figure import Figure
from quiff.results.figures.renderer import vega_bundle
from quiff.results.figures.style import dark_style
from quiff.results.numbers import plain
from quiff.results.table import Table
from quiff.web.guard import Access, Guard
from quiff.web.jobs import BusyError, Jobs
from quiff.web.offers import Offers
from quiff.web.paper import paper_answer, paper_table
from quiff.web.queries import BOUNDS, FieldError, Query, read_design, read_paper, read_people

if TYPE_CHECKING:
    from quiff.apis.base import Api

_Pairs: TypeAlias = list[tuple[str, str]]

_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_PICTURES = ("svg", "png")
_MEMORY = 1.0  # GiB that an answer may take
_WORK = re.compile("/(api|download)/")
_KEPT = 4  # requests whose studies of closed forms are kept for downloads


def make_app(access: Access, jobs: Jobs, apis: "Iterable[Api]" = ()) -> ASGIApp:
    """Return the application that answers the page's requests, behind its guard.

    Parameters
    ----------
    access
        Who may ask.
    jobs
        Runs the studies of people.
    apis
        APIs to offer beside those of the registry, or with other defaults.
    """
    answers = _Answers(jobs, tuple(apis), access.key)
    routes = [
        Route("/", answers.page),
        Route("/static/{name}", answers.asset),
        Route("/vega.js", answers.vega),
        Route("/figures.css", _figures_style),
        Route("/api/settings", answers.settings),
        Route("/api/design", answers.design),
        Route("/api/studies", answers.studies),
        Route("/api/compare", answers.compare),
        Route("/api/people", answers.people),
        Route("/api/paper", answers.paper),
        Route("/download/paper.csv", answers.paper),
        Route("/download/{view}/{section}-{number:int}.{kind}", answers.section_file),
        Route("/download/design-{name}.{kind}", answers.design_file),
    ]
    handlers: dict[Any, Any] = {BusyError: _busy, QuiffError: _bad, HTTPException: _missing}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False  # what is not there is not there
    return Guard(_limited(app), access)


def _limited(app: ASGIApp) -> ASGIApp:
    """Let requests take no more memory than the page may; what the command line says stands."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if not _WORK.search(scope.get("path", "")):  # the page itself, which waits for nothing to be loaded
            await app(scope, receive, send)
            return
        from quiff.core.limits import memory_allowed, memory_limit

        said = memory_allowed()
        with memory_limit(_MEMORY if isinf(said) else said / 2**30):
            await app(scope, receive, send)

    return answer


class _Answers:
    """The answers to the routes; heavy ones are made in threads, so that none waits for another."""

    def __init__(self, jobs: Jobs, apis: "tuple[Api, ...]", key: str) -> None:
        self._jobs = jobs
        self._given = apis
        self._assets = _assets()
        self._key = key
        self._pictures = CapacityLimiter(1)
        self._paper = CapacityLimiter(1)  # who comes first has it checked, the others wait without a thread
        # A section has several files.
        self._sections = lru_cache(maxsize=_KEPT)(lambda query: tuple(self._design.sections(query)))

    async def page(self, request: Request) -> Response:
        """Give the page with its key; if another page led here, it measures nobody until it is asked to."""
        led = request.headers.get("sec-fetch-site") not in ("none", "same-origin")
        text = self._assets["index.html"].decode()
        for name, value in {"key": self._key, "led": "1" if led else "0"}.items():
            text = text.replace(f'<meta name="{name}" content="">', f'<meta name="{name}" content="{value}">')
        return Response(text, media_type="text/html")

    async def asset(self, request: Request) -> Response:
        """Give a file of the page, by its name among those that there are."""
        name = request.path_params["name"]
        if name not in self._assets:
            raise HTTPException(404)
        return Response(self._assets[name], media_type=_KINDS[name[name.rindex(".") :]])

    async def vega(self, _: Request) -> Response:
        """Give the library that draws the figures, as vl-convert holds it."""
        bundle, kept = await to_thread.run_sync(vega_bundle), {"Cache-Control": "private, max-age=3600"}
        return Response(bundle, media_type="text/javascript", headers=kept)

    @cached_property
    def _offers(self) -> Offers:
        """The APIs on the page, loaded when it is first asked for them."""
        profiles = self._jobs.profiles
        return Offers(self._given, () if profiles is None else profiles.population.attributes)

    async def settings(self, _: Request) -> Response:
        """Give what the page needs to begin: bounds, APIs, presets, and whether there is a file."""
        return JSONResponse(await to_thread.run_sync(self._settings))

    def _settings(self) -> dict[str, object]:
        from quiff.web.stories import stories

        profiles = self._jobs.profiles
        file = None if profiles is None else {
            "name": profiles.name,
            "users": profiles.population.n_users,
            "attributes": list(profiles.population.attributes),
        }  # fmt: skip
        return {
            "version": __version__,
            "bounds": BOUNDS,
            "apis": self._offers.settings(),
            "stories": plain(list(stories())),
            "file": file,
        }

    @cached_property
    def _design(self) -> ModuleType:
        """The answers about designs, which the page opens without."""
        from quiff.web import design

        return design

    async def _designed(self, request: Request, work: Callable[[Query], Any]) -> Any:
        """Return what some work gives for the designs of a request, in a thread."""
        pairs = _pairs(request)
        return await to_thread.run_sync(lambda: work(read_design(pairs, self._offers)))

    async def design(self, request: Request) -> Response:
        """Give the closed forms of one API or two, and their figures."""
        answer = await self._designed(request, lambda query: self._design.answer(query, self._offers))
        return JSONResponse(plain(answer))

    async def studies(self, request: Request) -> Response:
        """Give what the studies of closed forms say of one API or two."""
        sections = await self._designed(request, self._sections)
        return JSONResponse([section.fragment("download/design") for section in sections])

    async def compare(self, request: Request) -> Response:
        """Give all APIs of the page beside each other."""
        section, names = await self._designed(request, self._compared)
        return JSONResponse({**section.fragment("download/compare", most_rows=len(names)), "apis": names})

    def _compared(self, query: Query) -> Any:
        return self._design.compared(query, self._offers)

    async def people(self, request: Request) -> Response:
        """Give a study of people as a stream of events."""
        query = await to_thread.run_sync(self._asked, _pairs(request))
        return StreamingResponse(self._jobs.stream(query), media_type="text/event-stream")

    def _asked(self, pairs: _Pairs) -> Query:
        from quiff.web.people import check_size

        query = read_people(pairs, self._offers)
        if query not in self._jobs:
            check_size(query)
        return query

    async def paper(self, request: Request) -> Response:
        """Give what holds, the points, and the items of the paper that are asked for; or these as a file."""
        query = read_paper(_pairs(request))
        if request.url.path.endswith(".csv"):
            return _csv(await to_thread.run_sync(paper_table, query, limiter=self._paper), "paper")
        return JSONResponse(await to_thread.run_sync(paper_answer, query, limiter=self._paper))

    async def design_file(self, request: Request) -> Response:
        """Give every closed form as a CSV file, or a figure of the designs."""
        name, kind = request.path_params["name"], request.path_params["kind"]
        if (name, kind) == ("table", "csv"):
            result = await self._designed(request, lambda query: self._design.studied(query))
            return _csv(result.tables["closed-forms"], "design")
        there = await self._designed(request, lambda query: self._design.drawable(query, self._offers))
        if kind not in _PICTURES or name not in there:
            raise HTTPException(404)
        picture = await self._designed(request, lambda query: self._design.picture(name, query, self._offers))
        return await self._picture(picture.figure, f"design-{name}", kind)

    async def section_file(self, request: Request) -> Response:
        """Give a table or a figure of a study as a file."""
        view, key, number, kind = (request.path_params[n] for n in ("view", "section", "number", "kind"))
        if view == "people":
            sections = await self._jobs.sections(await to_thread.run_sync(self._asked, _pairs(request)))
        elif view == "design":
            sections = await self._designed(request, self._sections)
        elif view == "compare":
            sections = (await self._designed(request, self._compared))[:1]
        else:
            raise HTTPException(404)
        parts: list[Any] = []
        for section in sections:
            if section.key == key and kind in ("csv", *_PICTURES):
                parts += section.tables if kind == "csv" else section.figures
        if number >= len(parts):
            raise HTTPException(404)
        name = f"{view}-{key}-{number}"
        if kind == "csv":
            return _csv(parts[number], name)
        return await self._picture(lambda: parts[number], name, kind)

    async def _picture(self, draw: Callable[[], Figure], name: str, kind: str) -> Response:
        content = await to_thread.run_sync(_drawn, draw, kind, limiter=self._pictures)
        return _file(content, f"{name}.{kind}", "image/png" if kind == "png" else "image/svg+xml")


def _assets() -> dict[str, bytes]:
    """Read the files of the page once: what a request names is looked up, never opened."""
    folder = files("quiff.web").joinpath("static")
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.endswith(tuple(_KINDS))}


def _pairs(request: Request) -> _Pairs:
    return request.query_params.multi_items()


def _drawn(draw: Callable[[], Figure], kind: str) -> bytes:
    figure = draw()
    return figure.to_png() if kind == "png" else figure.to_svg().encode()


def _csv(table: Table, name: str) -> Response:
    return _file(table.to_csv().encode(), f"{name}.csv", "text/csv")


def _file(content: bytes, name: str, kind: str) -> Response:
    return Response(
        content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="quiff-{name}"'}
    )


async def _figures_style(_: Request) -> Response:
    return Response(dark_style(), media_type="text/css")


async def _bad(_: Request, error: Exception) -> Response:
    field = {"Quiff-Field": error.field} if isinstance(error, FieldError) else None
    return PlainTextResponse(f"{error}\n", 400, headers=field)


async def _busy(_: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", 503, headers={"Retry-After": "60"})


async def _missing(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return PlainTextResponse("there is no such page\n", status)
