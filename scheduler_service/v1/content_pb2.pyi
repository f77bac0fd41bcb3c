import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from scheduler_service.v1 import resources_pb2 as _resources_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PutSiteRequest(_message.Message):
    __slots__ = ("site_id", "name", "source_locale", "target_locales", "credential", "judge_credential")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_LOCALE_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALES_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    JUDGE_CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    name: str
    source_locale: str
    target_locales: _containers.RepeatedScalarFieldContainer[str]
    credential: str
    judge_credential: str
    def __init__(self, site_id: _Optional[str] = ..., name: _Optional[str] = ..., source_locale: _Optional[str] = ..., target_locales: _Optional[_Iterable[str]] = ..., credential: _Optional[str] = ..., judge_credential: _Optional[str] = ...) -> None: ...

class PutSiteResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GlossaryTerm(_message.Message):
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

class PutGlossaryRequest(_message.Message):
    __slots__ = ("site_id", "target_locale", "terms", "forbidden_terms")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    FORBIDDEN_TERMS_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    target_locale: str
    terms: _containers.RepeatedCompositeFieldContainer[GlossaryTerm]
    forbidden_terms: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, site_id: _Optional[str] = ..., target_locale: _Optional[str] = ..., terms: _Optional[_Iterable[_Union[GlossaryTerm, _Mapping]]] = ..., forbidden_terms: _Optional[_Iterable[str]] = ...) -> None: ...

class PutGlossaryResponse(_message.Message):
    __slots__ = ("version", "is_new")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    IS_NEW_FIELD_NUMBER: _ClassVar[int]
    version: str
    is_new: bool
    def __init__(self, version: _Optional[str] = ..., is_new: _Optional[bool] = ...) -> None: ...

class SourceField(_message.Message):
    __slots__ = ("field_name", "label", "text", "text_format", "note", "speaker", "max_length", "position")
    FIELD_NAME_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FORMAT_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    field_name: str
    label: str
    text: str
    text_format: str
    note: str
    speaker: str
    max_length: int
    position: int
    def __init__(self, field_name: _Optional[str] = ..., label: _Optional[str] = ..., text: _Optional[str] = ..., text_format: _Optional[str] = ..., note: _Optional[str] = ..., speaker: _Optional[str] = ..., max_length: _Optional[int] = ..., position: _Optional[int] = ...) -> None: ...

class SourcePage(_message.Message):
    __slots__ = ("page_id", "fields")
    PAGE_ID_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    page_id: str
    fields: _containers.RepeatedCompositeFieldContainer[SourceField]
    def __init__(self, page_id: _Optional[str] = ..., fields: _Optional[_Iterable[_Union[SourceField, _Mapping]]] = ...) -> None: ...

class ScanPagesRequest(_message.Message):
    __slots__ = ("site_id", "target_locale", "pages", "is_complete")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    PAGES_FIELD_NUMBER: _ClassVar[int]
    IS_COMPLETE_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    target_locale: str
    pages: _containers.RepeatedCompositeFieldContainer[SourcePage]
    is_complete: bool
    def __init__(self, site_id: _Optional[str] = ..., target_locale: _Optional[str] = ..., pages: _Optional[_Iterable[_Union[SourcePage, _Mapping]]] = ..., is_complete: _Optional[bool] = ...) -> None: ...

class ScanPagesResponse(_message.Message):
    __slots__ = ("new_items", "changed_items", "unchanged_items", "deactivated_items", "reactivated_items")
    NEW_ITEMS_FIELD_NUMBER: _ClassVar[int]
    CHANGED_ITEMS_FIELD_NUMBER: _ClassVar[int]
    UNCHANGED_ITEMS_FIELD_NUMBER: _ClassVar[int]
    DEACTIVATED_ITEMS_FIELD_NUMBER: _ClassVar[int]
    REACTIVATED_ITEMS_FIELD_NUMBER: _ClassVar[int]
    new_items: int
    changed_items: int
    unchanged_items: int
    deactivated_items: int
    reactivated_items: int
    def __init__(self, new_items: _Optional[int] = ..., changed_items: _Optional[int] = ..., unchanged_items: _Optional[int] = ..., deactivated_items: _Optional[int] = ..., reactivated_items: _Optional[int] = ...) -> None: ...

class ReadTextRequest(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: _resources_pb2.ItemKey
    def __init__(self, key: _Optional[_Union[_resources_pb2.ItemKey, _Mapping]] = ...) -> None: ...

class PublishedText(_message.Message):
    __slots__ = ("key", "text", "text_hash", "is_current", "published_at")
    KEY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TEXT_HASH_FIELD_NUMBER: _ClassVar[int]
    IS_CURRENT_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_AT_FIELD_NUMBER: _ClassVar[int]
    key: _resources_pb2.ItemKey
    text: str
    text_hash: str
    is_current: bool
    published_at: _timestamp_pb2.Timestamp
    def __init__(self, key: _Optional[_Union[_resources_pb2.ItemKey, _Mapping]] = ..., text: _Optional[str] = ..., text_hash: _Optional[str] = ..., is_current: _Optional[bool] = ..., published_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ReadTextResponse(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: PublishedText
    def __init__(self, text: _Optional[_Union[PublishedText, _Mapping]] = ...) -> None: ...

class ReadPageRequest(_message.Message):
    __slots__ = ("site_id", "page_id", "target_locale")
    SITE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_LOCALE_FIELD_NUMBER: _ClassVar[int]
    site_id: str
    page_id: str
    target_locale: str
    def __init__(self, site_id: _Optional[str] = ..., page_id: _Optional[str] = ..., target_locale: _Optional[str] = ...) -> None: ...

class ReadPageResponse(_message.Message):
    __slots__ = ("texts",)
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedCompositeFieldContainer[PublishedText]
    def __init__(self, texts: _Optional[_Iterable[_Union[PublishedText, _Mapping]]] = ...) -> None: ...

class ListPublishedRequest(_message.Message):
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

class ListPublishedResponse(_message.Message):
    __slots__ = ("texts", "next_page_token")
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedCompositeFieldContainer[PublishedText]
    next_page_token: str
    def __init__(self, texts: _Optional[_Iterable[_Union[PublishedText, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...
