"""Several threads that begin together."""

from __future__ import annotations

import threading
from collections.abc import Callable


def side_by_side(work_one: Callable[[int], object], count: int) -> None:
    """Run `work_one(number)` in `count` threads that begin together, and raise what any of them raised."""
    start, raised = threading.Barrier(count), []

    def begin(number: int) -> None:
        try:
            start.wait(10)
            work_one(number)
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread
            raised.append(error)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if raised:
        raise raised[0]
