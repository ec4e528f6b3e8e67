"""How far to trust a result: verdicts, notices, and the panel that explains them."""
