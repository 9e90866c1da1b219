"""Names of sites are parsed as the URL standard parses hosts."""

import pytest

from quiff.attribution.options import CallError, parse_site

# Of the standard's own examples (url.spec.whatwg.org, "host parsing" and "registrable domain").
SITES = {
    "www.example.com": "example.com",
    "www.example.com.": "example.com.",
    "EXAMPLE.com": "example.com",
    "ex%61mple.com": "example.com",
    "ex%41mple%2Ecom": "example.com",
    "faß.de": "xn--fa-hia.de",
    "fa%C3%9F.de": "xn--fa-hia.de",
    "xn--fa-hia.de": "xn--fa-hia.de",
    "bücher.example": "xn--bcher-kva.example",
    "a.example．com": "example.com",
    "röbín.example": "xn--rbn-sma7b.example",
}


@pytest.mark.parametrize("name", SITES)
def test_names_are_parsed_as_the_standard_says(name):
    assert parse_site(name) == SITES[name]


@pytest.mark.parametrize("name", ["a..b", "a.example..", ".", "", "%", "a%2fb.com", "%ff.com", "1.2.3.4"])
def test_what_is_no_site(name):
    with pytest.raises(CallError):
        parse_site(name)
