"""Analyse a compliant robot: stiffness, natural frequencies, base excitation."""
