import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TextFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEXT_FORMAT_UNSPECIFIED: _ClassVar[TextFormat]
    TEXT_FORMAT_PLAIN: _ClassVar[TextFormat]
    TEXT_FORMAT_MARKDOWN: _ClassVar[TextFormat]
    TEXT_FORMAT_HTML: _ClassVar[TextFormat]
    TEXT_FORMAT_ICU: _ClassVar[TextFormat]
    TEXT_FORMAT_PRINTF: _ClassVar[TextFormat]
    TEXT_FORMAT_PYTHON_FORMAT: _ClassVar[TextFormat]
    TEXT_FORMAT_BRACE: _ClassVar[TextFormat]
    TEXT_FORMAT_I18NEXT: _ClassVar[TextFormat]
    TEXT_FORMAT_RENPY: _ClassVar[TextFormat]

class GateOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GATE_OUTCOME_UNSPECIFIED: _ClassVar[GateOutcome]
    GATE_OUTCOME_PASS: _ClassVar[GateOutcome]
    GATE_OUTCOME_FAIL: _ClassVar[GateOutcome]
    GATE_OUTCOME_UNSURE: _ClassVar[GateOutcome]
    GATE_OUTCOME_NOT_APPLICABLE: _ClassVar[GateOutcome]

class GateSeverity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GATE_SEVERITY_UNSPECIFIED: _ClassVar[GateSeverity]
    GATE_SEVERITY_HARD: _ClassVar[GateSeverity]
    GATE_SEVERITY_FLAG: _ClassVar[GateSeverity]
TEXT_FORMAT_UNSPECIFIED: TextFormat
TEXT_FORMAT_PLAIN: TextFormat
TEXT_FORMAT_MARKDOWN: TextFormat
TEXT_FORMAT_HTML: TextFormat
TEXT_FORMAT_ICU: TextFormat
TEXT_FORMAT_PRINTF: TextFormat
TEXT_FORMAT_PYTHON_FORMAT: TextFormat
TEXT_FORMAT_BRACE: TextFormat
TEXT_FORMAT_I18NEXT: TextFormat
TEXT_FORMAT_RENPY: TextFormat
GATE_OUTCOME_UNSPECIFIED: GateOutcome
GATE_OUTCOME_PASS: GateOutcome
GATE_OUTCOME_FAIL: GateOutcome
GATE_OUTCOME_UNSURE: GateOutcome
GATE_OUTCOME_NOT_APPLICABLE: GateOutcome
GATE_SEVERITY_UNSPECIFIED: GateSeverity
GATE_SEVERITY_HARD: GateSeverity
GATE_SEVERITY_FLAG: GateSeverity

class Span(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class SourceText(_message.Message):
    __slots__ = ("text", "text_format", "source_locale", "target_locale", "note", "speaker", "max_length", "before", "after")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FORMAT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_LOCALE_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    text: str
    text_format: TextFormat
    source_locale: str
    target_locale: str
    note: str
    speaker: str
    max_length: int
    before: str
    after: str
    def __init__(self, text: _Optional[str] = ..., text_format: _Optional[_Union[TextFormat, str]] = ..., source_locale: _Optional[str] = ..., target_locale: _Optional[str] = ..., note: _Optional[str] = ..., speaker: _Optional[str] = ..., max_length: _Optional[int] = ..., before: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class Term(_message.Message):
    __slots__ = ("source", "target", "do_not_translate", "accepted_forms", "forbidden_forms", "case_sensitive", "part_of_speech", "sense", "note")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    DO_NOT_TRANSLATE_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FORMS_FIELD_NUMBER: _ClassVar[int]
    FORBIDDEN_FORMS_FIELD_NUMBER: _ClassVar[int]
    CASE_SENSITIVE_FIELD_NUMBER: _ClassVar[int]
    PART_OF_SPEECH_FIELD_NUMBER: _ClassVar[int]
    SENSE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    source: str
    target: str
    do_not_translate: bool
    accepted_forms: _containers.RepeatedScalarFieldContainer[str]
    forbidden_forms: _containers.RepeatedScalarFieldContainer[str]
    case_sensitive: bool
    part_of_speech: str
    sense: str
    note: str
    def __init__(self, source: _Optional[str] = ..., target: _Optional[str] = ..., do_not_translate: _Optional[bool] = ..., accepted_forms: _Optional[_Iterable[str]] = ..., forbidden_forms: _Optional[_Iterable[str]] = ..., case_sensitive: _Optional[bool] = ..., part_of_speech: _Optional[str] = ..., sense: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class Glossary(_message.Message):
    __slots__ = ("version", "terms", "forbidden_terms")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    FORBIDDEN_TERMS_FIELD_NUMBER: _ClassVar[int]
    version: str
    terms: _containers.RepeatedCompositeFieldContainer[Term]
    forbidden_terms: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, version: _Optional[str] = ..., terms: _Optional[_Iterable[_Union[Term, _Mapping]]] = ..., forbidden_terms: _Optional[_Iterable[str]] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("source", "candidate")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    source: Span
    candidate: Span
    def __init__(self, source: _Optional[_Union[Span, _Mapping]] = ..., candidate: _Optional[_Union[Span, _Mapping]] = ...) -> None: ...

class GateResult(_message.Message):
    __slots__ = ("gate", "outcome", "severity", "explanation", "evidence", "is_structural")
    GATE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    IS_STRUCTURAL_FIELD_NUMBER: _ClassVar[int]
    gate: str
    outcome: GateOutcome
    severity: GateSeverity
    explanation: str
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    is_structural: bool
    def __init__(self, gate: _Optional[str] = ..., outcome: _Optional[_Union[GateOutcome, str]] = ..., severity: _Optional[_Union[GateSeverity, str]] = ..., explanation: _Optional[str] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., is_structural: _Optional[bool] = ...) -> None: ...

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
    source_span: Span
    candidate_span: Span
    def __init__(self, dimension: _Optional[str] = ..., severity: _Optional[str] = ..., source_quote: _Optional[str] = ..., target_quote: _Optional[str] = ..., reason: _Optional[str] = ..., fix: _Optional[str] = ..., source_span: _Optional[_Union[Span, _Mapping]] = ..., candidate_span: _Optional[_Union[Span, _Mapping]] = ...) -> None: ...

class Ending(_message.Message):
    __slots__ = ("code", "was_sent", "retry_after", "remedy")
    CODE_FIELD_NUMBER: _ClassVar[int]
    WAS_SENT_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    REMEDY_FIELD_NUMBER: _ClassVar[int]
    code: str
    was_sent: bool
    retry_after: _duration_pb2.Duration
    remedy: str
    def __init__(self, code: _Optional[str] = ..., was_sent: _Optional[bool] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., remedy: _Optional[str] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("input_tokens", "output_tokens", "cost_micros", "is_estimated", "provider_request_id", "provider_response_id", "engine", "provider", "boot_id")
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COST_MICROS_FIELD_NUMBER: _ClassVar[int]
    IS_ESTIMATED_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_RESPONSE_ID_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    input_tokens: int
    output_tokens: int
    cost_micros: int
    is_estimated: bool
    provider_request_id: str
    provider_response_id: str
    engine: str
    provider: str
    boot_id: str
    def __init__(self, input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., cost_micros: _Optional[int] = ..., is_estimated: _Optional[bool] = ..., provider_request_id: _Optional[str] = ..., provider_response_id: _Optional[str] = ..., engine: _Optional[str] = ..., provider: _Optional[str] = ..., boot_id: _Optional[str] = ...) -> None: ...
