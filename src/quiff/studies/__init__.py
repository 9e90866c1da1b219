"""Questions about people and APIs, and the results that answer them."""
