"""The hooks of git: the installer, the shims, the check of a code commit."""
