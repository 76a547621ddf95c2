"""Django's settings, made from ours in one place; there is no settings module to import by accident."""

from __future__ import annotations

import hashlib
import logging
from importlib import resources
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from csp.constants import NONCE, NONE, SELF
from django.conf import settings as django_settings
from django.contrib.messages import constants
from django.db.backends.postgresql.base import Cursor

from paymatch.area.language.reader_language import languages_in
from paymatch.area.service import SESSION_COOKIE
from paymatch.area.static_files import prefix
from paymatch.outbound.mail.provider import provider_in
from paymatch.settings import Settings
from paymatch.store.area_schema import SCHEMA
from paymatch.store.database import SILENCE, login_parts
from paymatch.store.row_security import AREA
from paymatch.store.server.pooler import cursor_of

FOLDER: Final = Path(str(resources.files("paymatch.area")))
SESSION_HOURS: Final = 12
REMEMBERED_DAYS: Final = 14
COMPANY: Final = "company"
"""Names the OpenID Connect provider in addresses: /account/oidc/company/login/callback/ is registered there."""

_PARTS: Final = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}


_APPLICATIONS: Final = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "paymatch.area.people",
]

_MIDDLEWARE: Final = [
    "django.middleware.security.SecurityMiddleware",
    "paymatch.area.middleware.cookies_by_https",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "paymatch.area.middleware.activity",
    "paymatch.area.people.known_browsers.known_browser",
    "django.contrib.messages.middleware.MessageMiddleware",
    "paymatch.area.middleware.without_nul",
    "paymatch.area.middleware.preferences",
    "paymatch.area.middleware.wrong_method",
    "paymatch.area.middleware.never_stored",
    "paymatch.area.middleware.too_large",
]

_TEMPLATES: Final = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FOLDER / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "csp.context_processors.nonce",
                "paymatch.area.context.frame",
            ],
            "libraries": {
                "queue": "paymatch.area.templatetags.queue",
                "bank": "paymatch.area.templatetags.bank",
                "headings": "paymatch.area.templatetags.headings",
            },
            "builtins": [
                "paymatch.area.templatetags.figures",
                "paymatch.area.templatetags.wording",
                "django.templatetags.i18n",
            ],
        },
    }
]

_SECURITY_POLICY: Final = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],  # the library's pages of passkeys name their files without a nonce
        "style-src": [SELF, NONCE],
        "font-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
"""What a page may load and where its forms may go; scripts and styles in the page need the response's nonce."""


def set_up_django(settings: Settings, url: str, *, as_owner: bool = False) -> None:
    """Configures Django once per process and loads its applications; `as_owner` for migrations."""
    import django  # noqa: PLC0415

    if not django_settings.configured:
        logging.getLogger("django.security.DisallowedHost").disabled = True  # a 400, whose line the front writes
        logging.getLogger("django.request").addFilter(_without_trace_of_refusals)
        _check_sender(settings)
        django_settings.configure(**django_values(settings, url, as_owner=as_owner))
        django.setup()


def _check_sender(settings: Settings) -> None:
    """Says at start that the service's own mail has no sender of its own."""
    if settings.email_url is not None and not settings.mail_from:
        structlog.get_logger("paymatch.area").warning("PAYMATCH_MAIL_FROM is not set", sender=settings.mail_sender())


def _without_trace_of_refusals(record: logging.LogRecord) -> bool:
    """Keeps strangers from filling the log with tracebacks: refusals are one line, our own faults complete."""
    if getattr(record, "status_code", 500) < 500:
        record.exc_info = None
    return True


