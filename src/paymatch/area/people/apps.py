"""The Django application of people."""

from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "paymatch.area.people"
    label = "people"
