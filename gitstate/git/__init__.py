"""Objects and refs; knows nothing about state."""
