from .apis.algorithms import report_cookie, report_topic, top_topics
from .apis.base import Api, Limit, Unit, parameter
from .apis.cookies import Cookies
from .apis.fitted import FittedAPI
from .apis.guarantees import k_anonymity, noise_bound
from .apis.program import program
from .apis.registry import api_from, apis
from .apis.taxonomy import Unnamed
from .apis.together import Together
from .apis.topics import TopicsAPI, worked_example
from .attacks.bayes import BayesProfiles
from .attacks.hamming import Carey
from .attacks.jha import JhaLoose, JhaStrict
from .attacks.linking import BayesLink
from .attacks.overlap import BeuginMcDaniel
from .browser.browser import Browser, PageLoad
from .browser.drifting import drift
from .browser.page_loads import read_page_loads, simulate_page_loads
from .browser.rates import VisitRates, enlarge, profiles_from_rates, visit_rates
from .browser.reports import Reports
from .browser.rules import BrowserRules
from .browser.simulation import simulate
from .browser.topic_tree import TopicTree, topic_tree
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
from .history.histories import read_histories
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
from .papers.check import check_paper
from .populations.attribute import Attribute
from .populations.groups import grouped
from .populations.histories import Histories
from .populations.memory import reading_limit
from .populations.population import Population
from .studies.attacks import attack, reidentify
from .studies.attributes import attribute_inference
from .studies.browser_rules import browser_rules
from .studies.closed_forms import closed_forms
from .studies.design import fit_design, meet_budget
from .studies.exposure import exposure
from .studies.measure import measure
from .studies.over_time import over_time
from .studies.popularity import estimate_popularity, popularity
from .studies.risk import user_risk

__version__: str

__all__ = [
    "Api",
    "Attribute",
    "BayesLink",
    "BayesProfiles",
    "BeuginMcDaniel",
    "Browser",
    "BrowserRules",
    "Carey",
    "Channel",
    "Cookies",
    "FittedAPI",
    "Gain",
    "GainError",
    "Histories",
    "Hyper",
    "JhaLoose",
    "JhaStrict",
    "LabelError",
    "Limit",
    "PageLoad",
    "ParameterError",
    "Population",
    "Prior",
    "ProbabilityError",
    "QuiffError",
    "Reports",
    "ShapeError",
    "SizeError",
    "Together",
    "TopicTree",
    "TopicsAPI",
    "Unit",
    "Unnamed",
    "VisitRates",
    "api_from",
    "apis",
    "attack",
    "attribute_inference",
    "bayes_capacity",
    "bayes_gain",
    "browser_rules",
    "check_paper",
    "closed_forms",
    "conditional_entropy",
    "dalenius_leakage",
    "dense_limit",
    "drift",
    "enlarge",
    "epsilon",
    "estimate_popularity",
    "exposure",
    "external_choice",
    "fit_design",
    "grouped",
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
    "over_time",
    "parallel",
    "parameter",
    "popularity",
    "posterior_guessing_entropy",
    "posterior_vulnerability",
    "predicate_gain",
    "profiles_from_rates",
    "program",
    "read_histories",
    "read_page_loads",
    "reading_limit",
    "refinement_witness",
    "refines",
    "reidentify",
    "repeat",
    "report_cookie",
    "report_topic",
    "shannon_entropy",
    "simulate",
    "simulate_page_loads",
    "top_topics",
    "topic_tree",
    "tries_gain",
    "user_risk",
    "visit_rates",
    "vulnerability",
    "work_limit",
    "worked_example",
]
