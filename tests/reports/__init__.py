"""Tests of what users of similar tools have reported; the list is in ``known.py``."""