def django_values(settings: Settings, url: str, *, as_owner: bool = False) -> dict[str, Any]:
    """Django's settings as a dictionary."""
    secure = settings.base_url.startswith("https://")
    return {
        "SECRET_KEY": hashlib.sha256(b"paymatch area" + settings.secret().encode()).hexdigest(),
        "DEBUG": False,
        "ALLOWED_HOSTS": _hosts(settings),
        "ROOT_URLCONF": "paymatch.area.urls",
        "INSTALLED_APPS": _APPLICATIONS,
        "MIDDLEWARE": _MIDDLEWARE,
        "TEMPLATES": _TEMPLATES,
        "DATABASES": {"default": _database(url, as_owner=as_owner)},
        "CACHES": {"default": {"BACKEND": "paymatch.area.people.attempts.Attempts"}},
        "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
        "APPEND_SLASH": False,
        "STATIC_URL": f"{prefix()}/",
        "MESSAGE_TAGS": {constants.SUCCESS: "green", constants.WARNING: "amber", constants.ERROR: "red"},
        "FORM_RENDERER": "django.forms.renderers.TemplatesSetting",
        "EMAIL_BACKEND": "paymatch.area.mail.DoorBackend",
        "DEFAULT_FROM_EMAIL": settings.mail_sender(),
        "LOGGING_CONFIG": None,
        "DATA_UPLOAD_MAX_MEMORY_SIZE": 5_000_000,
        "ANYMAIL": provider.webhook_settings() if (provider := provider_in(settings)) is not None else {},
        **_languages(),
        **_browser(settings, secure=secure),
        **_sign_in(settings, secure=secure),
    }


def _languages() -> dict[str, Any]:
    """The languages of the pages; times are UTC until a page shows them in the shop's time zone."""
    return {
        "USE_TZ": True,
        "TIME_ZONE": "UTC",
        "USE_I18N": True,
        "LANGUAGE_CODE": "en",
        "LANGUAGES": languages_in([FOLDER / "locale"]),
        "LOCALE_PATHS": [FOLDER / "locale"],
    }


def _browser(settings: Settings, *, secure: bool) -> dict[str, Any]:
    """Settings for browsers: cookies, forgery protection, headers; `secure` if the service is reached by HTTPS."""
    return {
        "SESSION_COOKIE_AGE": SESSION_HOURS * 3600,
        "SESSION_COOKIE_NAME": SESSION_COOKIE,
        "SESSION_COOKIE_SECURE": secure,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_NAME": "paymatch_csrf",
        "CSRF_COOKIE_SECURE": secure,
        "CSRF_TRUSTED_ORIGINS": [settings.base_url] if settings.base_url else [],
        "CSRF_FAILURE_VIEW": "paymatch.area.views.refusals.csrf_failure",
        "SECURE_CONTENT_TYPE_NOSNIFF": True,
        "SECURE_REFERRER_POLICY": "same-origin",
        "SECURE_CROSS_ORIGIN_OPENER_POLICY": "same-origin",
        "X_FRAME_OPTIONS": "DENY",
        "CONTENT_SECURITY_POLICY": _SECURITY_POLICY,
    }


