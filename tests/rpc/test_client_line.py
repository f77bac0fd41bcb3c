"""How a client learns whether a scheduler answers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import grpc

from scheduler_service.client import SchedulerClient
from scheduler_service.embedded.processes import free_port


def test_a_scheduler_that_serves_is_ready_and_so_is_one_that_is_about_to_end(scheduler):
    with scheduler.client() as client:
        assert client.is_ready()
        scheduler.running.say_not_serving()
        assert client.is_ready(), "its calls are answered until it has ended"


def test_what_listens_but_is_no_scheduler_is_not_ready():
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with SchedulerClient(f"127.0.0.1:{port}") as client:
            assert not client.is_ready()
    finally:
        server.stop(0).wait()


def test_asking_again_and_again_where_nobody_answers_leaves_nothing_behind():
    before = set(threading.enumerate())
    with SchedulerClient(f"127.0.0.1:{free_port()}") as client:
        assert not any(client.is_ready(0.05) for _ in range(5))
        assert [thread for thread in threading.enumerate() if thread not in before] == [], "somebody still watches"
