"""`make faults`: an installation is put through faults under load, and all that was acknowledged is compared.

    make faults ARGS="[--only kill-9,disk-full] [--seed 1] [--kills 10000] [--writes 1000000] [--minutes 60]
                      [--port 17000] [--folder /dev/shm] [--keep]"

Scenarios: kill-9, disk-full, full-folders, read-only, clock-jumps, storm, slow-disk. Each starts an installation of its
own (`paymatch serve` with the bundled PostgreSQL) in a folder below `--folder`, on ports of 127.0.0.1 from `--port` to
99 above it, plays its fault, and judges by itself. What is promised and what was seen is in docs/reliability.md.

It prints progress to stderr, and a summary as JSON; exit code 1 if anything that was acknowledged is lost, doubled or
half done, if `paymatch check` finds something, or if another promise is broken. What this machine cannot play (no root,
no tmpfs, no compiler) is left out, and the summary says why.
"""
