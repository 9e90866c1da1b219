from .apis.android_topics import AndroidTopics
from .apis.base import Api, Limit, Unit, parameter
from .apis.click_measurement import AdAttributionKit, PrivateClickMeasurement
from .apis.cookies import Cookies, PartitionedCookies
from .apis.event_level import EventLevel
from .apis.fitted import FittedAPI
from .apis.floc import FLoC
from .apis.noisy_histogram import (
    AggregatableExistence,
    AggregatableReports,
    InteroperablePrivateAttribution,
    PrivateAggregation,
    W3CAttribution,
)
from .apis.parakeet import NoisyRanking, Parakeet
from .apis.program import program
from .apis.protected_audience import KAnonymityStatus, RealTimeMonitoring, WinSignals
from .apis.registry import api_from, apis
from .apis.select_url import SelectURL
from .apis.taxonomy import Unnamed
from .apis.together import Together
from .apis.topics import TopicsAPI, worked_example
from .attacks.bayes import BayesProfiles
from .attacks.hamming import Carey
from .attacks.jha import JhaLoose, JhaStrict
from .attacks.linking import BayesLink
from .attacks.overlap import BeuginMcDaniel
from .browser.browser import Browser, PageLoad
from .browser.page_loads import read_page_loads, simulate_page_loads
from .browser.rates import VisitRates, drift, enlarge, profiles_from_rates, visit_rates
from .browser.reports import Reports
from .browser.rules import BrowserRules
from .browser.simulation import simulate
from .browser.topic_tree import TopicTree, topic_tree
from .core.channel import Channel
from .core.compose import external_choice, internal_choice, kronecker, parallel, repeat
from .core.gain import (
    Gain,
    Loss,
    bayes_gain,
    guessing_loss,
    membership_gain,
    membership_gain_from_codes,
    predicate_gain,
    tries_gain,
    zero_one_loss,
)
from .core.games import gain_as_bayes, gain_from_posterior
from .core.hyper import Hyper, hyper, posterior, posteriors, predicate_channel, reduced
from .core.limits import dense_limit, memory_limit, work_limit
from .core.metric import Metric, chained, discrete, euclidean, grid, manhattan, multiplicative
from .core.prior import Prior
from .errors import (
    GainError,
    InfeasibleError,
    LabelError,
    ParameterError,
    ProbabilityError,
    QuiffError,
    ShapeError,
    SizeError,
)
from .logs.histories import read_histories
from .measures.bayesian_update import Estimate, iterative_bayesian_update
from .measures.capacity import (
    Capacity,
    bayes_capacity,
    max_case_capacity,
    repeated_capacity_bound,
    shannon_capacity,
)
from .measures.distances import (
    convex_separation,
    diameter,
    enclosing_ball,
    kantorovich,
    multiplicative_distance,
    multiplicative_kantorovich,
    total_variation,
)
from .measures.optimal import Optimal, greatest_utility, least_loss, least_vulnerability
from .measures.privacy import (
    TradeOff,
    bayes_security,
    composed_delta,
    composed_epsilon,
    delta,
    epsilon,
    k_anonymity,
    metric_epsilon,
    noise_bound,
    trade_off,
)
from .measures.refinement import (
    Counterexample,
    Deficiency,
    counterexample,
    deficiency,
    left_factor,
    refinement_distance,
    refinement_witness,
    refines,
)
from .measures.vulnerability import (
    conditional_entropy,
    dalenius_leakage,
    expected_loss,
    guessing_entropy,
    leakage,
    max_case_vulnerability,
    min_entropy,
    min_entropy_leakage,
    mutual_information,
    posterior_guessing_entropy,
    posterior_risk,
    posterior_vulnerability,
    risk,
    risk_leakage,
    shannon_entropy,
    strategy,
    vulnerability,
)
from .measures.worst_case import additive_capacity, predicate_capacity, worst_prior
from .papers.check import check_paper
from .people.attribute import Attribute
from .people.groups import grouped
from .people.histories import Histories
from .people.limits import reading_limit
from .people.population import Population
from .studies.attack import attack, reidentify
from .studies.attributes import attribute_inference
from .studies.attribution import check_budgets, play_events
from .studies.attribution_leakage import attribution_leakage
from .studies.audit import audit
from .studies.browser_rules import browser_rules
from .studies.card import card
from .studies.compare import compare
from .studies.design import fit_design, meet_budget
from .studies.epsilon import explain_epsilon
from .studies.exposure import exposure
from .studies.knowledge import knowledge
from .studies.measure import measure
from .studies.over_time import over_time
from .studies.popularity import estimate_popularity, popularity
from .studies.risk import user_risk
from .studies.stability import changing_interests, stability
from .studies.theory import closed_forms
from .studies.trade_off_figure import trade_off_figure

