from .base import BaseParameters as BaseParameters, base_parameters as base_parameters
