"""Measures the main job: items a second on a folder, and where the time goes, beside the bare engine.

    python benchmarks/main_job.py --content DIR [--side-by-side 4,1] [--json]

Runs `draftgate demo --once` on the folder, as a newcomer would, in a data folder that is removed afterwards; and,
before and after it, the bare engine on the same prose in a process of its own. The folder is only read.

The split adds up the `item.attempt` lines of the scheduler's log: engine is what the engine itself took, gRPC the
calls around it (with the wait for a free engine thread), gates the free check, database every statement, rest
what remains. With one item at a time nothing waits for anything, so that column shows the true costs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.embedded.processes import draftgate, free_port
from translator_service.domain.syntax import find_prose, find_tokens
from translator_service.domain.values import TextFormat
from translator_service.providers.offline_engine import OfflineEngine, sentences

PARTS = ("engine", "gRPC and waiting", "gates", "database", "rest")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process and its children took. CPU seconds hardly depend on who else uses the machine."""

    seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the demo. `working` is from the first claim to the last item's end; `shares` add up to 1."""

    side_by_side: int
    items: int
    source_characters: int
    working_seconds: float
    shares: dict[str, float]
    whole: Spent


def run_demo(content: Path, source: str, target: str, side_by_side: int, threads: int) -> Run:
    """Run the demo once.

    Raises:
        SystemExit: it failed; its own message is shown.
    """
    with tempfile.TemporaryDirectory(prefix="draftgate-benchmark-") as folder:
        data = Path(folder) / "data"
        command = draftgate("demo", "--content", str(content), "--source", source, "--target", target,
                            "--data", str(data), "--port", str(free_port()), "--once", "--json")  # fmt: skip
        ended, spent = _timed(command, {
            "DRAFTGATE_SCHEDULER_CONCURRENCY": str(side_by_side), "DRAFTGATE_TRANSLATOR_OFFLINE_THREADS": str(threads),
        })
        if ended.returncode != 0:
            sys.exit(ended.stderr)
        attempts = list(_attempts(data / "logs" / "scheduler.log"))
    return Run(
        side_by_side,
        len({line["item"] for line in attempts}),
        sum(line["source_characters"] for line in attempts),
        _working_seconds(attempts),
        shares(attempts),
        spent,
    )


def shares(attempts: Iterable[dict]) -> dict[str, float]:
    """Return each part's share of the time that items were in hand."""
    total = dict.fromkeys(PARTS, 0.0)
    for line in attempts:
        engine, rpc = line.get("engine_ms", 0), line.get("rpc_ms", 0)
        check, store = line.get("check_ms", 0), line.get("store_ms", 0)
        parts = (engine, rpc - engine, check, store, line["duration_ms"] - rpc - check - store)
        for name, milliseconds in zip(PARTS, parts, strict=True):
            total[name] += milliseconds
    whole = sum(total.values()) or 1.0
    return {name: milliseconds / whole for name, milliseconds in total.items()}


def bare_engine(content: Path, source: str, target: str, threads: int) -> None:
    """Translate each sentence of the folder once with nothing around the engine; print what it took.

    What it doesn't do and the product must: mask what may not change, judge by a round trip, store.
    """
    scan = FolderSource(content, source).scan(target)
    engine = OfflineEngine()
    pair = (source, target)
    found = [
        span.of(field.text)
        for page in scan.pages
        for field in page.fields
        for prose in find_prose(field.text, TextFormat(field.text_format))
        for span in sentences(field.text, prose, find_tokens(field.text, TextFormat(field.text_format)), source)
    ]
    translate = engine.direction(pair)
    began, cpu = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(translate, found, chunksize=8))
    spent = Spent(time.monotonic() - began, time.process_time() - cpu)
    print(json.dumps({"sentences": len(found), **asdict(spent)}))


def measure_bare_engine(content: Path, source: str, target: str, threads: int) -> Spent:
    """Run `bare_engine` in a process of its own, as the translator is one."""
    words = ["--content", str(content), "--source", source, "--target", target, "--threads", str(threads)]
    ended, _ = _timed([sys.executable, __file__, *words, "--bare-engine"], {})
    if ended.returncode != 0:
        sys.exit(ended.stderr)
    told = json.loads(ended.stdout)
    return Spent(told["seconds"], told["cpu_seconds"])


