import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ItemStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ITEM_STATUS_UNSPECIFIED: _ClassVar[ItemStatus]
    ITEM_STATUS_MISSING: _ClassVar[ItemStatus]
    ITEM_STATUS_STALE: _ClassVar[ItemStatus]
    ITEM_STATUS_DRAFT: _ClassVar[ItemStatus]
    ITEM_STATUS_NEEDS_REVIEW: _ClassVar[ItemStatus]
    ITEM_STATUS_NEEDS_CREDENTIAL: _ClassVar[ItemStatus]
    ITEM_STATUS_APPROVED: _ClassVar[ItemStatus]
    ITEM_STATUS_PUBLISHED: _ClassVar[ItemStatus]
    ITEM_STATUS_REJECTED: _ClassVar[ItemStatus]

class WorkState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_STATE_UNSPECIFIED: _ClassVar[WorkState]
    WORK_STATE_RUNNING: _ClassVar[WorkState]
    WORK_STATE_WAITING_UNKNOWN: _ClassVar[WorkState]
    WORK_STATE_FAILED: _ClassVar[WorkState]
    WORK_STATE_PAUSED: _ClassVar[WorkState]
    WORK_STATE_WAITING_CEILING: _ClassVar[WorkState]
    WORK_STATE_WAITING_TO_RETRY: _ClassVar[WorkState]
    WORK_STATE_READY: _ClassVar[WorkState]
ITEM_STATUS_UNSPECIFIED: ItemStatus
ITEM_STATUS_MISSING: ItemStatus
ITEM_STATUS_STALE: ItemStatus
ITEM_STATUS_DRAFT: ItemStatus
ITEM_STATUS_NEEDS_REVIEW: ItemStatus
ITEM_STATUS_NEEDS_CREDENTIAL: ItemStatus
ITEM_STATUS_APPROVED: ItemStatus
ITEM_STATUS_PUBLISHED: ItemStatus
ITEM_STATUS_REJECTED: ItemStatus
WORK_STATE_UNSPECIFIED: WorkState
WORK_STATE_RUNNING: WorkState
WORK_STATE_WAITING_UNKNOWN: WorkState
WORK_STATE_FAILED: WorkState
WORK_STATE_PAUSED: WorkState
WORK_STATE_WAITING_CEILING: WorkState
WORK_STATE_WAITING_TO_RETRY: WorkState
WORK_STATE_READY: WorkState

class ItemKey(_message.Message):
    __slots__ = ("site_id", "page_id", "field_name", "target_locale")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_ID_FIELD_NUMBER: _ClassVar[int]
    FIELD_NAME_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    page_id: str
    field_name: str
    target_locale: str
    def __init__(self, site_id: _Optional[str] = ..., page_id: _Optional[str] = ..., field_name: _Optional[str] = ..., target_locale: _Optional[str] = ...) -> None: ...

