"""A page in a real Chromium, which `tests/conftest.py` starts."""

import pytest


@pytest.fixture
def page(chromium, request):
    """A page, dark where a test asks for it; it remembers its requests and what it says on the console."""
    scheme = getattr(request, "param", "light")
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 1200, "height": 900})
    tab = context.new_page()
    tab.said, tab.asked = [], []
    tab.on("console", lambda message: tab.said.append(message.text))
    tab.on("pageerror", lambda error: tab.said.append(str(error)))
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("response", lambda answer: tab.close() if answer.status == 500 else None)  # do not wait for more
    yield tab
    context.close()
