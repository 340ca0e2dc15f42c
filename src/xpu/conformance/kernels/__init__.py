"""Level of the conformance suite."""
