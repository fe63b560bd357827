"""The background service (imported as ``gitstate.daemon``)."""
