"""``python -m segue`` is the command line."""

from segue.cli import main

main()
