"""Settings: environment variables that begin with PAYMATCH_, each with a default that is safe."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable
from difflib import get_close_matches
from email.utils import formataddr, parseaddr
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import unquote, urlsplit

import platformdirs
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from paymatch.domain.refusal import Refused
from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.words.message import Message

Network = IPv4Network | IPv6Network

_LOOPBACK: Final = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
_HEADER: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
_SECRET_KEY_MIN: Final = 32


class SettingsRefused(Refused):
    """A setting is unusable; the text names the variable and never its value."""


def _elements(value: Any) -> Any:
    """The elements of a comma separated text."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _names(value: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_HEADER.fullmatch(name) for name in value):
        raise ValueError("must be names of headers, such as X-Access-Code")
    return value


def _database(value: SecretStr | None) -> SecretStr | None:
    if value is None or not value.get_secret_value():
        return None
    if not value.get_secret_value().startswith(("postgresql://", "postgres://")):
        raise ValueError("must be a URL that begins with postgresql://")
    return value


def _mail_server(value: SecretStr | None) -> SecretStr | None:
    if value is None or not value.get_secret_value():
        return None
    if not value.get_secret_value().startswith(("smtp://", "smtps://", "anymail://")):
        raise ValueError("must be a URL that begins with smtp://, smtps:// or anymail://")
    return value


def _sender(value: str) -> str:
    name, address = parseaddr(value)
    if value and (not name.isprintable() or mail_address(address) is None):
        raise ValueError("must be an address, such as paymatch@example.org or Payments <paymatch@example.org>")
    return formataddr((name, address)) if value else ""


def _long_enough(value: SecretStr | None) -> SecretStr | None:
    if value is not None and len(value.get_secret_value()) < _SECRET_KEY_MIN:
        raise ValueError(f"must have at least {_SECRET_KEY_MIN} characters")
    return value


def _url(value: str) -> str:
    if value and not value.startswith(("https://", "http://")):
        raise ValueError("must begin with https:// or http://")
    return value.rstrip("/")


