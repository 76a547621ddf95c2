"""`python -m paymatch` is the command `paymatch`."""

from paymatch.cli.main import main

main()
