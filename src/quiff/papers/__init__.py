"""The paper as data and checked: its equations, figures and statements, and the few causes of what differs.

"The paper" is Alvim, Fernandes, McIver and Nunes, CCS '24, doi 10.1145/3658644.3670368.
"""