class Settings(BaseSettings):
    """What the operator decides. Lists are comma separated; switches are 1 or 0."""

    model_config = SettingsConfigDict(
        env_prefix="PAYMATCH_",
        frozen=True,
        env_ignore_empty=True,
        hide_input_in_errors=True,
        extra="forbid",
    )

    database_url: Annotated[SecretStr | None, AfterValidator(_database)] = None
    """URL of a PostgreSQL 15 to 18, `postgresql://user:password@host/database`; without it the bundled one is
    started."""
    database_owner_url: Annotated[SecretStr | None, AfterValidator(_database)] = None
    """URL of the owner of the tables, for migrations, backups, restores and moves; without it `PAYMATCH_DATABASE_URL`
    is the owner's, who may make roles."""
    database_plain_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_elements)] = ()
    """Hosts of the database that may be talked to without TLS, because the network between is the operator's own."""
    database_account: str = "paymatch"
    """Account that root runs the bundled PostgreSQL under; made if there is none."""
    data_dir: Path = Field(default_factory=lambda: default_data_dir("paymatch"))
    """Bundled database, secret key, invoices, kept mail."""
    secret_key: Annotated[SecretStr | None, AfterValidator(_long_enough)] = None
    """Seals accounts and secrets, signs links; at least 32 characters, the same on all machines, kept apart from
    backups. Without it a generated one is kept in the data directory."""
    secret_keys_old: Annotated[tuple[SecretStr, ...], NoDecode, BeforeValidator(_elements)] = ()
    """Earlier keys, until everything is sealed again (`paymatch keys status`)."""
    backup_passphrase: SecretStr | None = None
    """Encrypts backups instead of the secret key, which then does not open them; at least 12 characters."""
    backup_recipient: Path | None = None
    """File with an X25519 public key (PEM) that backups are encrypted for; this machine then opens none of them."""
    base_url: Annotated[str, AfterValidator(_url)] = ""
    """URL at which the service is reached from outside, without a slash at the end; empty means as the request came."""
    require_https: bool = True
    """Refuse plain HTTP from anywhere but loopback."""
    trusted_proxies: Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_elements)] = _LOOPBACK
    """Networks whose X-Forwarded-Proto and X-Forwarded-For are believed. Once they are named, nothing else counts:
    plain HTTP from this machine then needs a proxy's word as well, as it does where `PAYMATCH_BASE_URL` begins with
    https."""
    local_requests: bool = False
    """No proxy runs on this machine: requests from loopback are its own, and read /metrics without a token."""
    connections_per_address: Annotated[int, Field(ge=8)] = 256
    """Connections that one address may have open to a server process; trusted proxies have no limit of their own."""
    metrics_token: SecretStr | None = None
    """Lets callers read /metrics (`Authorization: Bearer ...`); without it only requests that
    `PAYMATCH_LOCAL_REQUESTS` allows."""
    traces_url: Annotated[str, AfterValidator(_url)] = ""
    """Where OpenTelemetry traces are sent by OTLP over HTTP: `http://collector:4318/v1/traces`; empty: none are
    made."""
    callback_allow_private: bool = False
    """Callbacks and connectors may go to private and loopback addresses and over plain http."""
    callback_code_headers: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_elements), AfterValidator(_names)] = ()
    """Further names of the callback's header that carries the access code, for receivers of another service."""
    api_key_headers: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_elements)] = ()
    """Further names of the header that carries the API key."""
    email_url: Annotated[SecretStr | None, AfterValidator(_mail_server)] = None
    """`smtp://user:password@host:port`, `smtps://...` or `anymail://PROVIDER?api_key=...`; without it mail is kept as
    files."""
    mail_from: Annotated[str, AfterValidator(_sender)] = ""
    """Sender of the service's own mail (invitations, new passwords): an address, or `Name <address>`; empty:
    `paymatch@` the host of the base URL."""
    bounces_url: SecretStr | None = None
    """`imaps://user:password@host/folder`: the mailbox to which mail servers report what they could not deliver."""
    advices_url: SecretStr | None = None
    """`imaps://user:password@host/folder`: the mailbox to which payers send remittance advices."""
    advices_mail_host: str = ""
    """What the server of that mailbox calls itself in Authentication-Results; without it no sender is proved."""
    letters_url: SecretStr | None = None
    """`https://token@provider/path`, `sftp://user:password@provider/folder` or `file:///folder`: where letters of
    shops with `letters-by=provider` go."""
    letters_sftp_host_keys: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_elements)] = ()
    """Fingerprints of the keys that the SFTP server of the letters may show (SHA256:...)."""
    letters_sftp_key: Path | None = None
    """File with the private key that signs in there instead of a password."""
    letters_dir: Path | None = None
    """Folder of the daily print runs, with a folder per shop in it; without it `letters` in the data directory."""
    exports_dir: Path | None = None
    """Folder of automatic exports, a folder per shop in it; without it `exports` in the data
    directory."""
    drop_dir: Path | None = None
    """Folder whose `SHOP_ID/inbox` is watched for bank files; without it none is watched."""
    transfer_dir: Path | None = None
    """Folder of the transfer files, with a folder per shop in it; without it `transfers` in the data directory."""
    collection_dir: Path | None = None
    """Folder of what agencies are handed and report, with a folder per shop; without it `collection` in the data
    directory."""
    enable_banking_url: Annotated[str, AfterValidator(_url)] = ""
    """Where the API of Enable Banking is reached; empty: at its own address."""
    fints_product_id: str = ""
    """The registered FinTS product; fetching from a bank needs one."""
    fints_pin: SecretStr | None = None
    """The PIN at the bank, for one fetch; without it the terminal is asked."""
    shop: str = ""
    """Id or name of the shop that commands are about where they name none."""
    oidc_issuer: Annotated[str, AfterValidator(_url)] = ""
    """OpenID Connect: people who are known here by a verified address also sign in with the company; it sends them
    back to `/account/oidc/company/login/callback/`."""
    oidc_client_id: str = ""
    """The client id of this installation at that issuer."""
    oidc_client_secret: SecretStr | None = None
    """The secret that belongs to it."""
    oidc_name: str = ""
    """What the sign-in page calls the issuer; empty means its host."""
    log_format: Literal["console", "json"] = "console"
    """How lines of the log look: `console` for people, `json` for programs."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least that is logged: `debug`, `info`, `warning` or `error`."""
    invoice_max_bytes: Annotated[int, Field(gt=0, le=100_000_000)] = 10_000_000
    """Largest invoice."""
    invoice_quota_bytes: Annotated[int, Field(gt=0)] = 10_000_000_000
    """What all invoices of one shop may take together; `shop set SHOP invoice-quota=MB` for one shop."""
    upload_max_bytes: Annotated[int, Field(ge=64_000, le=256 * 1024 * 1024)] = 32 * 1024 * 1024
    """Largest upload of a person who is signed in to the merchant area."""
    s3_bucket: str = ""
    """Bucket for invoices, and for automatic exports; empty keeps them in the data directory."""
    s3_endpoint: Annotated[str, AfterValidator(_url)] = ""
    """URL of an S3-compatible storage; empty means the provider's own."""
    s3_region: str = ""
    """Region of the storage."""
    s3_prefix: str = ""
    """Put before every key, so that several installations may share a bucket."""
    s3_access_key: SecretStr | None = None
    """Name of the key that opens the storage."""
    s3_secret_key: SecretStr | None = None
    """The secret of that key."""

    @property
    def names_proxies(self) -> bool:
        """Whether the operator has said which proxies are to be trusted."""
        return "trusted_proxies" in self.model_fields_set

    def callback_names(self) -> dict[str, tuple[str, ...]]:
        """The header of a callback that carries the access code (docs/api.md, Events), and its further names."""
        return {"X-Service-Access-Code": self.callback_code_headers}

    def trusts(self, address: str) -> bool:
        """Whether `address` is one of the trusted proxies, whose forwarding headers count."""
        found = _address(address)
        return found is not None and any(found in network for network in self.trusted_proxies)

    def mail_sender(self) -> str:
        """The sender of the service's own mail; without `mail_from` an address at the host that links lead to."""
        return self.mail_from or f"paymatch <paymatch@{urlsplit(self.base_url).hostname or 'localhost'}>"

    def transfers(self) -> Path:
        """The folder of the transfer files as an absolute path; OSError if the data directory cannot be made."""
        return self._folder(self.transfer_dir, "transfers")

    def collection(self) -> Path:
        """The folder of what collection agencies are handed and report; OSError as `transfers`."""
        return self._folder(self.collection_dir, "collection")

    def exports(self) -> Path:
        """The folder of automatic exports; OSError as `transfers`."""
        return self._folder(self.exports_dir, "exports")

    def letters(self) -> Path:
        """The folder of the daily print runs; OSError as `transfers`."""
        return self._folder(self.letters_dir, "letters")

    def kept_mail(self) -> Path:
        """The folder of the mail that goes nowhere while no mail server is set; OSError as `transfers`."""
        return self._folder(None, "mail")

    def _folder(self, chosen: Path | None, usual: str) -> Path:
        if chosen is not None:
            return chosen.expanduser().absolute()
        return make_data_dir(self.data_dir) / usual

    def secret(self) -> str:
        """The secret key: the operator's, otherwise the one of the data directory, made at the first call."""
        return self.secrets()[0]

    def secrets(self) -> tuple[str, ...]:
        """All secret keys, newest first: the operator's, otherwise the lines of the file in the data directory."""
        if self.secret_key is None:
            make_data_dir(self.data_dir)
            _make_secret(self.key_file())
        return self.known_secrets()

    def known_secrets(self) -> tuple[str, ...]:
        """As `secrets`, but none is made; empty where there is none yet."""
        old = tuple(key.get_secret_value() for key in self.secret_keys_old)
        if self.secret_key is not None:
            return (self.secret_key.get_secret_value(), *old)
        return (*_kept_secrets(self.key_file()), *old)

    def key_place(self) -> str:
        """Where the newest secret key is, in words."""
        return "PAYMATCH_SECRET_KEY" if self.secret_key is not None else str(self.key_file())

    def key_file(self) -> Path:
        """Where generated keys are kept, newest first, one a line."""
        return self.data_dir.expanduser().absolute() / "secret_key"

    def own_database_file(self) -> Path:
        """Where it is noted that the service works with a PostgreSQL of the operator's, and with which."""
        return self.data_dir.expanduser().absolute() / "own-database"

    def database_place(self) -> str:
        """Where the database is, without what opens it."""
        if self.database_url is None:
            return f"the bundled PostgreSQL in {self.data_dir}"
        parts = urlsplit(self.database_url.get_secret_value())
        host = parts.netloc.rpartition("@")[2] or "this machine"
        return f"{unquote(parts.path.removeprefix('/')) or 'the database'} on {host}"


