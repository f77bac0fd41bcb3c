"""The whole schema, designed at once.

Why at once: items, ledger, turns, decisions and audit refer to one another, and a part added later would
reshape its neighbours. Later migrations add; they do not reshape.
"""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    statements = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.driver_connection.execute(statements)


def downgrade() -> None:
    raise RuntimeError("there is nothing before the first schema; restore a backup instead")
