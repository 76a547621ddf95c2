"""python -m benchmarks.matching generate | score | run"""

from __future__ import annotations

import sys

from benchmarks.matching.command import main

sys.exit(main())
