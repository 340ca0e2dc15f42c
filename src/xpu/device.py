"""Devices: what there is, which one is current, and what is wrong with the rest."""
