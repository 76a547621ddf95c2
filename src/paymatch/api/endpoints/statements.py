"""Our addition to the API: bank statements by upload."""

from __future__ import annotations

import io
from typing import Final

import msgspec

from paymatch.api.call import Answer, ApiCall
from paymatch.api.multipart import file_part
from paymatch.api.router import endpoint
from paymatch.usecases.statements.statements import import_file

UPLOAD_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of an uploaded statement; larger ones go through the command line or the drop folder."""


@endpoint("POST", "statements", writes=True, detached=True, body_limit=UPLOAD_LIMIT)
def upload_statement(call: ApiCall) -> Answer:
    """Imports a bank file (part `file`): the report of `paymatch statement import`; `dryRun=true` rehearses."""
    dry_run = call.flag("dryRun")
    upload = file_part(call.headers.get("content-type", ""), call.body)
    report = import_file(call.database, call.shop, io.BytesIO(upload.content), upload.name, call.clock, dry_run=dry_run)
    return Answer(msgspec.json.encode(report.as_dict()))
