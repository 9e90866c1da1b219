"""The public data sets: what they are, where they are, whose they are, and how to know the right copy.

quiff holds none of the data. It holds this list, and fetches a data set when a user asks for it.
"""

from dataclasses import dataclass
from types import MappingProxyType

from quiff.errors import LabelError


@dataclass(frozen=True)
class Dataset:
    """A public data set at a fixed version."""

    name: str  # the name by which users ask for it
    title: str  # what it is
    url: str  # its source at a fixed version: an address, or ``doi:`` and the DOI of a record of files
    licence: str  # the terms under which its owners publish it
    citation: str  # how to cite it
    file: str  # the name of its file (of its folder, for a record) in the cache and in a mirror
    # The number of bytes; None for a record. Where `folder` is given, that of one copy of the archive.
    size: int | None = None
    # The digest of the file, in hexadecimal; None for a record, whose own digests hold. Where `folder` is
    # given, the digest of that folder's files (see `quiff.history.archives`).
    sha256: str | None = None
    # The folder of the archive that is the data set. An archive that a server makes anew for each reader
    # keeps its members, but not its bytes.
    folder: str | None = None

    @property
    def is_record(self) -> bool:
        """Whether it is a record of several files that has a DOI."""
        return self.url.startswith("doi:")

    @property
    def is_archive(self) -> bool:
        """Whether its file is an archive of files."""
        return self.file.endswith((".zip", ".tar.gz"))


_RAW = "https://raw.githubusercontent.com"
_TOPICS = f"{_RAW}/patcg-individual-drafts/topics/d5555b37587a045c8d6462c50b182f07b85819e0"
_TOPICS_CITATION = "The Topics API, unofficial draft. https://github.com/patcg-individual-drafts/topics"
_CHROME = f"{_RAW}/yohhaan/topics_classifier/fcfb91b3b196d86a02a1f949e1b22c059a1fbd3c"
_CHROME_CITATION = "Yohan Beugin. Topics classifier. https://github.com/yohhaan/topics_classifier"
_W3C = "W3C Software and Document License"
_NON_COMMERCIAL = "CC BY-NC-SA 4.0"
_BESIDE_CODE = "that of its repository, GPL-3.0"