def _sign_in(settings: Settings, *, secure: bool) -> dict[str, Any]:
    """How people sign in: passwords, second factors, sessions, the company (django-allauth)."""
    return {
        "AUTH_USER_MODEL": "people.User",
        "AUTHENTICATION_BACKENDS": ["allauth.account.auth_backends.AuthenticationBackend"],
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.Argon2PasswordHasher"],
        "AUTH_PASSWORD_VALIDATORS": [
            {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
            {
                "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
                "OPTIONS": {"min_length": 10},
            },
            {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
        ],
        "LOGIN_URL": "account_login",
        "LOGIN_REDIRECT_URL": "home",
        "ACCOUNT_LOGIN_METHODS": {"email"},
        "ACCOUNT_SIGNUP_FIELDS": ["email*", "password1*", "password2*"],
        "ACCOUNT_USER_MODEL_USERNAME_FIELD": None,
        "ACCOUNT_EMAIL_VERIFICATION": "none",  # people are invited by their address
        "ACCOUNT_ADAPTER": "paymatch.area.people.adapters.AccountAdapter",
        "SOCIALACCOUNT_ADAPTER": "paymatch.area.people.company.CompanyAdapter",
        "USERSESSIONS_ADAPTER": "paymatch.area.people.adapters.SessionsAdapter",
        "ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION": False,
        "ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE": True,
        "ACCOUNT_REAUTHENTICATION_TIMEOUT": 300,
        "ACCOUNT_SESSION_REMEMBER": None,  # as the person chooses
        "ACCOUNT_SESSION_COOKIE_AGE": REMEMBERED_DAYS * 86_400,
        "ACCOUNT_RATE_LIMITS": {
            "login_failed": None,  # wrong passwords and codes are counted by `people.known_browsers`
            "login": None,  # no one in the same network can lock out a known browser
            "reset_password": "5/m/ip,3/h/key",
        },
        "USERSESSIONS_TRACK_ACTIVITY": True,
        "SOCIALACCOUNT_PROVIDERS": providers(settings),
        "SOCIALACCOUNT_EMAIL_AUTHENTICATION": False,  # `people.company` decides who signs in
        "SOCIALACCOUNT_LOGIN_ON_GET": True,  # a form's redirect to the company would need its host in form-action
        "SOCIALACCOUNT_STORE_TOKENS": False,
    } | _second_factors(secure=secure)


def _second_factors(*, secure: bool) -> dict[str, Any]:
    return {
        "MFA_ADAPTER": "paymatch.area.people.adapters.FactorAdapter",
        "MFA_FORMS": {
            "authenticate": "paymatch.area.people.adapters.FactorForm",
            "reauthenticate": "paymatch.area.people.adapters.FactorAgainForm",
            "activate_totp": "paymatch.area.people.adapters.NewFactorForm",
        },
        "MFA_SUPPORTED_TYPES": ["totp", "webauthn", "recovery_codes"],
        # allauth records an address as unverified once anyone requests its new password. People are invited by theirs.
        "MFA_ALLOW_UNVERIFIED_EMAIL": True,
        "MFA_PASSKEY_LOGIN_ENABLED": True,
        "MFA_RATE_LIMITS": {"webauthn_login": None},  # `views.sign_in.by_passkey` counts them
        "MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN": not secure,
        "MFA_TOTP_ISSUER": "paymatch",
    }


def providers(settings: Settings) -> dict[str, Any]:
    """The company that people may sign in with by OpenID Connect, if the operator has named one."""
    secret = settings.oidc_client_secret
    app = {
        "provider_id": COMPANY,
        "name": company_name(settings),
        "client_id": settings.oidc_client_id,
        "secret": secret.get_secret_value() if secret else "",
        "settings": {"server_url": settings.oidc_issuer},
    }
    return {"openid_connect": {"APPS": [app] if settings.oidc_issuer else [], "OAUTH_PKCE_ENABLED": True}}


def company_name(settings: Settings) -> str:
    """The company's name on the sign-in page; "" without one."""
    return settings.oidc_name or urlsplit(settings.oidc_issuer).hostname or ""


def _database(url: str, *, as_owner: bool) -> dict[str, Any]:
    """Our URL in Django's words; a session sees the area's schema only, and is nothing but the area's role."""
    parts = login_parts(url)
    known = {_PARTS[key]: str(parts.pop(key)) for key in tuple(parts) if key in _PARTS}
    session = {"search_path": SCHEMA} if as_owner else {"search_path": SCHEMA, "role": AREA}
    asked = " ".join(f"-c {name}={value}" for name, value in session.items())
    options = f"{parts.pop('options', '')} {asked}".strip()
    return {
        "ENGINE": "django.db.backends.postgresql",
        **known,
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": True,
        "OPTIONS": {**SILENCE, **parts, "options": options, "cursor_factory": cursor_of(Cursor, session)},
    }


def _hosts(settings: Settings) -> list[str]:
    """Allowed host names: the base URL's host; without one any host, as for the API."""
    host = urlsplit(settings.base_url).hostname
    return [host, "localhost", "127.0.0.1", "[::1]"] if host else ["*"]
