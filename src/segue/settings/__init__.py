"""Settings of a motion: each setting once, with its default, its check and its form in JSON.

`Settings` holds them all. Functions take their defaults from `DEFAULTS`, commands their options from its fields
(`segue.cli.options`), records their keys (`segue.app.record`). A new setting needs a field of `Settings`, an option in
`segue.cli.options`, and the code that uses it.
"""

from segue.settings.motion import BEFORE as BEFORE
from segue.settings.motion import DEFAULTS as DEFAULTS
from segue.settings.motion import Blend as Blend
from segue.settings.motion import SeamSettings as SeamSettings
from segue.settings.motion import Settings as Settings
from segue.settings.motion import changed as changed
from segue.settings.motion import feet_named as feet_named
from segue.settings.motion import parse_threshold as parse_threshold
from segue.settings.search import SeamBounds as SeamBounds
from segue.settings.search import SearchSettings as SearchSettings
from segue.settings.search import names_checked as names_checked
from segue.settings.words import Effort as Effort
from segue.settings.words import Limit as Limit
from segue.settings.words import RootMode as RootMode
from segue.settings.words import SeamFeet as SeamFeet
from segue.settings.words import SearchMethod as SearchMethod
from segue.settings.words import SearchMode as SearchMode
