"""The page's answers: what each address gives, as JSON, a stream of events, or a file."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from quiff import __version__
from quiff.errors import QuiffError
from quiff.results.figures.figure import Figure
from quiff.results.figures.renderer import vega_bundle
from quiff.results.table import Table
from quiff.theory.taxonomies import TAXONOMY_SIZES
from quiff.web.design import answer_design, presets, quick_design
from quiff.web.guard import Access, Guard
from quiff.web.jobs import BusyError, Jobs
from quiff.web.paper import paper_table
from quiff.web.plane import FIGURES, plane_data, plane_figure
from quiff.web.queries import BOUNDS, DesignQuery, Setting, read_design, read_paper, read_population
from quiff.web.shown import table_to_dict

_Pairs: TypeAlias = list[tuple[str, str]]

_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_PICTURES = ("svg", "png")


def make_app(access: Access, jobs: Jobs) -> ASGIApp:
    """Return the application that answers the page's requests, behind its guard.

    Parameters
    ----------
    access
        Who may ask.
    jobs
        Runs the studies of populations.
    """
    answers = _Answers(jobs)
    routes = [
        Route("/", answers.asset),
        Route("/static/{name}", answers.asset),
        Route("/vega.js", answers.vega),
        Route("/api/settings", answers.settings),
        Route("/api/design", answers.design),
        Route("/api/counting", answers.counting),
        Route("/api/figures", answers.figures),
        Route("/api/population", answers.population),
        Route("/api/paper", answers.paper),
        Route("/download/design.csv", answers.design_table),
        Route("/download/counting.csv", answers.counting_table),
        Route("/download/paper.csv", answers.paper_file),
        Route("/download/design-{name}.{kind}", answers.design_figure),
        Route("/download/population-{section}-{number:int}.{kind}", answers.population_file),
    ]
    handlers: dict[Any, Any] = {BusyError: _busy, QuiffError: _bad, HTTPException: _missing}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False  # what is not there is not there
    return Guard(app, access)


class _Answers:
    """The answers to the routes; heavy ones are made in threads, so that none waits for another."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._assets = _assets()
        self._pictures = CapacityLimiter(1)

    async def asset(self, request: Request) -> Response:
        """Give a file of the page, by its name among those that there are."""
        name = request.path_params.get("name", "index.html")
        if name not in self._assets:
            raise HTTPException(404)
        return Response(self._assets[name], media_type=_KINDS[name[name.rindex(".") :]])

    async def vega(self, _: Request) -> Response:
        """Give the library that draws the figures, as vl-convert holds it."""
        bundle = await to_thread.run_sync(vega_bundle)
        return Response(
            bundle, media_type="text/javascript", headers={"Cache-Control": "private, max-age=3600"}
        )

    async def settings(self, _: Request) -> Response:
        """Give what the page needs to begin: bounds, taxonomies, presets, and whether there is a file."""
        profiles = self._jobs.profiles
        file = None if profiles is None else {
            "name": profiles.name,
            "users": profiles.population.n_users,
            "top": profiles.population.top_s,
        }  # fmt: skip
        return JSONResponse(
            {
                "version": __version__,
                "bounds": BOUNDS,
                "taxonomies": dict(TAXONOMY_SIZES),
                "presets": presets(),
                "file": file,
            }
        )

    async def design(self, request: Request) -> Response:
        """Give the closed forms of one design or two, and the data of their figures."""
        query = read_design(_pairs(request))
        return JSONResponse(await to_thread.run_sync(_design, query))

    async def counting(self, request: Request) -> Response:
        """Give the counting probabilities, all N users among them."""
        answer = await to_thread.run_sync(answer_design, read_design(_pairs(request)))
        return JSONResponse(table_to_dict(answer.counting_table(), rows=None))

    async def figures(self, _: Request) -> Response:
        """Give the specifications of the designs' figures, once; their data come with each answer."""
        return JSONResponse(await to_thread.run_sync(_specifications))

    async def population(self, request: Request) -> Response:
        """Give a study of a population as a stream of events."""
        query = read_population(_pairs(request))
        stream = self._jobs.stream(query)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def paper(self, request: Request) -> Response:
        """Give the items of the paper that are asked for."""
        table = await to_thread.run_sync(paper_table, read_paper(_pairs(request)))
        return JSONResponse(table_to_dict(table, rows=None))

    async def design_table(self, request: Request) -> Response:
        """Give every closed form as a CSV file."""
        answer = await to_thread.run_sync(answer_design, read_design(_pairs(request)))
        return _csv(answer.table(), "design")

    async def counting_table(self, request: Request) -> Response:
        """Give the counting probabilities as a CSV file."""
        answer = await to_thread.run_sync(answer_design, read_design(_pairs(request)))
        return _csv(answer.counting_table(), "counting")

    async def paper_file(self, request: Request) -> Response:
        """Give the items of the paper that are asked for as a CSV file."""
        query = read_paper(_pairs(request))
        return _csv(await to_thread.run_sync(paper_table, query), "paper")

    async def design_figure(self, request: Request) -> Response:
        """Give a figure of the designs as a file."""
        name, kind = request.path_params["name"], request.path_params["kind"]
        if name not in FIGURES or kind not in _PICTURES:
            raise HTTPException(404)
        settings = _settings(read_design(_pairs(request)))
        return await self._picture(lambda: plane_figure(name, settings), f"design-{name}", kind)

    async def population_file(self, request: Request) -> Response:
        """Give a table or a figure of a population as a file."""
        key, number, kind = (request.path_params[name] for name in ("section", "number", "kind"))
        found = {s.key: s for s in await self._jobs.sections(read_population(_pairs(request)))}
        parts: tuple[Any, ...] = ()
        if key in found:
            parts = found[key].tables if kind == "csv" else found[key].figures if kind in _PICTURES else ()
        if number >= len(parts):
            raise HTTPException(404)
        name = f"population-{key}-{number}"
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


def _design(query: DesignQuery) -> dict[str, Any]:
    return {**quick_design(query).to_dict(), "plane": plane_data(_settings(query))}


@cache
def _specifications() -> dict[str, Any]:
    usual = (Setting(349, 5, 0.05),)
    return {name: plane_figure(name, usual).spec for name in FIGURES}


def _settings(query: DesignQuery) -> tuple[Setting, ...]:
    return (query.first,) if query.second is None else (query.first, query.second)


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


async def _bad(_: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", 400)


async def _busy(_: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", 503, headers={"Retry-After": "60"})


async def _missing(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return PlainTextResponse("there is no such page\n", status)
