"""git's own hooks and the agents' lifecycle hooks (imported as ``gitstate.hooks``)."""
