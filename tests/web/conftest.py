"""The explorer's application, asked without a network."""

import httpx
import pytest

from quiff.web.app import make_app
from quiff.web.guard import Access
from quiff.web.jobs import Jobs
from web.served import finished

HOST = "http://127.0.0.1:8349"


@pytest.fixture(scope="session")
def app():
    return make_app(Access(8349), Jobs())


@pytest.fixture(scope="session")
def get(app):
    """Ask for a path, and return the answer."""

    def ask(path, method="GET", app=app, **headers):
        async def once():
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=HOST) as client:
                asked = {"sec_fetch_site": "same-origin", **headers}  # as the page asks
                named = {name.replace("_", "-"): value for name, value in asked.items() if value}
                return await client.request(method, path, headers=named)

        return finished(once())

    return ask
