"""gitstate keeps a coding agent's working state in the repository's own git."""

__version__ = "0.1.0"
