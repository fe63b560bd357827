"""The budgets, measured: ``python -m tests.bench`` prints them and judges them."""
