"""Health, readiness, metrics and the tick, as probes and an outside cron meet them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import grpc
import psycopg
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from running_scheduler import RunningScheduler

from scheduler_service.authorising import methods_of_contract

TICK = "only-the-cron-knows"


@pytest.fixture
def ticking(database_url: str) -> Iterator[RunningScheduler]:
    with RunningScheduler(database_url, tick_token=TICK) as running:
        yield running


def ask(address: str, *, method: str = "GET", **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(address, method=method, headers=headers), timeout=20) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def check(scheduler: RunningScheduler, service: str = "") -> int:
    stub = health_pb2_grpc.HealthStub(scheduler.channel)
    return stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=10).status


def lose_database(scheduler: RunningScheduler) -> None:
    """Take the database away for good, as if its server had gone."""
    url = scheduler.database.url.replace("postgresql+psycopg", "postgresql", 1)
    name = url.rpartition("/")[2].partition("?")[0]
    with psycopg.connect(url.replace(f"/{name}", "/postgres"), autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("alter database {} with allow_connections false").format(
            psycopg.sql.Identifier(name)))
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))


def test_the_standard_health_service_answers_for_the_whole_and_for_each_service(scheduler):
    services = {method.split("/")[1] for method in methods_of_contract()}
    assert {check(scheduler, service) for service in {"", *services}} == {health_pb2.HealthCheckResponse.SERVING}
    with pytest.raises(grpc.RpcError) as error:
        check(scheduler, "scheduler_service.v1.Nothing")
    assert error.value.code() is grpc.StatusCode.NOT_FOUND


def test_health_needs_neither_token_nor_deadline(scheduler):
    stub = health_pb2_grpc.HealthStub(scheduler.channel)
    assert stub.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.SERVING


def test_a_process_that_is_about_to_end_says_so_and_still_answers(scheduler):
    scheduler.running.say_not_serving()
    assert check(scheduler) == health_pb2.HealthCheckResponse.NOT_SERVING
    assert scheduler.send("People/WhoAmI", b"")[0] is grpc.StatusCode.UNAUTHENTICATED


def test_the_faces_answer_to_anybody(scheduler):
    assert ask(f"{scheduler.http}/healthz") == (200, '{"service":"scheduler","status":"ok"}\n')
    assert ask(f"{scheduler.http}/readyz") == (200, '{"service":"scheduler","status":"ready"}\n')


def test_without_its_database_a_scheduler_lives_but_is_not_ready_and_says_so_at_once(scheduler):
    lose_database(scheduler)
    assert ask(f"{scheduler.http}/healthz")[0] == 200
    status, body = ask(f"{scheduler.http}/readyz")
    assert (status, json.loads(body)["status"]) == (503, "not ready")


def test_without_its_database_a_call_is_unavailable_and_tells_nothing_of_it(scheduler):
    token = scheduler.person("Root", "admin", site_id="*")
    lose_database(scheduler)
    status, said, _ = scheduler.send("People/WhoAmI", b"", token, timeout=60)
    assert (status, said["draftgate-reason"]) == (grpc.StatusCode.UNAVAILABLE, "DATABASE_UNAVAILABLE")
    assert "postgres" not in str(said).lower() and "08006" not in str(said)


def numbers(scheduler: RunningScheduler) -> dict[str, float]:
    """Return every sample of the metrics page, by its whole name."""
    _, body = ask(f"{scheduler.http}/metrics")
    return {
        name: float(value) for name, _, value in (
            line.rpartition(" ") for line in body.splitlines() if line and not line.startswith("#"))}


def test_metrics_count_items_of_every_site_by_status_and_work_state(scheduler):
    harbour, garden = scheduler.site(), scheduler.site("garden")
    harbour.scan({"title": "One", "body": "Two", "note": "Three"})
    harbour.drafted("title")
    harbour.change("update items set next_attempt_at = 'infinity' where field_name = 'body'")
    garden.scan({"title": "canary-of-somebodys-text"})
    garden.scan({})
    assert {name: value for name, value in numbers(scheduler).items() if name.startswith("draftgate_items")} == {
        'draftgate_items{site="harbour",status="draft"}': 1, 'draftgate_items{site="harbour",status="missing"}': 2,
        'draftgate_items_in_work{site="harbour",work_state="failed"}': 1,
        'draftgate_items_in_work{site="harbour",work_state="ready"}': 1}
    assert "canary" not in ask(f"{scheduler.http}/metrics")[1]


def test_metrics_without_a_database_have_no_counts_rather_than_false_ones(scheduler):
    lose_database(scheduler)
    status, body = ask(f"{scheduler.http}/metrics")
    assert status == 200 and "draftgate_items{" not in body


def test_a_tick_sweeps_and_tells_what_it_did(ticking):
    site = ticking.site()
    site.scan({"title": "One"})
    site.claim(site.item_id("title"))
    site.change("update items set lease_until = now() - interval '1 second', attempt_count = 4")
    status, body = ask(f"{ticking.http}/tasks/tick", method="POST", Authorization=f"Bearer {TICK}")
    assert status == 200
    assert json.loads(body)["swept"] == {
        "checked": 1, "requeued": 0, "to_review": 0, "to_credential": 0, "failed": 1, "unchanged": 0}
    assert site.row(site.item_id("title"))["last_error_code"] == "Worker.Timeout"


@pytest.mark.parametrize("authorization", [None, "", "Bearer ", "Bearer wrong", TICK, f"Basic {TICK}", f"Bearer {TICK}x",
                                           "Bearer \u00e4"])
def test_a_tick_without_the_token_is_refused_and_sweeps_nothing(ticking, authorization):
    site = ticking.site()
    site.scan({"title": "One"})
    site.claim(site.item_id("title"))
    site.change("update items set lease_until = now() - interval '1 second'")
    before = site.row(site.item_id("title"))
    headers = {} if authorization is None else {"Authorization": authorization}
    assert ask(f"{ticking.http}/tasks/tick", method="POST", **headers)[0] == 401
    assert site.row(site.item_id("title")) == before


def test_the_tick_is_no_page_to_look_at_and_without_a_token_it_doesnt_exist(ticking, database_url):
    assert ask(f"{ticking.http}/tasks/tick", Authorization=f"Bearer {TICK}")[0] == 405
    with RunningScheduler(database_url) as plain:
        assert ask(f"{plain.http}/tasks/tick", method="POST", Authorization="Bearer ")[0] == 404


def test_a_tick_without_a_database_is_told_to_come_again(ticking):
    lose_database(ticking)
    status, body = ask(f"{ticking.http}/tasks/tick", method="POST", Authorization=f"Bearer {TICK}")
    assert (status, json.loads(body)) == (503, {"error": "Service Unavailable"})


def test_an_unknown_address_is_not_found_without_echoing_it(scheduler):
    status, body = ask(f"{scheduler.http}/canary")
    assert (status, "canary" in body) == (404, False)
