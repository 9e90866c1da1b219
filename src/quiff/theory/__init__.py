"""The closed forms: privacy and utility from the parameters m, m', s, r, N, c, E alone.

Nothing here builds a channel, which makes it the independent oracle of all that does. In formulas m is
``n_topics``, m' ``occurring``, s ``top_s``, r ``noise``, N ``n_users``, c ``contexts``, E ``epochs``.
Results are Fractions if every parameter is an int or a Fraction, and floats if one is a float;
logarithms and infinity are floats. A parameter outside its range is a ParameterError.
"The paper" is Alvim, Fernandes, McIver and Nunes, CCS '24, doi 10.1145/3658644.3670368; where one of its
figures does not check out, a function says so under "erratum".
"""

from quiff.theory.cookies import cookies_leakage, cookies_posterior, possible_histories
from quiff.theory.counting import (
    all_bits_right,
    best_count_right,
    printed_counting_sum,
    prior_count_right,
    raw_count_right,
)
from quiff.theory.design import (
    Design,
    Measure,
    capacity_at_utility,
    design_options,
    largest_utility,
    least_capacity,
    max_case_at_utility,
    nearest_top_s,
    noise_for_capacity,
    noise_for_epsilon,
    noise_for_max_case,
    noise_for_utility,
    strict_top_s,
)
from quiff.theory.epochs import epochs_bound, epochs_epsilon_bound, epochs_max_case_bound
from quiff.theory.parameters import prior_vulnerability
from quiff.theory.topics import (
    bayes_capacity,
    bounded_noise_capacity,
    bounded_noise_leakage,
    bounded_noise_posterior,
    bounded_noise_posterior_bound,
    epsilon,
    generalization_capacity,
    generalization_leakage,
    generalization_posterior,
    generalization_posterior_bound,
    max_case_capacity,
    max_case_is_met,
    shannon_capacity_bits,
    side_information_bound,
    topics_leakage,
    topics_posterior,
    topics_posterior_bound,
)
from quiff.theory.utility import (
    bounded_noise_iba_gain,
    genuine_probability,
    iba_lower,
    iba_upper,
    inside_probability,
    outside_probability,
    prior_iba_gain,
    prior_iba_gain_all_sets,
)

__all__ = [
    "Design",
    "Measure",
    "all_bits_right",
    "bayes_capacity",
    "best_count_right",
    "bounded_noise_capacity",
    "bounded_noise_iba_gain",
    "bounded_noise_leakage",
    "bounded_noise_posterior",
    "bounded_noise_posterior_bound",
    "capacity_at_utility",
    "cookies_leakage",
    "cookies_posterior",
    "design_options",
    "epochs_bound",
    "epochs_epsilon_bound",
    "epochs_max_case_bound",
    "epsilon",
    "generalization_capacity",
    "generalization_leakage",
    "generalization_posterior",
    "generalization_posterior_bound",
    "genuine_probability",
    "iba_lower",
    "iba_upper",
    "inside_probability",
    "largest_utility",
    "least_capacity",
    "max_case_at_utility",
    "max_case_capacity",
    "max_case_is_met",
    "nearest_top_s",
    "noise_for_capacity",
    "noise_for_epsilon",
    "noise_for_max_case",
    "noise_for_utility",
    "outside_probability",
    "possible_histories",
    "printed_counting_sum",
    "prior_count_right",
    "prior_iba_gain",
    "prior_iba_gain_all_sets",
    "prior_vulnerability",
    "raw_count_right",
    "shannon_capacity_bits",
    "side_information_bound",
    "strict_top_s",
    "topics_leakage",
    "topics_posterior",
    "topics_posterior_bound",
]
