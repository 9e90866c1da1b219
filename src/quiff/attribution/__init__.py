"""The W3C Attribution API as an executable model, with its budgets: w3c/attribution, api.bs at 9fab4e8."""
