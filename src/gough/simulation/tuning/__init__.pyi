from .margins import quality as quality, step_response as step_response
from .tune import TUNABLE as TUNABLE, place_poles as place_poles
from .tune import Tuned as Tuned, tune as tune
