import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0003_attempt")]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("shop_id", models.UUIDField()),
                ("listing", models.CharField(max_length=20)),
                ("name", models.CharField(max_length=40)),
                ("query", models.CharField(max_length=1000)),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "shop_id", "listing", "name"), name="one_view_per_name")
                ]
            },
        ),
    ]
