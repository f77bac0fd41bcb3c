import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from scheduler_service.v1 import resources_pb2 as _resources_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SignInRequest(_message.Message):
    __slots__ = ("link_token", "name")
    LINK_TOKEN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    link_token: str
    name: str
    def __init__(self, link_token: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class SignInResponse(_message.Message):
    __slots__ = ("session_token", "expires_at", "person")
    SESSION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PERSON_FIELD_NUMBER: _ClassVar[int]
    session_token: str
    expires_at: _timestamp_pb2.Timestamp
    person: _resources_pb2.PersonSummary
    def __init__(self, session_token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., person: _Optional[_Union[_resources_pb2.PersonSummary, _Mapping]] = ...) -> None: ...

class SignOutRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SignOutResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WhoAmIRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WhoAmIResponse(_message.Message):
    __slots__ = ("person", "session_expires_at")
    PERSON_FIELD_NUMBER: _ClassVar[int]
    SESSION_EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    person: _resources_pb2.PersonSummary
    session_expires_at: _timestamp_pb2.Timestamp
    def __init__(self, person: _Optional[_Union[_resources_pb2.PersonSummary, _Mapping]] = ..., session_expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class InviteRequest(_message.Message):
    __slots__ = ("name", "roles")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    name: str
    roles: _containers.RepeatedCompositeFieldContainer[_resources_pb2.RoleGrant]
    def __init__(self, name: _Optional[str] = ..., roles: _Optional[_Iterable[_Union[_resources_pb2.RoleGrant, _Mapping]]] = ...) -> None: ...

class InviteResponse(_message.Message):
    __slots__ = ("link_token", "expires_at")
    LINK_TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    link_token: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, link_token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
