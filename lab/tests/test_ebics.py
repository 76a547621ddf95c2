"""An independent client works with the simulated bank, so that our own client is not tested against itself only."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree
from tests.fakes.ebics_bank import EbicsBank

from paymatch.outbound.ebics.order_files import files_in


def part(name: str) -> Any:
    """A module of the other client, which has no types."""
    return pytest.importorskip(f"painfree.ebics3.{name}")


def own_key(version: str) -> Any:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    certificates = part("certificates")
    certificate = certificates.self_signed_certificate(private, version, certificates.subject_name("shop"))
    return part("keys").EbicsKey(version, private.public_key(), private, certificate)


def drive(transaction: Any, request: Any, bank: EbicsBank) -> None:
    while request is not None:
        answer = bank.answer(etree.tostring(request, xml_declaration=True, encoding="UTF-8"))
        assert answer is not None
        transaction.feed(answer)
        request = transaction.next_request()


def test_the_independent_client_is_initialised_fetches_and_sends() -> None:
    bank = EbicsBank.create(segment_bytes=60)
    context = part("requests").RequestContext(bank.host_id, bank.partner_id, bank.user_id)
    signature, authentication, encryption = own_key("A006"), own_key("X002"), own_key("E002")
    start = part("initialisation").Initialisation(context, signature, authentication, encryption)
    for step in range(3):
        bank.active = step == 2
        answer = bank.answer(etree.tostring(start.next_request()))
        assert answer is not None
        start.feed(answer)
    known: Any = start.bank_keys
    banks = {"bank_authentication_key": known.authentication, "bank_encryption_key": known.encryption}

    bank.put("camt.053", ("a.xml", b"<a/>"))
    download = part("transaction").DownloadTransaction(
        context=context, authentication_key=authentication, encryption_key=encryption,
        bank_authentication_key=known.authentication,
    )  # fmt: skip
    service = part("btf").Service("EOP", "camt.053", scope="DE", container="ZIP")
    drive(download, download.initialisation_request(service, **banks), bank)
    assert files_in(download.order_data, "x") == [("x-a.xml", b"<a/>")]
    assert bank.receipts == ["camt.053 0"]

    data = b"<pain/>" * 100
    secured = part("pipeline").secure_order_data(
        data, signature_key=signature, bank_encryption_key=known.encryption, partner_id=bank.partner_id,
        user_id=bank.user_id,
    )  # fmt: skip
    upload = part("transaction").UploadTransaction.prepare(
        data, secured, context, authentication_key=authentication, segment_size=20
    )
    drive(upload, upload.initialisation_request(part("btf").Service("SCT", "pain.001"), **banks), bank)
    assert [each.data for each in bank.orders] == [data]
