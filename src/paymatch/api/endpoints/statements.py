"""Our addition to the API: bank statements by upload."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Final

import msgspec

from paymatch.api import parameters
from paymatch.api.body.multipart import UploadedFile, file_part
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import file_body, json_of
from paymatch.api.refusals import TOO_LARGE, ours
from paymatch.api.router import PREFIX, endpoint
from paymatch.api.sections import POSTINGS
from paymatch.domain.shops.api_keys import KeyScope
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import as_text
from paymatch.formats.contract.json_schema import ref, text
from paymatch.usecases.statements import import_runs
from paymatch.usecases.statements.import_process import INTERRUPTED
from paymatch.usecases.statements.import_runs import ImportRun

UPLOAD_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of an uploaded statement; larger ones go through the command line or the drop folder."""


@dataclass(frozen=True, slots=True)
class StatementQuery:
    """What is done with it."""

    dry_run: bool = parameters.flag("Read and match, but book nothing.")


def _file(call: ApiCall) -> UploadedFile:
    return file_part(call.headers.get("content-type", ""), call.body)


@endpoint(
    "POST",
    "statements",
    POSTINGS,
    "Import a bank statement",
    "camt.052, camt.053, camt.054, MT940, MT942 and others. If the import takes longer than a few seconds, the"
    " answer is 202 and the import continues; ask for it then.",
    body=file_body(_file, UPLOAD_LIMIT, refusals=(TOO_LARGE,)),
    answer=json_of(ref("Import")),
    accepted={
        "type": "object",
        "properties": {"importId": text("To ask for it."), "state": text("How far it is.", const="running")},
        "required": ["importId", "state"],
    },
    refusals=(
        ours(400, "<why the statement cannot be imported>", "Nothing of the file is booked."),
        ours(
            503,
            "<n> statements of this shop are waiting to be imported, send this one again later",
            "Statements of a shop are imported one after the other.",
        ),
        ours(503, INTERRUPTED, "The importing process was stopped."),
    ),
    scope=KeyScope.STATEMENTS,
    detached=True,
    repeatable=True,
)
def upload_statement(call: ApiCall, query: StatementQuery, body: UploadedFile) -> ApiAnswer:
    """Imports a bank file (part `file`): the report of `paymatch statement import`; `dryRun=true` rehearses.

    202 with an `importId` if it takes longer than a few seconds: it continues; `GET /imports/<id>` shows its state.
    Off for live shops until `statements-api=on`, and only for keys of the scope `statements` (D-37).
    """
    run = ImportRun(
        call.database, call.shop, io.BytesIO(body.content), body.name, call.config.clock, dry_run=query.dry_run,
        channel=StatementChannel.API,
    )  # fmt: skip
    report = run.wait(call.config.import_wait_seconds)
    if report is None:
        place = ("Location", f"{PREFIX}imports/{run.id}")
        return ApiAnswer(
            msgspec.json.encode({"importId": run.id, "state": "running"}, enc_hook=as_text),
            headers=(place,),
            status=202,
        )
    return ApiAnswer(msgspec.json.encode(report.as_dict(), enc_hook=str))


@endpoint(
    "GET",
    "imports/{importId}",
    POSTINGS,
    "Read an import",
    "The result of a bank statement: its report when it is `done`. An import that booked can be asked for as long"
    " as the shop exists, other results for 30 days.",
    answer=json_of(ref("Import")),
    also=KeyScope.STATEMENTS,
    refusals=(ours(404, "Import '<id>' not found", "The shop has no such import."),),
)
def read_import(call: ApiCall) -> ApiAnswer:
    """An import with its `state`: running, done, refused (with `error`) or undone; 404 if unknown."""
    found = import_runs.find(call.tx, call.params["importId"])
    return ApiAnswer(msgspec.json.encode(found, enc_hook=str))