__version__: str

__all__ = [
    "AdAttributionKit",
    "AggregatableExistence",
    "AggregatableReports",
    "AndroidTopics",
    "Api",
    "Attribute",
    "BayesLink",
    "BayesProfiles",
    "BeuginMcDaniel",
    "Browser",
    "BrowserRules",
    "Capacity",
    "Carey",
    "Channel",
    "Cookies",
    "Counterexample",
    "Deficiency",
    "Estimate",
    "EventLevel",
    "FLoC",
    "FittedAPI",
    "Gain",
    "GainError",
    "Histories",
    "Hyper",
    "InfeasibleError",
    "InteroperablePrivateAttribution",
    "JhaLoose",
    "JhaStrict",
    "KAnonymityStatus",
    "LabelError",
    "Limit",
    "Loss",
    "Metric",
    "NoisyRanking",
    "Optimal",
    "PageLoad",
    "Parakeet",
    "ParameterError",
    "PartitionedCookies",
    "Population",
    "Prior",
    "PrivateAggregation",
    "PrivateClickMeasurement",
    "ProbabilityError",
    "QuiffError",
    "RealTimeMonitoring",
    "Reports",
    "SelectURL",
    "ShapeError",
    "SizeError",
    "Together",
    "TopicTree",
    "TopicsAPI",
    "TradeOff",
    "Unit",
    "Unnamed",
    "VisitRates",
    "W3CAttribution",
    "WinSignals",
    "additive_capacity",
    "api_from",
    "apis",
    "attack",
    "attribute_inference",
    "attribution_leakage",
    "audit",
    "bayes_capacity",
    "bayes_gain",
    "bayes_security",
    "browser_rules",
    "card",
    "chained",
    "changing_interests",
    "check_budgets",
    "check_paper",
    "closed_forms",
    "compare",
    "composed_delta",
    "composed_epsilon",
    "conditional_entropy",
    "convex_separation",
    "counterexample",
    "dalenius_leakage",
    "deficiency",
    "delta",
    "dense_limit",
    "diameter",
    "discrete",
    "drift",
    "enclosing_ball",
    "enlarge",
    "epsilon",
    "estimate_popularity",
    "euclidean",
    "expected_loss",
    "explain_epsilon",
    "exposure",
    "external_choice",
    "fit_design",
    "gain_as_bayes",
    "gain_from_posterior",
    "greatest_utility",
    "grid",
    "grouped",
    "guessing_entropy",
    "guessing_loss",
    "hyper",
    "internal_choice",
    "iterative_bayesian_update",
    "k_anonymity",
    "kantorovich",
    "knowledge",
    "kronecker",
    "leakage",
    "least_loss",
    "least_vulnerability",
    "left_factor",
    "manhattan",
    "max_case_capacity",
    "max_case_vulnerability",
    "measure",
    "meet_budget",
    "membership_gain",
    "membership_gain_from_codes",
    "memory_limit",
    "metric_epsilon",
    "min_entropy",
    "min_entropy_leakage",
    "multiplicative",
    "multiplicative_distance",
    "multiplicative_kantorovich",
    "mutual_information",
    "noise_bound",
    "over_time",
    "parallel",
    "parameter",
    "play_events",
    "popularity",
    "posterior",
    "posterior_guessing_entropy",
    "posterior_risk",
    "posterior_vulnerability",
    "posteriors",
    "predicate_capacity",
    "predicate_channel",
    "predicate_gain",
    "profiles_from_rates",
    "program",
    "read_histories",
    "read_page_loads",
    "reading_limit",
    "reduced",
    "refinement_distance",
    "refinement_witness",
    "refines",
    "reidentify",
    "repeat",
    "repeated_capacity_bound",
    "risk",
    "risk_leakage",
    "shannon_capacity",
    "shannon_entropy",
    "simulate",
    "simulate_page_loads",
    "stability",
    "strategy",
    "topic_tree",
    "total_variation",
    "trade_off",
    "trade_off_figure",
    "tries_gain",
    "user_risk",
    "visit_rates",
    "vulnerability",
    "work_limit",
    "worked_example",
    "worst_prior",
    "zero_one_loss",
]
