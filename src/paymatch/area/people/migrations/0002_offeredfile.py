import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="OfferedFile",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("shop_id", models.UUIDField(db_index=True)),
                ("name", models.CharField(max_length=255)),
                ("size", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("offered_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ("run_id", models.CharField(blank=True, max_length=64)),
                ("begun_at", models.DateTimeField(null=True)),
                ("is_booking", models.BooleanField(default=False)),
                ("report", models.JSONField(null=True)),
                ("error", models.TextField(blank=True)),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