class ItemSummary(_message.Message):
    __slots__ = ("item_id", "key", "label", "text_format", "status", "work_state", "source_revision", "source_excerpt", "target_excerpt", "score", "is_offline_estimate", "hard_gates_failed", "findings_count", "flags_count", "last_error_code", "attempt_count", "status_changed_at", "reasons", "version", "turns")
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    TEXT_FORMAT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    WORK_STATE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_REVISION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_EXCERPT_FIELD_NUMBER: _ClassVar[int]
    TARGET_EXCERPT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    IS_OFFLINE_ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    HARD_GATES_FAILED_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_COUNT_FIELD_NUMBER: _ClassVar[int]
    FLAGS_COUNT_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_COUNT_FIELD_NUMBER: _ClassVar[int]
    STATUS_CHANGED_AT_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    item_id: int
    key: ItemKey
    label: str
    text_format: str
    status: ItemStatus
    work_state: WorkState
    source_revision: int
    source_excerpt: str
    target_excerpt: str
    score: float
    is_offline_estimate: bool
    hard_gates_failed: int
    findings_count: int
    flags_count: int
    last_error_code: str
    attempt_count: int
    status_changed_at: _timestamp_pb2.Timestamp
    reasons: _containers.RepeatedScalarFieldContainer[str]
    version: int
    turns: int
    def __init__(self, item_id: _Optional[int] = ..., key: _Optional[_Union[ItemKey, _Mapping]] = ..., label: _Optional[str] = ..., text_format: _Optional[str] = ..., status: _Optional[_Union[ItemStatus, str]] = ..., work_state: _Optional[_Union[WorkState, str]] = ..., source_revision: _Optional[int] = ..., source_excerpt: _Optional[str] = ..., target_excerpt: _Optional[str] = ..., score: _Optional[float] = ..., is_offline_estimate: _Optional[bool] = ..., hard_gates_failed: _Optional[int] = ..., findings_count: _Optional[int] = ..., flags_count: _Optional[int] = ..., last_error_code: _Optional[str] = ..., attempt_count: _Optional[int] = ..., status_changed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reasons: _Optional[_Iterable[str]] = ..., version: _Optional[int] = ..., turns: _Optional[int] = ...) -> None: ...

