"""One module a verb: plain values in, exit code out."""
