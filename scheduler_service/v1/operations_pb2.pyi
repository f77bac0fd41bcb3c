import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from scheduler_service.v1 import resources_pb2 as _resources_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetStatusRequest(_message.Message):
    __slots__ = ("site_id",)
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    def __init__(self, site_id: _Optional[str] = ...) -> None: ...

class StatusCount(_message.Message):
    __slots__ = ("status", "count", "oldest_at")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    OLDEST_AT_FIELD_NUMBER: _ClassVar[int]
    status: _resources_pb2.ItemStatus
    count: int
    oldest_at: _timestamp_pb2.Timestamp
    def __init__(self, status: _Optional[_Union[_resources_pb2.ItemStatus, str]] = ..., count: _Optional[int] = ..., oldest_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class WorkStateCount(_message.Message):
    __slots__ = ("work_state", "count")
    WORK_STATE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    work_state: _resources_pb2.WorkState
    count: int
    def __init__(self, work_state: _Optional[_Union[_resources_pb2.WorkState, str]] = ..., count: _Optional[int] = ...) -> None: ...

class FailureCluster(_message.Message):
    __slots__ = ("field_name", "target_locale", "code", "count")
    FIELD_NAME_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    field_name: str
    target_locale: str
    code: str
    count: int
    def __init__(self, field_name: _Optional[str] = ..., target_locale: _Optional[str] = ..., code: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class CredentialStatus(_message.Message):
    __slots__ = ("credential", "provider", "is_halted", "halt_code", "cooling_until", "waiting_items", "spent_today_micros")
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    IS_HALTED_FIELD_NUMBER: _ClassVar[int]
    HALT_CODE_FIELD_NUMBER: _ClassVar[int]
    COOLING_UNTIL_FIELD_NUMBER: _ClassVar[int]
    WAITING_ITEMS_FIELD_NUMBER: _ClassVar[int]
    SPENT_TODAY_MICROS_FIELD_NUMBER: _ClassVar[int]
    credential: str
    provider: str
    is_halted: bool
    halt_code: str
    cooling_until: _timestamp_pb2.Timestamp
    waiting_items: int
    spent_today_micros: int
    def __init__(self, credential: _Optional[str] = ..., provider: _Optional[str] = ..., is_halted: _Optional[bool] = ..., halt_code: _Optional[str] = ..., cooling_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., waiting_items: _Optional[int] = ..., spent_today_micros: _Optional[int] = ...) -> None: ...

class WorkerStatus(_message.Message):
    __slots__ = ("worker", "started_at", "beat_at", "held_items", "is_alive")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    BEAT_AT_FIELD_NUMBER: _ClassVar[int]
    HELD_ITEMS_FIELD_NUMBER: _ClassVar[int]
    IS_ALIVE_FIELD_NUMBER: _ClassVar[int]
    worker: str
    started_at: _timestamp_pb2.Timestamp
    beat_at: _timestamp_pb2.Timestamp
    held_items: int
    is_alive: bool
    def __init__(self, worker: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., beat_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., held_items: _Optional[int] = ..., is_alive: _Optional[bool] = ...) -> None: ...

class GetStatusResponse(_message.Message):
    __slots__ = ("total", "inactive", "by_status", "by_work_state", "failures", "credentials", "workers", "unknown_calls", "at")
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    INACTIVE_FIELD_NUMBER: _ClassVar[int]
    BY_STATUS_FIELD_NUMBER: _ClassVar[int]
    BY_WORK_STATE_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    CREDENTIALS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_CALLS_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    total: int
    inactive: int
    by_status: _containers.RepeatedCompositeFieldContainer[StatusCount]
    by_work_state: _containers.RepeatedCompositeFieldContainer[WorkStateCount]
    failures: _containers.RepeatedCompositeFieldContainer[FailureCluster]
    credentials: _containers.RepeatedCompositeFieldContainer[CredentialStatus]
    workers: _containers.RepeatedCompositeFieldContainer[WorkerStatus]
    unknown_calls: int
    at: _timestamp_pb2.Timestamp
    def __init__(self, total: _Optional[int] = ..., inactive: _Optional[int] = ..., by_status: _Optional[_Iterable[_Union[StatusCount, _Mapping]]] = ..., by_work_state: _Optional[_Iterable[_Union[WorkStateCount, _Mapping]]] = ..., failures: _Optional[_Iterable[_Union[FailureCluster, _Mapping]]] = ..., credentials: _Optional[_Iterable[_Union[CredentialStatus, _Mapping]]] = ..., workers: _Optional[_Iterable[_Union[WorkerStatus, _Mapping]]] = ..., unknown_calls: _Optional[int] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListFieldsRequest(_message.Message):
    __slots__ = ("site_id", "target_locale", "page_size", "page_token")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    target_locale: str
    page_size: int
    page_token: str
    def __init__(self, site_id: _Optional[str] = ..., target_locale: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListFieldsResponse(_message.Message):
    __slots__ = ("items", "next_page_token")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.ItemSummary]
    next_page_token: str
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.ItemSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListSitesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Site(_message.Message):
    __slots__ = ("site_id", "name", "source_locale", "target_locales", "credential", "roles", "paused_until")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_LOCALE_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALES_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    PAUSED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    name: str
    source_locale: str
    target_locales: _containers.RepeatedScalarFieldContainer[str]
    credential: str
    roles: _containers.RepeatedScalarFieldContainer[str]
    paused_until: _timestamp_pb2.Timestamp
    def __init__(self, site_id: _Optional[str] = ..., name: _Optional[str] = ..., source_locale: _Optional[str] = ..., target_locales: _Optional[_Iterable[str]] = ..., credential: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ..., paused_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListSitesResponse(_message.Message):
    __slots__ = ("sites",)
    SITES_FIELD_NUMBER: _ClassVar[int]
    sites: _containers.RepeatedCompositeFieldContainer[Site]
    def __init__(self, sites: _Optional[_Iterable[_Union[Site, _Mapping]]] = ...) -> None: ...

class ResetItemsRequest(_message.Message):
    __slots__ = ("site_id", "item_ids", "reason")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    ITEM_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    item_ids: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    def __init__(self, site_id: _Optional[str] = ..., item_ids: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ...) -> None: ...

class ResetItemsResponse(_message.Message):
    __slots__ = ("reset_items", "refused_items")
    RESET_ITEMS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_ITEMS_FIELD_NUMBER: _ClassVar[int]
    reset_items: int
    refused_items: int
    def __init__(self, reset_items: _Optional[int] = ..., refused_items: _Optional[int] = ...) -> None: ...
