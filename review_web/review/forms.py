"""What a decision sends: what was seen, and what the reviewer says."""

from __future__ import annotations

from wtforms import BooleanField, Form, IntegerField, StringField
from wtforms.validators import DataRequired, InputRequired, Length

# A note is a few sentences; longer ones are a paste by mistake.
LONGEST_NOTE = 4000


def _stripped(text: str | None) -> str:
    return (text or "").replace("\r\n", "\n").strip()


def _as_typed(text: str | None) -> str:
    """Browsers send line ends as CR LF, whatever was in the text before."""
    return (text or "").replace("\r\n", "\n").replace("\r", "\n")


class DecisionForm(Form):
    """What every decision carries: the version it was made on, and where to go afterwards."""

    version = IntegerField(validators=[InputRequired()])
    candidate_id = IntegerField(default=0)
    next_item_id = IntegerField(default=0)
    note = StringField(filters=[_stripped], validators=[Length(max=LONGEST_NOTE)])
    override_reason = StringField(filters=[_stripped], validators=[Length(max=LONGEST_NOTE)])
    text_hash = StringField(validators=[Length(max=64)])


class EditForm(DecisionForm):
    text = StringField(filters=[_as_typed])
    does_approve = BooleanField()


class RejectForm(DecisionForm):
    note = StringField(
        filters=[_stripped],
        validators=[
            DataRequired("Say what is wrong with it; a new draft is made with your note."),
            Length(max=LONGEST_NOTE),
        ],
    )
    ask_again = BooleanField()
