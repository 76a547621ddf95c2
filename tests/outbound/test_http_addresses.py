"""No packet reaches an address that is not allowed: a listener on loopback counts connections."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from paymatch.outbound.http import CallFailed, HttpClient, HttpLimits, NoAnswerReason
from paymatch.outbound.resolving import BoundedResolver, Unresolved
from tests.domain.callbacks.test_receivers import FORBIDDEN_URLS
from tests.fakes.receivers import Receiver, answering, call_to, plain, receiver
from tests.waiting import PATIENCE_SECONDS

LIMITS = HttpLimits(connect_seconds=0.2, total_seconds=0.3, remember_names_seconds=0.0)


@pytest.fixture(scope="module")
def listener() -> Iterator[Receiver]:
    with receiver(answering(plain())) as running:
        yield running


class Answers:
    """A resolver with prepared answers, one after the other; it counts the questions."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def refused(client: HttpClient, url: str) -> str:
    with pytest.raises(CallFailed) as failed:
        client.call(call_to(url, b"{}"))
    assert failed.value.reason == NoAnswerReason.NOT_ALLOWED
    return str(failed.value)


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_no_spelling_reaches_the_listener(listener: Receiver, scheme: str) -> None:
    client = HttpClient(resolver=Answers(["127.0.0.1"]), limits=LIMITS)
    for url in FORBIDDEN_URLS:
        spelling = url.replace("https", scheme, 1)
        refused(client, spelling)
        host, slash, path = spelling.removeprefix(f"{scheme}://").partition("/")
        refused(client, f"{scheme}://{host}:{listener.port}{slash}{path}")
    assert listener.connections == 0


@pytest.mark.parametrize(
    "answer",
    [
        ["127.0.0.1"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["64:ff9b:1::7f00:1"],
        ["2002:7f00:1::"],
        ["2001:0:7f00:1::"],
        ["fe80::1%lo"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["0.0.0.0"],  # noqa: S104
        ["8.8.8.8", "127.0.0.1"],
        ["127.0.0.1", "8.8.8.8"],
        ["2a00:1450:4001:82a::200e", "::1"],
        ["8.8.8.8", "8.8.4.4", "1.1.1.1", "9.9.9.9", "127.0.0.1"],
        ["not an address"],
    ],
)
@pytest.mark.parametrize("host", ["localhost", "inside.example", "foo.localhost.", "127.0.0.1.nip.example"])
def test_name_with_any_forbidden_address_is_refused(listener: Receiver, host: str, answer: list[str]) -> None:
    client = HttpClient(resolver=Answers(answer), limits=LIMITS)
    assert refused(client, f"https://{host}:{listener.port}/").startswith("address not allowed: ")
    assert listener.connections == 0


def test_rebinding_name_is_asked_once_per_call(listener: Receiver) -> None:
    # The checked address is the one that is called (nothing listens there); the next answer counts for the next call
    # only.
    resolver = Answers(["::1"], ["127.0.0.1"], ["169.254.169.254"])
    client = HttpClient(allow_private=True, resolver=resolver, limits=LIMITS)
    url = f"http://rebinding.example:{listener.port}/"
    before = listener.connections
    with pytest.raises(CallFailed) as failed:
        client.call(call_to(url))
    assert failed.value.reason == NoAnswerReason.NOT_CONNECTED
    assert (len(resolver.asked), listener.connections) == (1, before)
    answer = client.call(call_to(url))
    assert (answer.address, len(resolver.asked), listener.connections) == ("127.0.0.1", 2, before + 1)
    assert refused(client, url) == "address not allowed: 169.254.169.254"
    assert (len(resolver.asked), listener.connections) == (3, before + 1)
    client.close()


def test_kept_connection_is_not_used_for_another_address(listener: Receiver) -> None:
    with receiver(answering(plain(), stay=True)) as first:
        resolver = Answers(["127.0.0.1"], ["::1"])
        client = HttpClient(allow_private=True, resolver=resolver, limits=LIMITS)
        client.call(call_to(f"http://moving.example:{first.port}/"))
        with pytest.raises(CallFailed):
            client.call(call_to(f"http://moving.example:{first.port}/"))
        assert len(first.requests) == 1
        client.close()


def test_second_address_is_tried_where_the_first_is_dead() -> None:
    with receiver(answering(plain())) as running:
        patient = replace(LIMITS, total_seconds=10.0)  # what answers has time, however busy the machine is
        client = HttpClient(allow_private=True, resolver=Answers(["::1", "127.0.0.1"]), limits=patient)
        assert client.call(call_to(f"http://two.example:{running.port}/")).address == "127.0.0.1"
        client.close()


@pytest.mark.parametrize("error", [OSError("no such host"), UnicodeError("label too long")])
def test_name_without_address(error: Exception) -> None:
    def resolver(_host: str, _port: int) -> list[str]:
        raise error

    with pytest.raises(CallFailed) as failed:
        HttpClient(resolver=resolver, limits=LIMITS).call(call_to("https://nowhere.example/"))
    assert (failed.value.reason, str(failed.value)) == (
        NoAnswerReason.UNRESOLVED,
        "the name nowhere.example has no address",
    )


def test_hanging_resolver_holds_nobody_up_and_is_asked_once() -> None:
    release = threading.Event()
    asked: list[str] = []

    def resolver(host: str, _port: int) -> list[str]:
        asked.append(host)
        if host == "hanging.example":
            release.wait(PATIENCE_SECONDS)
        return ["192.0.2.1"]

    bounded = BoundedResolver(resolver)
    for _ in range(3):
        with pytest.raises(Unresolved):
            bounded.addresses("hanging.example", 443, 0.02)
    assert bounded.addresses("quick.example", 443, PATIENCE_SECONDS) == ("192.0.2.1",)
    release.set()
    assert bounded.addresses("hanging.example", 443, PATIENCE_SECONDS) == ("192.0.2.1",)
    assert asked == ["hanging.example", "quick.example"]