class TextSpan(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class GateEvidence(_message.Message):
    __slots__ = ("source", "candidate")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    source: TextSpan
    candidate: TextSpan
    def __init__(self, source: _Optional[_Union[TextSpan, _Mapping]] = ..., candidate: _Optional[_Union[TextSpan, _Mapping]] = ...) -> None: ...

class Gate(_message.Message):
    __slots__ = ("gate", "outcome", "severity", "is_structural", "explanation", "evidence")
    GATE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    IS_STRUCTURAL_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    gate: str
    outcome: str
    severity: str
    is_structural: bool
    explanation: str
    evidence: _containers.RepeatedCompositeFieldContainer[GateEvidence]
    def __init__(self, gate: _Optional[str] = ..., outcome: _Optional[str] = ..., severity: _Optional[str] = ..., is_structural: _Optional[bool] = ..., explanation: _Optional[str] = ..., evidence: _Optional[_Iterable[_Union[GateEvidence, _Mapping]]] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("dimension", "severity", "source_quote", "target_quote", "reason", "fix", "source_span", "candidate_span")
    DIMENSION_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_QUOTE_FIELD_NUMBER: _ClassVar[int]
    TARGET_QUOTE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FIX_FIELD_NUMBER: _ClassVar[int]
    SOURCE_SPAN_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_SPAN_FIELD_NUMBER: _ClassVar[int]
    dimension: str
    severity: str
    source_quote: str
    target_quote: str
    reason: str
    fix: str
    source_span: TextSpan
    candidate_span: TextSpan
    def __init__(self, dimension: _Optional[str] = ..., severity: _Optional[str] = ..., source_quote: _Optional[str] = ..., target_quote: _Optional[str] = ..., reason: _Optional[str] = ..., fix: _Optional[str] = ..., source_span: _Optional[_Union[TextSpan, _Mapping]] = ..., candidate_span: _Optional[_Union[TextSpan, _Mapping]] = ...) -> None: ...

class Judgment(_message.Message):
    __slots__ = ("judgment_id", "turn", "ordinal", "verdict", "score", "dimension_scores", "reasons", "rubric_version", "is_offline_estimate", "judged_sentences", "unjudged_sentences", "findings", "judge", "judged_at")
    class DimensionScoresEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    JUDGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ORDINAL_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    DIMENSION_SCORES_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    RUBRIC_VERSION_FIELD_NUMBER: _ClassVar[int]
    IS_OFFLINE_ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    JUDGED_SENTENCES_FIELD_NUMBER: _ClassVar[int]
    UNJUDGED_SENTENCES_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    JUDGED_AT_FIELD_NUMBER: _ClassVar[int]
    judgment_id: int
    turn: int
    ordinal: int
    verdict: str
    score: float
    dimension_scores: _containers.ScalarMap[str, float]
    reasons: _containers.RepeatedScalarFieldContainer[str]
    rubric_version: str
    is_offline_estimate: bool
    judged_sentences: int
    unjudged_sentences: int
    findings: _containers.RepeatedCompositeFieldContainer[Finding]
    judge: str
    judged_at: _timestamp_pb2.Timestamp
    def __init__(self, judgment_id: _Optional[int] = ..., turn: _Optional[int] = ..., ordinal: _Optional[int] = ..., verdict: _Optional[str] = ..., score: _Optional[float] = ..., dimension_scores: _Optional[_Mapping[str, float]] = ..., reasons: _Optional[_Iterable[str]] = ..., rubric_version: _Optional[str] = ..., is_offline_estimate: _Optional[bool] = ..., judged_sentences: _Optional[int] = ..., unjudged_sentences: _Optional[int] = ..., findings: _Optional[_Iterable[_Union[Finding, _Mapping]]] = ..., judge: _Optional[str] = ..., judged_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Candidate(_message.Message):
    __slots__ = ("candidate_id", "source_revision", "turn", "origin", "text", "text_hash", "engine", "glossary_version", "gates", "judgments", "closed_reason", "created_at", "person")
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_REVISION_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TEXT_HASH_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    GLOSSARY_VERSION_FIELD_NUMBER: _ClassVar[int]
    GATES_FIELD_NUMBER: _ClassVar[int]
    JUDGMENTS_FIELD_NUMBER: _ClassVar[int]
    CLOSED_REASON_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    PERSON_FIELD_NUMBER: _ClassVar[int]
    candidate_id: int
    source_revision: int
    turn: int
    origin: str
    text: str
    text_hash: str
    engine: str
    glossary_version: str
    gates: _containers.RepeatedCompositeFieldContainer[Gate]
    judgments: _containers.RepeatedCompositeFieldContainer[Judgment]
    closed_reason: str
    created_at: _timestamp_pb2.Timestamp
    person: str
    def __init__(self, candidate_id: _Optional[int] = ..., source_revision: _Optional[int] = ..., turn: _Optional[int] = ..., origin: _Optional[str] = ..., text: _Optional[str] = ..., text_hash: _Optional[str] = ..., engine: _Optional[str] = ..., glossary_version: _Optional[str] = ..., gates: _Optional[_Iterable[_Union[Gate, _Mapping]]] = ..., judgments: _Optional[_Iterable[_Union[Judgment, _Mapping]]] = ..., closed_reason: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., person: _Optional[str] = ...) -> None: ...

class HistoryEntry(_message.Message):
    __slots__ = ("at", "event", "from_status", "to_status", "actor", "code", "note", "source_revision", "turn", "cost_micros")
    AT_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    FROM_STATUS_FIELD_NUMBER: _ClassVar[int]
    TO_STATUS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_REVISION_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    COST_MICROS_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    event: str
    from_status: str
    to_status: str
    actor: str
    code: str
    note: str
    source_revision: int
    turn: int
    cost_micros: int
    def __init__(self, at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., event: _Optional[str] = ..., from_status: _Optional[str] = ..., to_status: _Optional[str] = ..., actor: _Optional[str] = ..., code: _Optional[str] = ..., note: _Optional[str] = ..., source_revision: _Optional[int] = ..., turn: _Optional[int] = ..., cost_micros: _Optional[int] = ...) -> None: ...

class PersonSummary(_message.Message):
    __slots__ = ("person_id", "name", "roles")
    PERSON_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    person_id: int
    name: str
    roles: _containers.RepeatedCompositeFieldContainer[RoleGrant]
    def __init__(self, person_id: _Optional[int] = ..., name: _Optional[str] = ..., roles: _Optional[_Iterable[_Union[RoleGrant, _Mapping]]] = ...) -> None: ...

class RoleGrant(_message.Message):
    __slots__ = ("site_id", "role")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    role: str
    def __init__(self, site_id: _Optional[str] = ..., role: _Optional[str] = ...) -> None: ...
