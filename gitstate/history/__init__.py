"""Versions in git."""
