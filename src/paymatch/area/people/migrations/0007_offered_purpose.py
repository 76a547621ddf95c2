"""Offered files say what they are: bank statements, or tables of orders."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("people", "0006_invitations")]

    operations: ClassVar = [
        migrations.AddField("offeredfile", "purpose", models.CharField(max_length=20, default="statement")),
    ]
