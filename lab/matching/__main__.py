"""python -m lab.matching generate | score | run"""

from __future__ import annotations

import sys

from lab.matching.command import main

sys.exit(main())
