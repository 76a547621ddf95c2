"""Our addition to the API: bank statements by upload."""

from __future__ import annotations

import io
from typing import Final

import msgspec

from paymatch.api.call import Answer, ApiCall
from paymatch.api.multipart import file_part
from paymatch.api.router import PREFIX, endpoint
from paymatch.domain.shops.key_scopes import KeyScope
from paymatch.domain.statement_channels import StatementChannel
from paymatch.usecases.statements import import_runs
from paymatch.usecases.statements.import_runs import ImportRun

UPLOAD_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of an uploaded statement; larger ones go through the command line or the drop folder."""


@endpoint("POST", "statements", writes=True, scope=KeyScope.STATEMENTS, detached=True, body_limit=UPLOAD_LIMIT)
def upload_statement(call: ApiCall) -> Answer:
    """Imports a bank file (part `file`): the report of `paymatch statement import`; `dryRun=true` rehearses.

    202 with an `importId` where it takes longer than a few seconds: it goes on, and `GET /imports/<id>` tells of it.
    Off for live shops until `statements-api=on`, and only for keys of the scope `statements` (D-37).
    """
    dry_run = call.flag("dryRun")
    upload = file_part(call.headers.get("content-type", ""), call.body)
    run = ImportRun(
        call.database, call.shop, io.BytesIO(upload.content), upload.name, call.config.clock, dry_run=dry_run,
        channel=StatementChannel.API,
    )  # fmt: skip
    report = run.wait(call.config.import_wait_seconds)
    if report is None:
        place = ("Location", f"{PREFIX}imports/{run.id}")
        return Answer(msgspec.json.encode({"importId": run.id, "state": "running"}), headers=(place,), status=202)
    return Answer(msgspec.json.encode(report.as_dict()))


@endpoint("GET", "imports/{importId}")
def read_import(call: ApiCall) -> Answer:
    """An import with its `state`: running, done, refused (with `error`) or undone; 404 if unknown."""
    return Answer(msgspec.json.encode(import_runs.find(call.tx, call.shop, call.params["importId"], call.clock)))
