"""What operators are shown; see `answers` for the rules that hold for all of these values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scheduler_service.answers import ItemStatus, ItemSummary, WorkState


@dataclass(frozen=True, slots=True)
class StatusCount:
    status: ItemStatus
    count: int
    oldest_at: datetime | None


@dataclass(frozen=True, slots=True)
class WorkStateCount:
    work_state: WorkState
    count: int


@dataclass(frozen=True, slots=True)
class FailureCluster:
    field_name: str
    target_locale: str
    code: str
    count: int


@dataclass(frozen=True, slots=True)
class CredentialStatus:
    credential: str
    provider: str
    is_halted: bool
    halt_code: str
    cooling_until: datetime | None
    waiting_items: int
    spent_today_micros: int


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    worker: str
    started_at: datetime | None
    beat_at: datetime | None
    held_items: int
    is_alive: bool


@dataclass(frozen=True, slots=True)
class GetStatusResponse:
    total: int
    inactive: int
    by_status: tuple[StatusCount, ...]
    by_work_state: tuple[WorkStateCount, ...]
    failures: tuple[FailureCluster, ...]
    credentials: tuple[CredentialStatus, ...]
    workers: tuple[WorkerStatus, ...]
    unknown_calls: int
    at: datetime | None


@dataclass(frozen=True, slots=True)
class ListFieldsResponse:
    items: tuple[ItemSummary, ...]
    next_page_token: str


@dataclass(frozen=True, slots=True)
class Site:
    site_id: str
    name: str
    source_locale: str
    target_locales: tuple[str, ...]
    credential: str
    roles: tuple[str, ...]
    paused_until: datetime | None


@dataclass(frozen=True, slots=True)
class ListSitesResponse:
    sites: tuple[Site, ...]


@dataclass(frozen=True, slots=True)
class ResetItemsResponse:
    reset_items: int
    refused_items: int
