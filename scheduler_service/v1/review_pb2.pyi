from scheduler_service.v1 import resources_pb2 as _resources_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Queue(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUEUE_UNSPECIFIED: _ClassVar[Queue]
    QUEUE_TO_REVIEW: _ClassVar[Queue]
    QUEUE_NEEDS_PERSON: _ClassVar[Queue]
    QUEUE_APPROVED: _ClassVar[Queue]
    QUEUE_PUBLISHED: _ClassVar[Queue]
    QUEUE_REJECTED: _ClassVar[Queue]
    QUEUE_IN_WORK: _ClassVar[Queue]
QUEUE_UNSPECIFIED: Queue
QUEUE_TO_REVIEW: Queue
QUEUE_NEEDS_PERSON: Queue
QUEUE_APPROVED: Queue
QUEUE_PUBLISHED: Queue
QUEUE_REJECTED: Queue
QUEUE_IN_WORK: Queue

class ListItemsRequest(_message.Message):
    __slots__ = ("site_id", "target_locale", "queue", "page_id", "query", "page_size", "page_token")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PAGE_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    target_locale: str
    queue: Queue
    page_id: str
    query: str
    page_size: int
    page_token: str
    def __init__(self, site_id: _Optional[str] = ..., target_locale: _Optional[str] = ..., queue: _Optional[_Union[Queue, str]] = ..., page_id: _Optional[str] = ..., query: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class QueueCount(_message.Message):
    __slots__ = ("queue", "count")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    queue: Queue
    count: int
    def __init__(self, queue: _Optional[_Union[Queue, str]] = ..., count: _Optional[int] = ...) -> None: ...

class ListItemsResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "counts")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.ItemSummary]
    next_page_token: str
    counts: _containers.RepeatedCompositeFieldContainer[QueueCount]
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.ItemSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., counts: _Optional[_Iterable[_Union[QueueCount, _Mapping]]] = ...) -> None: ...

class GetItemRequest(_message.Message):
    __slots__ = ("item_id", "queue")
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    item_id: int
    queue: Queue
    def __init__(self, item_id: _Optional[int] = ..., queue: _Optional[_Union[Queue, str]] = ...) -> None: ...

class GetItemResponse(_message.Message):
    __slots__ = ("summary", "source_text", "source_hash", "source_locale", "note", "speaker", "max_length", "candidate", "candidates", "history", "previous_text", "previous_source_text", "published_text", "next_item_id", "previous_item_id", "may_review", "may_publish", "may_override", "queue_position", "queue_count")
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_TEXT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_HASH_FIELD_NUMBER: _ClassVar[int]
    SOURCE_LOCALE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_TEXT_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_SOURCE_TEXT_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_TEXT_FIELD_NUMBER: _ClassVar[int]
    NEXT_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    MAY_REVIEW_FIELD_NUMBER: _ClassVar[int]
    MAY_PUBLISH_FIELD_NUMBER: _ClassVar[int]
    MAY_OVERRIDE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_POSITION_FIELD_NUMBER: _ClassVar[int]
    QUEUE_COUNT_FIELD_NUMBER: _ClassVar[int]
    summary: _resources_pb2.ItemSummary
    source_text: str
    source_hash: str
    source_locale: str
    note: str
    speaker: str
    max_length: int
    candidate: _resources_pb2.Candidate
    candidates: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Candidate]
    history: _containers.RepeatedCompositeFieldContainer[_resources_pb2.HistoryEntry]
    previous_text: str
    previous_source_text: str
    published_text: str
    next_item_id: int
    previous_item_id: int
    may_review: bool
    may_publish: bool
    may_override: bool
    queue_position: int
    queue_count: int
    def __init__(self, summary: _Optional[_Union[_resources_pb2.ItemSummary, _Mapping]] = ..., source_text: _Optional[str] = ..., source_hash: _Optional[str] = ..., source_locale: _Optional[str] = ..., note: _Optional[str] = ..., speaker: _Optional[str] = ..., max_length: _Optional[int] = ..., candidate: _Optional[_Union[_resources_pb2.Candidate, _Mapping]] = ..., candidates: _Optional[_Iterable[_Union[_resources_pb2.Candidate, _Mapping]]] = ..., history: _Optional[_Iterable[_Union[_resources_pb2.HistoryEntry, _Mapping]]] = ..., previous_text: _Optional[str] = ..., previous_source_text: _Optional[str] = ..., published_text: _Optional[str] = ..., next_item_id: _Optional[int] = ..., previous_item_id: _Optional[int] = ..., may_review: _Optional[bool] = ..., may_publish: _Optional[bool] = ..., may_override: _Optional[bool] = ..., queue_position: _Optional[int] = ..., queue_count: _Optional[int] = ...) -> None: ...

