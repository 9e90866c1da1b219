"""The paper checked line by line: every printed figure that can be recomputed, and every statement.

"The paper" is Alvim, Fernandes, McIver and Nunes, CCS '24, doi 10.1145/3658644.3670368.
"""