_ALL = (
    Dataset(
        name="citizenlab",
        title="Citizen Lab's test lists: URLs with a category, for all countries",
        url="https://github.com/citizenlab/test-lists/archive/ebd0ee8d41977b381972b2f6c471af5437d8d015.zip",
        licence=_NON_COMMERCIAL,
        citation="Citizen Lab and others (2014). URL testing lists intended for discovering website"
        " censorship. https://github.com/citizenlab/test-lists",
        file="citizenlab-test-lists-ebd0ee8.zip",
        size=648_620,
        sha256="1a10a7bedba8143cb4e14b4730fbb4334ce2f35440fab95dbab5a5cb546fc432",
        folder="lists",
    ),
    Dataset(
        name="psl",
        title="Public Suffix List: the suffixes under which domains are registered",
        url=f"{_RAW}/publicsuffix/list/5e6ac3a082505ac4cf08858bdb38382d9a912833/public_suffix_list.dat",
        licence="MPL-2.0",
        citation="Mozilla Foundation. Public Suffix List. https://publicsuffix.org",
        file="public_suffix_list-5e6ac3a.dat",
        size=286_014,
        sha256="9e9ec12178eb2f7fd0b973280f843cd79733bc9bd9f2e047830eb55778d342e6",
    ),
    Dataset(
        name="topics-v1",
        title="Taxonomy v1 of the Topics API: 349 topics",
        url=f"{_TOPICS}/taxonomy_v1.md",
        licence=_W3C,
        citation=_TOPICS_CITATION,
        file="topics-taxonomy-v1.md",
        size=30_537,
        sha256="78f71dd5950c868dc5e559191c9426cdd19cf566ee79f7126fc6558e97c378ef",
    ),
    Dataset(
        name="topics-v2",
        title="Taxonomy v2 of the Topics API: 469 topics",
        url=f"{_TOPICS}/taxonomy_v2.md",
        licence=_W3C,
        citation=_TOPICS_CITATION,
        file="topics-taxonomy-v2.md",
        size=54_165,
        sha256="fd6faedcb6463498d6ed4e010bb3037fa42f3636dc81bd54bfcc596e5c5f956e",
    ),
    Dataset(
        name="utility-buckets",
        title="Utility buckets of the root topics of taxonomy v2",
        url=f"{_TOPICS}/topics-utility-buckets-v1.md",
        licence=_W3C,
        citation=_TOPICS_CITATION,
        file="topics-utility-buckets-v1.md",
        size=1_204,
        sha256="3a17760af03f6a834df38ac11098b75b55c57967756c1460408b668c374dba07",
    ),
    Dataset(
        name="chrome-1",
        title="Chrome's override list 1: hosts with topics of taxonomy v1",
        url=f"{_CHROME}/chrome1/override_list.tsv",
        licence=f"{_BESIDE_CODE}; data from Chrome",
        citation=_CHROME_CITATION,
        file="chrome-topics-override-1.tsv",
        size=186_893,
        sha256="2091a05eabe4a9d3cf4f4985ff2f41282c6e90bbf35647bf5fee55126ccfb532",
    ),
    Dataset(
        name="chrome-5",
        title="Chrome's override list 5: hosts with topics of taxonomy v2",
        url=f"{_CHROME}/chrome5/override_list.tsv",
        licence=f"{_BESIDE_CODE}; data from Chrome",
        citation=_CHROME_CITATION,
        file="chrome-topics-override-5.tsv",
        size=949_426,
        sha256="2995b6a97c58a9adb3099640ae5c9854644e18659b27981ea9f8e81c64e5656a",
    ),
    Dataset(
        name="pets24-users",
        title="Population of the PETS '24 artifact: top-5 sets of 249 997 synthetic users",
        url=f"{_RAW}/yohhaan/topics_analysis/a5c7e8a9508512319398d3cf5ae75efe0ef44da4"
        "/petsymposium-artifact2024.1/250000_users_topics.csv.tar.gz",
        licence=_BESIDE_CODE,
        citation="Yohan Beugin and Patrick McDaniel (2024). Interest-disclosing Mechanisms for Advertising"
        " are Privacy-Exposing (not Preserving). PoPETs 2024. https://arxiv.org/abs/2306.03825",
        file="topics-users-250000.csv.tar.gz",
        size=1_445_834,
        sha256="aeb03cdd104894280e922381f56045b37b37d0212edbbc1e28e17133a6bbe8c6",
    ),
    Dataset(
        name="visit-rates",
        title="Weekly rates at which 268 users visited each topic of taxonomy v1",
        url=f"{_RAW}/nikhiljha95/topics-api-simulator/b81ab3391cc38737b43206193a63f0b18a1290f7"
        "/lambda-user-topic.csv",
        licence=_BESIDE_CODE,
        citation="Nikhil Jha, Martino Trevisan, Emilio Leonardi and Marco Mellia (2023). On the Robustness"
        " of Topics API to a Re-Identification Attack. PoPETs 2023."
        " https://github.com/nikhiljha95/topics-api-simulator",
        file="topics-visit-rates-268.csv",
        size=2_338_300,
        sha256="91696d70d5e1fd8fa8fdd08ee6d5c6324ab06e9c1762159cbb09bd563f21ca46",
    ),
    Dataset(
        name="zenodo",
        title="The paper's AOL tables: treated, reduced and experimental",
        url="doi:10.5281/zenodo.11229615",
        licence=_NON_COMMERCIAL,
        citation="Gabriel H. Nunes (2024). AOL Dataset for Browsing History and Topics of Interest. Zenodo."
        " https://doi.org/10.5281/zenodo.11229615",
        file="zenodo-11229615",
    ),
)

DATASETS = MappingProxyType({entry.name: entry for entry in _ALL})


def dataset(name: str) -> Dataset:
    """Return the data set of that name.

    >>> dataset("topics-v2").title
    'Taxonomy v2 of the Topics API: 469 topics'
    >>> dataset("topics-v3")
    Traceback (most recent call last):
    quiff.errors.LabelError: there is no data set 'topics-v3'; `quiff data list` shows those that there are
    """
    try:
        return DATASETS[name]
    except KeyError:
        raise LabelError(
            f"there is no data set {name!r}; `quiff data list` shows those that there are"
        ) from None
