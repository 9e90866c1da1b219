"""Every code block of the documentation runs, and prints what the page says."""

import pytest
from blocks import PROJECT, pages, run_page

ELSEWHERE = "docs/how-to/spark-cluster.md"  # test_spark_cluster_page.py runs it, on a cluster
PAGES = {str(page.relative_to(PROJECT)): page for page in pages()}
del PAGES[ELSEWHERE]


@pytest.mark.parametrize("name", PAGES)
def test_the_blocks_of_the_page_run_as_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(PAGES[name], tmp_path)
