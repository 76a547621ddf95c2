"""The outgoing client against hostile receivers, with limits of parts of a second instead of 5 and 15."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paymatch.domain.callbacks.call_timing import UNMEASURED, CallTiming
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, HttpClient, HttpLimits, NoAnswerReason, NullHttp
from tests.fakes.receivers import Script, answering, call_to, plain, receiver

QUICK = HttpLimits(connect_seconds=0.2, total_seconds=0.3, remember_names_seconds=0.0)
TLS = Path(__file__).parent / "tls"  # a certificate for receiver.test, signed by itself, and its key: for tests only


@pytest.fixture
def client() -> Iterator[HttpClient]:
    """For receivers that answer at once: its limits are far beyond what a busy machine takes."""
    opened = HttpClient(allow_private=True, limits=HttpLimits(remember_names_seconds=0.0))
    yield opened
    opened.close()


@pytest.fixture
def hasty() -> Iterator[HttpClient]:
    """For receivers that let a caller wait."""
    opened = HttpClient(allow_private=True, limits=QUICK)
    yield opened
    opened.close()


def failure(client: HttpClient, call: HttpCall) -> tuple[NoAnswerReason, str]:
    with pytest.raises(CallFailed) as failed:
        client.call(call)
    assert failed.value.elapsed_seconds < 30  # of limits far below a second, on a machine that may be busy
    return failed.value.reason, str(failed.value)


def test_answer_and_request_as_sent(client: HttpClient) -> None:
    with receiver(answering(plain(200, b"thanks"))) as running:
        answer = client.call(call_to(running.url + "?a=1", b"{}", (("X-Service-Access-Code", "code"),)))
        head, port = running.requests[0].decode(), running.port
    assert (answer.status, answer.body, answer.truncated, answer.retry_after) == (200, b"thanks", False, None)
    assert answer.address == "127.0.0.1"
    assert head == (
        f"POST /callback?a=1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: identity\r\n"
        "X-Service-Access-Code: code\r\nContent-Length: 2\r\n\r\n{}"
    )


def test_header_is_sent_under_its_further_names_too() -> None:
    names = {"X-Service-Access-Code": ("X-Access-Code", "Other-Code")}
    client = HttpClient(allow_private=True, limits=QUICK, further_names=names)
    with receiver(answering(plain())) as running:
        client.call(call_to(running.url, b"{}", (("X-Service-Access-Code", "code"), ("X-More", "1"))))
        head = running.requests[0].decode()
    client.close()
    assert "X-Service-Access-Code: code\r\nX-More: 1\r\nX-Access-Code: code\r\nOther-Code: code\r\n" in head


def test_get_has_no_body(client: HttpClient) -> None:
    with receiver(answering(plain())) as running:
        client.call(call_to(running.url, method="GET"))
        assert b"content-length" not in running.requests[0].lower()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", ["http://169.254.169.254/", "file:///etc/passwd", "http://localhost/"])
def test_redirect_is_an_answer_and_not_followed(client: HttpClient, status: int, target: str) -> None:
    with receiver(answering(plain(200))) as inside:
        target = target.replace("localhost", f"127.0.0.1:{inside.port}")
        with receiver(answering(plain(status, b"", f"Location: {target}\r\n"))) as running:
            assert client.call(call_to(running.url)).status == status
            assert len(running.requests) == 1
        assert inside.connections == 0


def test_retry_after_is_handed_over(client: HttpClient) -> None:
    with receiver(answering(plain(429, b"", "Retry-After: 120\r\n"))) as running:
        answer = client.call(call_to(running.url))
    assert (answer.status, answer.retry_after) == (429, "120")


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch, client: HttpClient) -> None:
    with receiver(answering(plain(200))) as proxy, receiver(answering(plain(200))) as running:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        client.call(call_to(running.url))
        assert (proxy.connections, running.connections) == (0, 1)


# Receivers that hang, dribble, flood or break off


def test_receiver_that_never_accepts() -> None:
    # A full backlog leaves further connections without an answer.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for sock in waiting:
            sock.setblocking(False)
            sock.connect_ex(address)
        slow = HttpClient(allow_private=True, limits=QUICK)
        try:
            found = failure(slow, call_to(f"http://127.0.0.1:{address[1]}/"))
        finally:
            for sock in waiting:
                sock.close()
    assert found == (NoAnswerReason.NOT_CONNECTED, "receiver did not accept the connection in time")


@pytest.mark.parametrize(
    "first", [b"", b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nX-", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"]
)
def test_hanging_receiver_ends_at_the_deadline(hasty: HttpClient, first: bytes) -> None:
    def script(connection: socket.socket, _request: bytes) -> bool:
        connection.sendall(first)
        return True  # waits for a next request that never comes

    with receiver(script) as running:
        assert failure(hasty, call_to(running.url)) == (NoAnswerReason.TIMEOUT, "receiver did not answer within 0.3 s")


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nX-Pad: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"])
def test_dribbling_receiver_ends_at_the_deadline(hasty: HttpClient, head: bytes) -> None:
    def script(connection: socket.socket, _request: bytes) -> bool:
        connection.sendall(head)
        while True:
            connection.sendall(b"x")
            time.sleep(0.02)

    with receiver(script) as running:
        assert failure(hasty, call_to(running.url)) == (NoAnswerReason.TIMEOUT, "receiver did not answer within 0.3 s")


def test_receiver_that_does_not_read_ends_at_the_deadline(hasty: HttpClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        found = failure(hasty, call_to(f"http://127.0.0.1:{deaf.getsockname()[1]}/", b"x" * 20_000_000))
    assert found == (NoAnswerReason.TIMEOUT, "receiver did not answer within 0.3 s")


def test_only_the_first_64_kib_of_a_gigabyte_are_read(client: HttpClient) -> None:
    sent = 0

    def script(connection: socket.socket, _request: bytes) -> bool:
        nonlocal sent
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while sent < 1_000_000_000:
            sent += connection.send(b"x" * 65536)
        return False

    with receiver(script) as running:
        answer = client.call(call_to(running.url))
    assert (answer.status, len(answer.body), answer.truncated) == (200, 65536, True)
    assert sent < 20_000_000  # what fits into the buffers of both sockets


@pytest.mark.parametrize(("size", "truncated"), [(65535, False), (65536, False), (65537, True)])
def test_limit_of_the_answer_is_exact(client: HttpClient, size: int, truncated: bool) -> None:
    with receiver(answering(plain(200, b"x" * size))) as running:
        answer = client.call(call_to(running.url))
    assert (len(answer.body), answer.truncated) == (min(size, 65536), truncated)


def test_compressed_answer_is_not_unpacked(client: HttpClient) -> None:
    bomb = gzip.compress(bytes(10_000_000))
    with receiver(answering(plain(200, bomb, "Content-Encoding: gzip\r\n"))) as running:
        assert client.call(call_to(running.url)).body == bomb[:65536]


@pytest.mark.parametrize("flood", [b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70000])
def test_endless_heads_are_cut_off(flood: bytes) -> None:
    def script(connection: socket.socket, _request: bytes) -> bool:
        while True:
            connection.sendall(flood)

    patient = HttpClient(allow_private=True, limits=HttpLimits(total_seconds=60))
    with receiver(script) as running:
        reason, _ = failure(patient, call_to(running.url))
    assert reason == NoAnswerReason.BROKEN


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((b"",), "receiver closed the connection without an answer"),
        ((b"HTTP/1.1 2",), "receiver closed the connection without an answer"),
        ((b"SSH-2.0-OpenSSH_9\r\n\r\n",), "receiver's answer is not HTTP"),
        ((b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",), "receiver's answer is not HTTP"),
        ((b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc",), "receiver's answer is not HTTP"),
        ((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",), "receiver's answer is not HTTP"),
    ],
)
def test_broken_answer(client: HttpClient, parts: tuple[bytes, ...], text: str) -> None:
    with receiver(answering(*parts)) as running:
        assert failure(client, call_to(running.url)) == (NoAnswerReason.BROKEN, text)


def test_reset(client: HttpClient) -> None:
    def script(connection: socket.socket, _request: bytes) -> bool:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.close()
        return False

    with receiver(script) as running:
        assert failure(client, call_to(running.url)) == (NoAnswerReason.BROKEN, "receiver broke the connection")


def test_nobody_listens(client: HttpClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    found = failure(client, call_to(f"http://127.0.0.1:{port}/"))
    assert found == (NoAnswerReason.NOT_CONNECTED, "receiver refused the connection")


@pytest.mark.parametrize(
    "headers",
    [
        (("X-A", "b\r\nX-Evil: 1"),),
        (("X-A", "b\nc"),),
        (("X-A", "b\x00"),),
        (("X-A", "ü"),),
        (("X-A\r\nX-Evil", "1"),),
        (("X A", "1"),),
        (("Host", "localhost"),),
        (("Transfer-Encoding", "chunked"),),
        (("content-length", "0"),),
    ],
)
def test_header_that_starts_another_message_is_refused(
    client: HttpClient, headers: tuple[tuple[str, str], ...]
) -> None:
    with receiver(answering(plain())) as running:
        reason, _ = failure(client, call_to(running.url, b"", headers))
        assert (reason, running.requests) == (NoAnswerReason.NOT_ALLOWED, [])


# Connections


def test_connection_is_kept_for_the_next_call(client: HttpClient) -> None:
    with receiver(answering(plain(), stay=True)) as running:
        for _ in range(5):
            assert client.call(call_to(running.url, b"x")).status == 200
        assert (running.connections, len(running.requests)) == (1, 5)


def test_connection_with_unread_rest_is_not_kept(client: HttpClient) -> None:
    with receiver(answering(plain(200, b"x" * 70000), stay=True)) as running:
        for _ in range(3):
            client.call(call_to(running.url))
        assert running.connections == 3


def test_closed_kept_connection_is_replaced(client: HttpClient) -> None:
    with receiver(answering(plain(), stay=False)) as running:
        for _ in range(3):
            assert client.call(call_to(running.url, repeatable=True)).status == 200
        assert running.connections == 3


@pytest.mark.parametrize(("repeatable", "statuses"), [(True, 2), (False, 1)])
def test_kept_connection_that_breaks_is_replaced_for_repeatable_calls(
    client: HttpClient, repeatable: bool, statuses: int
) -> None:
    def script(connection: socket.socket, request: bytes) -> bool:
        if running.connections == 1 and len(running.requests) == 2:
            return False  # closes after the request was sent
        connection.sendall(plain())
        return True

    answered = 0
    with receiver(script) as running:
        for body in (b"1", b"2"):
            try:
                client.call(call_to(running.url, body, repeatable=repeatable))
                answered += 1
            except CallFailed as error:
                assert error.reason == NoAnswerReason.BROKEN
    assert answered == statuses


def test_at_most_four_connections_per_host() -> None:
    busy = HttpClient(allow_private=True, limits=HttpLimits(total_seconds=5))
    open_now, most = 0, 0
    counting = threading.Lock()

    def script(connection: socket.socket, _request: bytes) -> bool:
        nonlocal open_now, most
        with counting:
            open_now += 1
            most = max(most, open_now)
        time.sleep(0.02)
        with counting:
            open_now -= 1
        connection.sendall(plain())
        return True

    with receiver(script) as running:
        threads = [threading.Thread(target=busy.call, args=(call_to(running.url),)) for _ in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (most, len(running.requests)) == (4, 24)
        assert running.connections <= 8
    busy.close()


def test_busy_host_is_said_to_be_busy() -> None:
    full = HttpClient(allow_private=True, limits=HttpLimits(total_seconds=0.1, connections_per_host=0))
    with receiver(answering(plain())) as running:
        assert failure(full, call_to(running.url)) == (
            NoAnswerReason.BUSY,
            "all connections to the receiver are in use",
        )
        assert running.connections == 0


# TLS


def server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "certificate.pem", TLS / "key.pem")
    return context


def trusting_client(resolver_address: str = "127.0.0.1") -> HttpClient:
    context = ssl.create_default_context(cafile=TLS / "certificate.pem")
    return HttpClient(
        allow_private=True, limits=QUICK, ssl_context=context, resolver=lambda _host, _port: [resolver_address]
    )


def test_tls_with_the_right_name() -> None:
    names: list[str | None] = []
    context = server_context()
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    with receiver(answering(plain(), stay=True), context) as running:
        client = trusting_client()
        for _ in range(3):
            assert client.call(call_to(f"https://receiver.test:{running.port}/")).status == 200
        client.close()
        assert running.connections == 1
        assert running.requests[0].split(b"\r\n")[1] == f"Host: receiver.test:{running.port}".encode()
    assert names == ["receiver.test"]


def test_tls_with_the_wrong_name() -> None:
    with receiver(answering(plain()), server_context()) as running:
        reason, text = failure(trusting_client(), call_to(f"https://other.test:{running.port}/"))
        assert running.requests == []
    assert reason == NoAnswerReason.NOT_CONNECTED
    assert text.startswith("TLS certificate not valid: ")


def test_tls_with_an_unknown_authority(client: HttpClient) -> None:
    with receiver(answering(plain()), server_context()) as running:
        reason, text = failure(client, call_to(running.url))
        assert running.requests == []
    assert reason == NoAnswerReason.NOT_CONNECTED
    assert text.startswith("TLS certificate not valid: ")


def test_plain_text_where_tls_is_expected(hasty: HttpClient) -> None:
    with receiver(answering(plain())) as running:
        running_url = running.url.replace("http:", "https:")
        assert failure(hasty, call_to(running_url))[0] == NoAnswerReason.NOT_CONNECTED


def test_hanging_tls_handshake(hasty: HttpClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        found = failure(hasty, call_to(f"https://127.0.0.1:{deaf.getsockname()[1]}/"))
    assert found == (NoAnswerReason.NOT_CONNECTED, "receiver did not finish the TLS handshake in time")


# Where the time goes


def slow_answer(seconds: float) -> Script:
    """Answers after that long, and keeps the connection."""

    def script(connection: socket.socket, _request: bytes) -> bool:
        time.sleep(seconds)
        connection.sendall(plain())
        return True

    return script


def test_parts_of_a_call_are_measured_and_add_up() -> None:
    asked: list[str] = []

    def slow_resolver(host: str, _port: int) -> list[str]:
        asked.append(host)
        time.sleep(0.03)
        return ["127.0.0.1"]

    context = ssl.create_default_context(cafile=TLS / "certificate.pem")
    client = HttpClient(allow_private=True, ssl_context=context, resolver=slow_resolver)
    with receiver(slow_answer(0.05), server_context()) as running:
        first = client.call(call_to(f"https://receiver.test:{running.port}/"))
        second = client.call(call_to(f"https://receiver.test:{running.port}/"))
        client.close()
    timing = first.timing
    assert timing.name_us is not None and timing.name_us >= 30_000
    assert timing.connect_us is not None and timing.connect_us > 0
    assert timing.tls_us is not None and timing.tls_us > 0
    assert timing.first_byte_us is not None and timing.first_byte_us >= 50_000
    parts = timing.name_us + timing.connect_us + timing.tls_us + timing.first_byte_us
    assert parts <= first.elapsed_seconds * 1_000_000 + 4  # each is rounded
    assert (timing.address, timing.is_measured) == ("127.0.0.1", True)
    kept = second.timing
    assert (kept.connect_us, kept.tls_us, kept.address) == (None, None, "127.0.0.1")
    assert (kept.name_us is not None, asked) == (True, ["receiver.test"])  # the name is remembered
    assert kept.first_byte_us is not None and kept.first_byte_us >= 50_000


def test_plain_call_has_no_tls_part(client: HttpClient) -> None:
    with receiver(answering(plain())) as running:
        timing = client.call(call_to(running.url)).timing
    assert timing.tls_us is None
    assert timing.connect_us is not None and timing.first_byte_us is not None


def timing_of_failure(client: HttpClient, call: HttpCall) -> CallTiming:
    with pytest.raises(CallFailed) as failed:
        client.call(call)
    return failed.value.timing


def test_refused_connection_has_its_time_and_no_address(client: HttpClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    timing = timing_of_failure(client, call_to(f"http://127.0.0.1:{port}/"))
    assert timing.connect_us is not None
    assert (timing.tls_us, timing.first_byte_us, timing.address) == (None, None, "")


def test_hanging_handshake_has_the_time_until_it_was_given_up(hasty: HttpClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        timing = timing_of_failure(hasty, call_to(f"https://127.0.0.1:{deaf.getsockname()[1]}/"))
    assert timing.connect_us is not None and timing.tls_us is not None
    assert timing.connect_us + timing.tls_us >= 199_000  # 0.2 s for connection and handshake together
    assert timing.first_byte_us is None


def test_missing_answer_has_the_time_until_it_was_given_up(hasty: HttpClient) -> None:
    with receiver(slow_answer(1)) as running:
        timing = timing_of_failure(hasty, call_to(running.url))
    assert timing.connect_us is not None and timing.first_byte_us is not None
    assert timing.connect_us + timing.first_byte_us >= 290_000  # of 0.3 s
    assert timing.address == "127.0.0.1"


def test_unresolved_name_has_only_the_time_of_its_lookup() -> None:
    client = HttpClient(allow_private=True, limits=QUICK, resolver=lambda _host, _port: [])
    timing = timing_of_failure(client, call_to("http://nowhere.test/"))
    assert timing.name_us is not None
    assert (timing.connect_us, timing.tls_us, timing.first_byte_us, timing.address) == (None, None, None, "")


def test_refused_url_has_no_part(client: HttpClient) -> None:
    assert timing_of_failure(client, call_to("http://169.254.169.254/")) == UNMEASURED


def test_repeated_call_has_the_sum_of_both_connections(client: HttpClient) -> None:
    def script(connection: socket.socket, _request: bytes) -> bool:
        if len(running.requests) == 2:
            time.sleep(0.05)
            return False  # a kept connection that closes after the request was sent
        time.sleep(0.04)
        connection.sendall(plain())
        return True

    with receiver(script) as running:
        client.call(call_to(running.url, b"1", repeatable=True))
        timing = client.call(call_to(running.url, b"2", repeatable=True)).timing
        assert running.connections == 2
    assert timing.connect_us is not None
    assert timing.first_byte_us is not None and timing.first_byte_us >= 90_000


# The Null twin


def test_null_twin_remembers_and_answers() -> None:
    null = NullHttp()
    call = call_to("https://example.com/", b"x")
    assert null.call(call).status == 200
    assert null.calls == [call]
    scripted = NullHttp(
        lambda _call: HttpAnswer(503, b"", truncated=False, retry_after="1", elapsed_seconds=0, address="")
    )
    assert scripted.call(call).status == 503
