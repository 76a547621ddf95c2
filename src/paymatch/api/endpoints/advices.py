"""Our addition to the API: remittance advices by upload."""

from __future__ import annotations

import io
from typing import Final

import msgspec

from paymatch.api.body.multipart import UploadedFile, file_part
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import file_body, json_of
from paymatch.api.refusals import TOO_LARGE, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import POSTINGS
from paymatch.domain.shops.api_keys import KeyScope
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import as_text
from paymatch.formats.advices.reading import MAX_BYTES
from paymatch.formats.contract.json_schema import array, ref
from paymatch.usecases.advices.advices import import_advice

UPLOAD_LIMIT: Final = MAX_BYTES
"""Bytes of an uploaded advice with its form."""


def _file(call: ApiCall) -> UploadedFile:
    return file_part(call.headers.get("content-type", ""), call.body)


@endpoint(
    "POST",
    "advices",
    POSTINGS,
    "Import a remittance advice",
    "A payer's list of the orders that a sum is for: CSV, Excel, PDF with text, EDIFACT REMADV, UBL or remt.001. It is"
    " not a payment: it explains a posting of exactly its sum. What a key sends is a suggestion to a person.",
    body=file_body(_file, UPLOAD_LIMIT, refusals=(TOO_LARGE,)),
    answer=json_of(array(ref("Advice"))),
    refusals=(ours(400, "<why the advice cannot be read>", "Nothing of the file is kept."),),
    scope=KeyScope.STATEMENTS,
    detached=True,
    repeatable=True,
)
def upload_advice(call: ApiCall, body: UploadedFile) -> ApiAnswer:
    """Imports a remittance advice (part `file`): an array of the advices in it, each with its `state`.

    It never decides alone: a person imports the same file, or decides the posting. Off for live shops until
    `statements-api=on`, and only for keys of the scope `statements` (D-37, D-94).
    """
    found = import_advice(
        call.database, call.shop, io.BytesIO(body.content), body.name, call.clock, StatementChannel.API
    )
    return ApiAnswer(msgspec.json.encode(found, enc_hook=as_text))
