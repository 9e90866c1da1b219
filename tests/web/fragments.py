"""Fragments of the page as a reader sees them: the tables and the paragraphs."""

from html.parser import HTMLParser


class Read(HTMLParser):
    """The paragraphs and the tables of a fragment, those that are opened whole in place of the cut ones."""

    def __init__(self, html):
        super().__init__()
        self.paragraphs, self.tables, self._into = [], [], None
        self.feed(html)
        whole = {table["title"]: len(table["rows"]) for table in self.tables}
        kept = [table for table in self.tables if len(table["rows"]) == whole[table["title"]]]
        self.tables = kept

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append({"title": "", "columns": [], "rows": []})
        elif tag == "tr" and self.tables:
            self.tables[-1]["rows"].append([])
        elif tag in ("th", "td"):
            self.tables[-1]["rows"][-1].append("")
            self._into = "cell"
        elif tag == "caption":
            self._into = "title"
        elif tag == "p" and ("class", "download") not in attrs:
            self.paragraphs.append("")
            self._into = "p"

    def handle_endtag(self, tag):
        if tag in ("th", "td", "caption", "p"):
            self._into = None
        elif tag == "thead":
            self.tables[-1]["columns"] = self.tables[-1]["rows"].pop()

    def handle_data(self, data):
        data = data.replace("\N{NO-BREAK SPACE}", " ")
        if self._into == "cell":
            self.tables[-1]["rows"][-1][-1] += data
        elif self._into == "title":
            self.tables[-1]["title"] += data
        elif self._into == "p":
            self.paragraphs[-1] += data
