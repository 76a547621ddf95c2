"""Invitations: links that last a week and belong to a shop."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("people", "0005_companyidentity")]

    operations: ClassVar = [
        migrations.AddField("signinlink", "invites", models.BooleanField(default=False)),
        migrations.AddField("signinlink", "shop_id", models.UUIDField(null=True)),
    ]