class ApproveRequest(_message.Message):
    __slots__ = ("item_id", "version", "candidate_id", "text_hash", "override_reason", "note")
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_HASH_FIELD_NUMBER: _ClassVar[int]
    OVERRIDE_REASON_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    item_id: int
    version: int
    candidate_id: int
    text_hash: str
    override_reason: str
    note: str
    def __init__(self, item_id: _Optional[int] = ..., version: _Optional[int] = ..., candidate_id: _Optional[int] = ..., text_hash: _Optional[str] = ..., override_reason: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class DecisionResponse(_message.Message):
    __slots__ = ("version", "status")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    version: int
    status: _resources_pb2.ItemStatus
    def __init__(self, version: _Optional[int] = ..., status: _Optional[_Union[_resources_pb2.ItemStatus, str]] = ...) -> None: ...

class EditRequest(_message.Message):
    __slots__ = ("item_id", "version", "candidate_id", "text", "approve", "override_reason", "note")
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    APPROVE_FIELD_NUMBER: _ClassVar[int]
    OVERRIDE_REASON_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    item_id: int
    version: int
    candidate_id: int
    text: str
    approve: bool
    override_reason: str
    note: str
    def __init__(self, item_id: _Optional[int] = ..., version: _Optional[int] = ..., candidate_id: _Optional[int] = ..., text: _Optional[str] = ..., approve: _Optional[bool] = ..., override_reason: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class EditResponse(_message.Message):
    __slots__ = ("version", "status", "candidate_id", "gates", "is_stored")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    GATES_FIELD_NUMBER: _ClassVar[int]
    IS_STORED_FIELD_NUMBER: _ClassVar[int]
    version: int
    status: _resources_pb2.ItemStatus
    candidate_id: int
    gates: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Gate]
    is_stored: bool
    def __init__(self, version: _Optional[int] = ..., status: _Optional[_Union[_resources_pb2.ItemStatus, str]] = ..., candidate_id: _Optional[int] = ..., gates: _Optional[_Iterable[_Union[_resources_pb2.Gate, _Mapping]]] = ..., is_stored: _Optional[bool] = ...) -> None: ...

class RejectRequest(_message.Message):
    __slots__ = ("item_id", "version", "candidate_id", "note", "ask_again")
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    ASK_AGAIN_FIELD_NUMBER: _ClassVar[int]
    item_id: int
    version: int
    candidate_id: int
    note: str
    ask_again: bool
    def __init__(self, item_id: _Optional[int] = ..., version: _Optional[int] = ..., candidate_id: _Optional[int] = ..., note: _Optional[str] = ..., ask_again: _Optional[bool] = ...) -> None: ...

class PublishRequest(_message.Message):
    __slots__ = ("item_id", "version", "text_hash")
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TEXT_HASH_FIELD_NUMBER: _ClassVar[int]
    item_id: int
    version: int
    text_hash: str
    def __init__(self, item_id: _Optional[int] = ..., version: _Optional[int] = ..., text_hash: _Optional[str] = ...) -> None: ...

class ReopenRequest(_message.Message):
    __slots__ = ("item_id", "version", "note")
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    item_id: int
    version: int
    note: str
    def __init__(self, item_id: _Optional[int] = ..., version: _Optional[int] = ..., note: _Optional[str] = ...) -> None: ...
