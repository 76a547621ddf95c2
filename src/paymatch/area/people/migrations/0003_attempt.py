from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0002_offeredfile")]

    operations = [
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("key", models.CharField(max_length=300, primary_key=True, serialize=False)),
                ("value", models.JSONField()),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
    ]
