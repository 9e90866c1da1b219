from .apis.algorithms import report_cookie, report_topic, top_topics
from .apis.base import Api, browsing
from .apis.cookies import Cookies
from .apis.fitted import FittedAPI
from .apis.guarantees import k_anonymity, noise_bound
from .apis.taxonomy import Unnamed
from .apis.topics import TopicsAPI
from .core.channel import Channel
from .core.compose import external_choice, internal_choice, kronecker, parallel, repeat
from .core.gain import (
    Gain,
    bayes_gain,
    membership_gain,
    membership_gain_from_codes,
    predicate_gain,
    tries_gain,
)
from .core.hyper import Hyper, hyper
from .core.limits import dense_limit, work_limit
from .core.prior import Prior
from .errors import (
    GainError,
    LabelError,
    ParameterError,
    ProbabilityError,
    QuiffError,
    ShapeError,
    SizeError,
)
from .history.distinct import DistinctProfiles, distinct_profiles
from .measures.capacity import bayes_capacity, max_case_capacity
from .measures.differential_privacy import epsilon, metric_epsilon
from .measures.entropy import (
    conditional_entropy,
    guessing_entropy,
    min_entropy,
    min_entropy_leakage,
    mutual_information,
    posterior_guessing_entropy,
    shannon_entropy,
)
from .measures.leakage import dalenius_leakage, leakage
from .measures.refinement import refinement_witness, refines
from .measures.vulnerability import max_case_vulnerability, posterior_vulnerability, vulnerability
from .populations.histories import Histories
from .populations.population import Population
from .studies.api_comparison import compare_apis
from .studies.closed_forms import closed_forms
from .studies.design import meet_budget
from .studies.measure.study import measure
from .studies.paper.check import check_paper
from .studies.population_design import fit_design

__version__: str

__all__ = [
    "Api",
    "Channel",
    "Cookies",
    "DistinctProfiles",
    "FittedAPI",
    "Gain",
    "GainError",
    "Histories",
    "Hyper",
    "LabelError",
    "ParameterError",
    "Population",
    "Prior",
    "ProbabilityError",
    "QuiffError",
    "ShapeError",
    "SizeError",
    "TopicsAPI",
    "Unnamed",
    "bayes_capacity",
    "bayes_gain",
    "browsing",
    "check_paper",
    "closed_forms",
    "compare_apis",
    "conditional_entropy",
    "dalenius_leakage",
    "dense_limit",
    "distinct_profiles",
    "epsilon",
    "external_choice",
    "fit_design",
    "guessing_entropy",
    "hyper",
    "internal_choice",
    "k_anonymity",
    "kronecker",
    "leakage",
    "max_case_capacity",
    "max_case_vulnerability",
    "measure",
    "meet_budget",
    "membership_gain",
    "membership_gain_from_codes",
    "metric_epsilon",
    "min_entropy",
    "min_entropy_leakage",
    "mutual_information",
    "noise_bound",
    "parallel",
    "posterior_guessing_entropy",
    "posterior_vulnerability",
    "predicate_gain",
    "refinement_witness",
    "refines",
    "repeat",
    "report_cookie",
    "report_topic",
    "shannon_entropy",
    "top_topics",
    "tries_gain",
    "vulnerability",
    "work_limit",
]
