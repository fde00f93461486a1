"""Plants and controllers as FMUs (Functional Mock-up Units), for FMI 2.0 and 3.0."""