def default_data_dir(name: str) -> Path:
    """The user's data directory; for root a place that the account of PostgreSQL can reach, unless there is one."""
    path = Path(platformdirs.user_data_dir(name, appauthor=False))
    return path if os.geteuid() != 0 or path.exists() else Path("/var/lib") / name


def load_settings() -> Settings:
    """The settings of this environment; SettingsRefused names the first variable that cannot be used, and why."""
    try:
        return Settings()
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False, include_context=False)[0]
        name = f"PAYMATCH_{problem['loc'][0]}".upper() if problem["loc"] else "PAYMATCH_*"
        raise SettingsRefused(
            Message("file-named", name=name, what=problem["msg"].removeprefix("Value error, "))
        ) from None


def unknown_variables(names: Iterable[str]) -> tuple[str, ...]:
    """One sentence per variable that begins with PAYMATCH_ and is not a setting, with a setting that is near.

    `names` are the names of an environment. Variables of the test suite (PAYMATCH_TEST_...) are not reported.
    """
    known = [f"PAYMATCH_{field}".upper() for field in Settings.model_fields]
    unknown = sorted(name for name in names if name.startswith("PAYMATCH_") and name not in known)
    return tuple(_unknown(name, known) for name in unknown if not name.startswith("PAYMATCH_TEST_"))