def _timed(command: list[str], variables: dict[str, str]) -> tuple[subprocess.CompletedProcess[str], Spent]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    ended = subprocess.run(
        command, env=os.environ | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ended, Spent(time.monotonic() - began, cpu)


def _attempts(log: Path) -> Iterator[dict]:
    for line in log.read_text(encoding="utf-8").splitlines():
        if '"item.attempt"' in line:
            yield json.loads(line)


def _working_seconds(attempts: list[dict]) -> float:
    ends = [datetime.fromisoformat(line["at"]) for line in attempts]
    begins = [at - timedelta(milliseconds=line["duration_ms"]) for at, line in zip(ends, attempts, strict=True)]
    return (max(ends) - min(begins)).total_seconds()


def table(runs: list[Run], engine: list[Spent], threads: int, load: list[float]) -> str:
    """Return the figures as a Markdown table, one column a run."""
    bare = min(engine, key=lambda spent: spent.seconds)
    rows: list[tuple[str, list[str]]] = [
        ("items side by side", [str(run.side_by_side) for run in runs]),
        ("items", [str(run.items) for run in runs]),
        ("source characters", [f"{run.source_characters:,}" for run in runs]),
        ("items/s", [f"{run.items / run.working_seconds:.1f}" for run in runs]),
        ("source characters/s", [f"{run.source_characters / run.working_seconds:,.0f}" for run in runs]),
        ("seconds of work", [f"{run.working_seconds:.0f}" for run in runs]),
        ("seconds of the whole command", [f"{run.whole.seconds:.0f}" for run in runs]),
        ("CPU seconds of all its processes", [f"{run.whole.cpu_seconds:.0f}" for run in runs]),
        *((f"share of {name}", [f"{run.shares[name]:.0%}" for run in runs]) for name in PARTS),
        (f"work / bare engine's {bare.seconds:.0f} s", [f"{run.working_seconds / bare.seconds:.1f}" for run in runs]),
        (
            f"CPU / bare engine's {bare.cpu_seconds:.0f} CPU s",
            [f"{run.whole.cpu_seconds / bare.cpu_seconds:.1f}" for run in runs],
        ),
    ]
    lines = [f"| {name} | {' | '.join(cells)} |" for name, cells in rows]
    lines.insert(1, f"| --- |{' ---: |' * len(runs)}")
    drift = max(spent.seconds for spent in engine) / bare.seconds
    notes = (
        f"{os.cpu_count()} cores, {threads} engine threads; load {load[0]:.1f} at the start, {load[1]:.1f} at the end. "
        f"The bare engine took {' and '.join(f'{spent.seconds:.0f} s' for spent in engine)}"
        + (f": the machine was busy with other things (a factor of {drift:.1f}), so trust ratios of CPU seconds only."
           if drift > 1.1 or max(load) > (os.cpu_count() or 1) * 1.5 else ".")
    )  # fmt: skip
    return "\n".join([*lines, "", notes])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--content", type=Path, required=True, help="folder with content files")
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="pt-BR")
    parser.add_argument("--side-by-side", default="4,1", help="how many items at once; a run for each number")
    parser.add_argument("--threads", type=int, default=2, help="threads of the engine, here and in the demo")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--bare-engine", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    pair = (given.content.absolute(), given.source, given.target)
    if given.bare_engine:
        bare_engine(*pair, given.threads)
        return
    load = [os.getloadavg()[0]]
    engine = [measure_bare_engine(*pair, given.threads)]
    runs = [run_demo(*pair, int(number), given.threads) for number in given.side_by_side.split(",")]
    load.append(os.getloadavg()[0])
    engine.append(measure_bare_engine(*pair, given.threads))
    if given.json:
        print(json.dumps({"runs": [asdict(run) for run in runs], "bare_engine": [asdict(one) for one in engine],
                          "cores": os.cpu_count(), "load": load}))  # fmt: skip
    else:
        print(table(runs, engine, given.threads, load))


if __name__ == "__main__":
    main()
