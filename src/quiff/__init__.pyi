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
from .core.limits import dense_limit
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

__version__: str

__all__ = [
    "Channel",
    "Gain",
    "GainError",
    "Hyper",
    "LabelError",
    "ParameterError",
    "Prior",
    "ProbabilityError",
    "QuiffError",
    "ShapeError",
    "SizeError",
    "bayes_capacity",
    "bayes_gain",
    "conditional_entropy",
    "dalenius_leakage",
    "dense_limit",
    "epsilon",
    "external_choice",
    "guessing_entropy",
    "hyper",
    "internal_choice",
    "kronecker",
    "leakage",
    "max_case_capacity",
    "max_case_vulnerability",
    "membership_gain",
    "membership_gain_from_codes",
    "metric_epsilon",
    "min_entropy",
    "min_entropy_leakage",
    "mutual_information",
    "parallel",
    "posterior_guessing_entropy",
    "posterior_vulnerability",
    "predicate_gain",
    "refinement_witness",
    "refines",
    "repeat",
    "shannon_entropy",
    "tries_gain",
    "vulnerability",
]