def _unknown(name: str, known: list[str]) -> str:
    near = get_close_matches(name.upper(), known, n=1, cutoff=0.8)
    return f"{name} is not a setting" + (f"; did you mean {near[0]}?" if near else "")


def make_data_dir(path: Path) -> Path:
    """The data directory as an absolute path, created if need be; OSError if it cannot be."""
    path = path.expanduser().absolute()
    try:
        path.mkdir(mode=0o700, parents=True)
    except FileExistsError:  # by now: two first starts at once
        if not path.is_dir():
            raise
    else:
        # The account of the embedded PostgreSQL has to pass a directory of root; all that is in it stays closed.
        path.chmod(0o711 if os.geteuid() == 0 else 0o700)
    return path


@lru_cache(maxsize=1024)
def is_loopback(address: str) -> bool:
    """Whether the address is one of this machine's own (127.0.0.0/8, ::1, also written as IPv4 in IPv6)."""
    found = _address(address)
    return found is not None and any(found in network for network in _LOOPBACK)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text.strip().strip("[]"))
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def add_kept_secret(path: Path) -> None:
    """A new key comes first in the file; the file changes as a whole or not at all."""
    draft = _draft(path, "\n".join((secrets.token_urlsafe(48), *_kept_secrets(path))))
    draft.replace(path)


def _make_secret(path: Path) -> None:
    """A first key, if there is none. The file appears with its content or not at all: two first starts agree on one."""
    if path.exists():
        return
    draft = _draft(path, secrets.token_urlsafe(48))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _kept_secrets(path: Path) -> tuple[str, ...]:
    """The keys in the file."""
    return tuple(path.read_text("utf-8").split()) if path.exists() else ()


def _draft(path: Path, text: str) -> Path:
    """A file beside `path` that holds the text and is safe on disk."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return draft
