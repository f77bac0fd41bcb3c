import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from translator_service.v1 import resources_pb2 as _resources_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CallFate(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CALL_FATE_UNSPECIFIED: _ClassVar[CallFate]
    CALL_FATE_RUNNING: _ClassVar[CallFate]
    CALL_FATE_DONE: _ClassVar[CallFate]
    CALL_FATE_NEVER_SENT: _ClassVar[CallFate]
    CALL_FATE_NOT_KNOWN_HERE: _ClassVar[CallFate]
CALL_FATE_UNSPECIFIED: CallFate
CALL_FATE_RUNNING: CallFate
CALL_FATE_DONE: CallFate
CALL_FATE_NEVER_SENT: CallFate
CALL_FATE_NOT_KNOWN_HERE: CallFate

class PlanRequest(_message.Message):
    __slots__ = ("credential", "source")
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    credential: str
    source: _resources_pb2.SourceText
    def __init__(self, credential: _Optional[str] = ..., source: _Optional[_Union[_resources_pb2.SourceText, _Mapping]] = ...) -> None: ...

class PlannedSegment(_message.Message):
    __slots__ = ("span", "worst_case_micros", "needs_call")
    SPAN_FIELD_NUMBER: _ClassVar[int]
    WORST_CASE_MICROS_FIELD_NUMBER: _ClassVar[int]
    NEEDS_CALL_FIELD_NUMBER: _ClassVar[int]
    span: _resources_pb2.Span
    worst_case_micros: int
    needs_call: bool
    def __init__(self, span: _Optional[_Union[_resources_pb2.Span, _Mapping]] = ..., worst_case_micros: _Optional[int] = ..., needs_call: _Optional[bool] = ...) -> None: ...

class PlanResponse(_message.Message):
    __slots__ = ("segments", "judge_worst_case_micros", "provider", "is_deterministic", "ending", "boot_id", "is_free")
    SEGMENTS_FIELD_NUMBER: _ClassVar[int]
    JUDGE_WORST_CASE_MICROS_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    IS_DETERMINISTIC_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    IS_FREE_FIELD_NUMBER: _ClassVar[int]
    segments: _containers.RepeatedCompositeFieldContainer[PlannedSegment]
    judge_worst_case_micros: int
    provider: str
    is_deterministic: bool
    ending: _resources_pb2.Ending
    boot_id: str
    is_free: bool
    def __init__(self, segments: _Optional[_Iterable[_Union[PlannedSegment, _Mapping]]] = ..., judge_worst_case_micros: _Optional[int] = ..., provider: _Optional[str] = ..., is_deterministic: _Optional[bool] = ..., ending: _Optional[_Union[_resources_pb2.Ending, _Mapping]] = ..., boot_id: _Optional[str] = ..., is_free: _Optional[bool] = ...) -> None: ...

class GenerateRequest(_message.Message):
    __slots__ = ("call_id", "credential", "source", "glossary", "turn", "previous_text", "findings", "person_note", "boot_id")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    GLOSSARY_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_TEXT_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    PERSON_NOTE_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    credential: str
    source: _resources_pb2.SourceText
    glossary: _resources_pb2.Glossary
    turn: int
    previous_text: str
    findings: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Finding]
    person_note: str
    boot_id: str
    def __init__(self, call_id: _Optional[str] = ..., credential: _Optional[str] = ..., source: _Optional[_Union[_resources_pb2.SourceText, _Mapping]] = ..., glossary: _Optional[_Union[_resources_pb2.Glossary, _Mapping]] = ..., turn: _Optional[int] = ..., previous_text: _Optional[str] = ..., findings: _Optional[_Iterable[_Union[_resources_pb2.Finding, _Mapping]]] = ..., person_note: _Optional[str] = ..., boot_id: _Optional[str] = ...) -> None: ...

