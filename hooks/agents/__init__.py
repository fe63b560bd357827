"""The lifecycle hooks of coding agents: what they tell, and what they are told."""
