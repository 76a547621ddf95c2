"""The way out for mail: to a server by SMTP, into a folder; what a server's answers mean."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path

import pytest

from paymatch.outbound.mail.folder import FolderDoor
from paymatch.outbound.mail.opening import open_mail
from paymatch.outbound.mail.outgoing import MailNotSent, MailRoute, MailUrlRefused, OutgoingMail
from paymatch.outbound.mail.smtp import MailServer, SmtpDoor, mail_server
from paymatch.settings import load_settings
from tests.fakes import mail_server as fake

MAIL = OutgoingMail("0f3c", "ml_1", "post@shop.example", "erika@example.com", b"Subject: x\r\n\r\n.one\r\ntwo\r\n")
TLS = Path(__file__).parent / "tls"


def door(port: int, *, user: str = "", starttls: bool = False, tls: bool = False) -> SmtpDoor:
    context = ssl.create_default_context(cafile=str(TLS / "certificate.pem"))
    context.check_hostname = False  # the certificate is not one of 127.0.0.1
    server = MailServer("127.0.0.1", port, user, "secret", tls, starttls)
    return SmtpDoor(server, timeout_seconds=5, context=context)


def server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "certificate.pem", TLS / "key.pem")
    return context


def test_mail_goes_to_the_server_over_one_connection() -> None:
    with fake.mail_server() as server:
        way = door(server.port)
        for place in range(3):
            way.send(OutgoingMail("0f3c", f"ml_{place}", MAIL.sender, f"{place}@example.com", MAIL.content))
        way.close()
        assert [(sender, to) for sender, to, _ in server.taken] == [
            ("post@shop.example", f"{place}@example.com") for place in range(3)
        ]
        assert server.taken[0][2] == MAIL.content
        assert server.connections == 1


@pytest.mark.parametrize(
    ("answers", "permanent", "words"),
    [
        ({"RCPT": "550 no such user"}, True, "550 no such user"),
        ({"RCPT": "450 mailbox busy"}, False, "450 mailbox busy"),
        ({"MESSAGE": "554 looks like spam"}, True, "554 looks like spam"),
        ({"MESSAGE": "451 try later"}, False, "451 try later"),
        ({"MAIL": "553 you may not send"}, False, "SMTPSenderRefused: 553 you may not send"),
        ({"DATA": "421 closing"}, False, "421 closing"),
        ({"RCPT": None}, False, "SMTPServerDisconnected: Connection unexpectedly closed"),
        ({"MESSAGE": None}, False, "SMTPServerDisconnected: Connection unexpectedly closed"),
        ({"EHLO": "500 what", "HELO": "500 what"}, False, "SMTPHeloError: 500 what"),
    ],
)
def test_what_the_answers_mean(answers: dict[str, str | None], permanent: bool, words: str) -> None:
    with fake.mail_server(answers) as server:
        way = door(server.port)
        with pytest.raises(MailNotSent) as failed:
            way.send(MAIL)
        assert (failed.value.permanent, str(failed.value)) == (permanent, words)
        assert len(server.taken) == (answers == {"MESSAGE": None})
        server.answers.clear()
        way.send(MAIL)  # the next mail starts again
        assert server.taken[-1][2] == MAIL.content
        way.close()


def test_a_connection_that_has_gone_is_made_anew_before_anything_is_sent() -> None:
    with fake.mail_server() as server:
        way = door(server.port)
        way.send(MAIL)
        server.answers["NOOP"] = None
        way.send(MAIL)
        way.close()
        assert (len(server.taken), server.connections) == (2, 2)


def test_nobody_listens() -> None:
    with fake.mail_server() as server:
        port = server.port
    with pytest.raises(MailNotSent, match="ConnectionRefusedError") as failed:
        door(port).send(MAIL)
    assert not failed.value.permanent


def test_starttls_and_tls_with_a_password() -> None:
    for tls in (False, True):
        with fake.mail_server(context=server_context(), tls=tls) as server:
            way = door(server.port, user="post", starttls=not tls, tls=tls)
            way.send(MAIL)
            way.close()
            assert (server.logins, len(server.taken)) == (["\x00post\x00secret"], 1)
            assert way.route == MailRoute(f"127.0.0.1:{server.port}", "TLSv1.3")


def test_no_password_for_a_server_that_nobody_vouches_for() -> None:
    with fake.mail_server(context=server_context(), tls=True) as server:
        with pytest.raises(MailNotSent, match="SSLCertVerificationError") as failed:
            SmtpDoor(MailServer("127.0.0.1", server.port, "post", "secret", True, False)).send(MAIL)
        assert (failed.value.permanent, server.logins, server.taken) == (False, [], [])


def test_no_password_without_the_tls_that_was_asked_for() -> None:
    with fake.mail_server() as server:  # offers no STARTTLS
        with pytest.raises(MailNotSent, match="STARTTLS") as failed:
            door(server.port, user="post", starttls=True).send(MAIL)
        assert (failed.value.permanent, server.logins, server.taken) == (False, [], [])


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example", MailServer("mail.example", 25, "", "", False, True)),
        ("smtp://post%40shop:p%2Fw@mail.example", MailServer("mail.example", 587, "post@shop", "p/w", False, True)),
        ("smtps://post:pw@mail.example", MailServer("mail.example", 465, "post", "pw", True, False)),
        ("smtp://127.0.0.1:2525?starttls=off", MailServer("127.0.0.1", 2525, "", "", False, False)),
    ],
)
def test_urls(url: str, server: MailServer) -> None:
    assert mail_server(url) == server


@pytest.mark.parametrize(
    "url",
    [
        "http://mail.example", "smtp://", "smtp://mail.example:x", "smtp://mail.example/inbox",
        "smtp://mail.example?tls=on", "smtp://a:geheim@mail.example?starttls=off",
    ],
)  # fmt: skip
def test_urls_that_cannot_be_used_are_refused_without_telling_the_password(url: str) -> None:
    with pytest.raises(MailUrlRefused) as refused:
        mail_server(url)
    assert "geheim" not in str(refused.value) and "PAYMATCH_EMAIL_URL" in str(refused.value)


def test_without_a_server_mail_is_kept_in_the_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("PAYMATCH_EMAIL_URL", raising=False)
    way = open_mail(load_settings())
    assert not way.delivers
    way.send(MAIL)
    way.send(MAIL)  # a repetition is the same file
    (file,) = (tmp_path / "mail" / "0f3c").iterdir()
    assert (file.name, file.read_bytes()) == ("ml_1.eml", MAIL.content)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    monkeypatch.setenv("PAYMATCH_EMAIL_URL", "smtp://mail.example")
    assert open_mail(load_settings()).delivers


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("a file")
    with pytest.raises(MailNotSent) as failed:
        FolderDoor(tmp_path / "mail").send(MAIL)
    assert not failed.value.permanent
    with pytest.raises(MailNotSent) as failed:
        FolderDoor(tmp_path).send(OutgoingMail("../x", "ml_1", "", "", b""))
    assert failed.value.permanent