class GenerateResponse(_message.Message):
    __slots__ = ("text", "usage", "ending", "engine_duration")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    ENGINE_DURATION_FIELD_NUMBER: _ClassVar[int]
    text: str
    usage: _resources_pb2.Usage
    ending: _resources_pb2.Ending
    engine_duration: _duration_pb2.Duration
    def __init__(self, text: _Optional[str] = ..., usage: _Optional[_Union[_resources_pb2.Usage, _Mapping]] = ..., ending: _Optional[_Union[_resources_pb2.Ending, _Mapping]] = ..., engine_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class JudgeRequest(_message.Message):
    __slots__ = ("call_id", "credential", "source", "candidate", "glossary", "ordinal", "pass_score", "boot_id")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    GLOSSARY_FIELD_NUMBER: _ClassVar[int]
    ORDINAL_FIELD_NUMBER: _ClassVar[int]
    PASS_SCORE_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    credential: str
    source: _resources_pb2.SourceText
    candidate: str
    glossary: _resources_pb2.Glossary
    ordinal: int
    pass_score: float
    boot_id: str
    def __init__(self, call_id: _Optional[str] = ..., credential: _Optional[str] = ..., source: _Optional[_Union[_resources_pb2.SourceText, _Mapping]] = ..., candidate: _Optional[str] = ..., glossary: _Optional[_Union[_resources_pb2.Glossary, _Mapping]] = ..., ordinal: _Optional[int] = ..., pass_score: _Optional[float] = ..., boot_id: _Optional[str] = ...) -> None: ...

class DimensionScore(_message.Message):
    __slots__ = ("dimension", "score")
    DIMENSION_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    dimension: str
    score: float
    def __init__(self, dimension: _Optional[str] = ..., score: _Optional[float] = ...) -> None: ...

class JudgeResponse(_message.Message):
    __slots__ = ("findings", "dropped_findings", "dimension_scores", "score", "verdict", "reasons", "rubric_version", "is_offline_estimate", "judged_sentences", "unjudged_sentences", "usage", "ending", "engine_duration")
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FINDINGS_FIELD_NUMBER: _ClassVar[int]
    DIMENSION_SCORES_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    RUBRIC_VERSION_FIELD_NUMBER: _ClassVar[int]
    IS_OFFLINE_ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    JUDGED_SENTENCES_FIELD_NUMBER: _ClassVar[int]
    UNJUDGED_SENTENCES_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    ENGINE_DURATION_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Finding]
    dropped_findings: int
    dimension_scores: _containers.RepeatedCompositeFieldContainer[DimensionScore]
    score: float
    verdict: str
    reasons: _containers.RepeatedScalarFieldContainer[str]
    rubric_version: str
    is_offline_estimate: bool
    judged_sentences: int
    unjudged_sentences: int
    usage: _resources_pb2.Usage
    ending: _resources_pb2.Ending
    engine_duration: _duration_pb2.Duration
    def __init__(self, findings: _Optional[_Iterable[_Union[_resources_pb2.Finding, _Mapping]]] = ..., dropped_findings: _Optional[int] = ..., dimension_scores: _Optional[_Iterable[_Union[DimensionScore, _Mapping]]] = ..., score: _Optional[float] = ..., verdict: _Optional[str] = ..., reasons: _Optional[_Iterable[str]] = ..., rubric_version: _Optional[str] = ..., is_offline_estimate: _Optional[bool] = ..., judged_sentences: _Optional[int] = ..., unjudged_sentences: _Optional[int] = ..., usage: _Optional[_Union[_resources_pb2.Usage, _Mapping]] = ..., ending: _Optional[_Union[_resources_pb2.Ending, _Mapping]] = ..., engine_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class CheckRequest(_message.Message):
    __slots__ = ("source", "candidate", "glossary")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    GLOSSARY_FIELD_NUMBER: _ClassVar[int]
    source: _resources_pb2.SourceText
    candidate: str
    glossary: _resources_pb2.Glossary
    def __init__(self, source: _Optional[_Union[_resources_pb2.SourceText, _Mapping]] = ..., candidate: _Optional[str] = ..., glossary: _Optional[_Union[_resources_pb2.Glossary, _Mapping]] = ...) -> None: ...

class CheckResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_resources_pb2.GateResult]
    def __init__(self, results: _Optional[_Iterable[_Union[_resources_pb2.GateResult, _Mapping]]] = ...) -> None: ...

class ProbeRequest(_message.Message):
    __slots__ = ("credential", "call_id", "source_locale", "target_locale")
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_LOCALE_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    credential: str
    call_id: str
    source_locale: str
    target_locale: str
    def __init__(self, credential: _Optional[str] = ..., call_id: _Optional[str] = ..., source_locale: _Optional[str] = ..., target_locale: _Optional[str] = ...) -> None: ...

class ProbeResponse(_message.Message):
    __slots__ = ("provider", "engine", "is_deterministic", "usage", "ending")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    IS_DETERMINISTIC_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    provider: str
    engine: str
    is_deterministic: bool
    usage: _resources_pb2.Usage
    ending: _resources_pb2.Ending
    def __init__(self, provider: _Optional[str] = ..., engine: _Optional[str] = ..., is_deterministic: _Optional[bool] = ..., usage: _Optional[_Union[_resources_pb2.Usage, _Mapping]] = ..., ending: _Optional[_Union[_resources_pb2.Ending, _Mapping]] = ...) -> None: ...

class ResolveRequest(_message.Message):
    __slots__ = ("call_id", "boot_id")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    boot_id: str
    def __init__(self, call_id: _Optional[str] = ..., boot_id: _Optional[str] = ...) -> None: ...

class ResolveResponse(_message.Message):
    __slots__ = ("fate", "boot_id", "generated", "judged")
    FATE_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    GENERATED_FIELD_NUMBER: _ClassVar[int]
    JUDGED_FIELD_NUMBER: _ClassVar[int]
    fate: CallFate
    boot_id: str
    generated: GenerateResponse
    judged: JudgeResponse
    def __init__(self, fate: _Optional[_Union[CallFate, str]] = ..., boot_id: _Optional[str] = ..., generated: _Optional[_Union[GenerateResponse, _Mapping]] = ..., judged: _Optional[_Union[JudgeResponse, _Mapping]] = ...) -> None: ...
