"""``python -m scheduler_service`` is the ``draftgate`` command."""

from scheduler_service.cli import main

main()
