"""One dialogue with a FinTS bank: opened with the PIN, TANs answered, and each refusal as one clear sentence.

The PIN is taken when the dialogue begins and never stored. The TAN is asked for while the bank waits for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, ParamSpec, TypeVar

import structlog

from paymatch.domain.bank_feeds.fints import BankQuestion, BankQuestionKind
from paymatch.domain.words.message import Message
from paymatch.outbound.fints.access import BankRefused, FintsAccess, FintsOrderRefused, FintsPerson, check_server_url
from paymatch.outbound.http import HttpDoor

P = ParamSpec("P")
T = TypeVar("T")

_TAN_ASKED_AT_MOST: Final = 20
_APP_ASKED_AT_MOST: Final = 150
_POLL_SECONDS: Final = 3  # where the bank names no other time
_LOCKED: Final = frozenset({"3938", "9930", "9931"})
_TAN_CODES: Final = frozenset({"9941", "9943", "9944", "9945"})
_CLOSED: Final = frozenset({"9800"})
_MAX_PICTURE: Final = 512 * 1024
_PICTURES: Final = (b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff")
_MAX_TEXT: Final = 2000
_BLOT: Final = "•••"
_TAG: Final = re.compile(r"<[^<>]{0,100}>")
_LINE_TAG: Final = re.compile(r"(?i)<\s*(br|p|li)\b[^<>]{0,100}>")

_log = structlog.get_logger("paymatch.fints")


class FintsSession:
    """A dialogue with a bank. BankRefused if there is no product id or the URL is not safe.

    After it `system_id`, `tan_mechanism` and `tan_medium` are what the next one begins with; `tan_given` says whether
    the user has just identified themselves with a TAN.
    """

    def __init__(self, access: FintsAccess, person: FintsPerson, product_id: str, door: HttpDoor) -> None:
        if not product_id:
            raise BankRefused(Message("bank-name-registered-fints-product"))
        check_server_url(access.server_url)
        self._access = access
        self._person = person
        self._product_id = product_id
        self._door = door
        self._refusals: list[tuple[str, str]] = []
        self._connection: Any = None
        self._ours: BaseException | None = None
        self._pin = ""
        self.system_id = access.system_id
        self.tan_mechanism = access.tan_mechanism
        self.tan_medium = access.tan_medium
        self.tan_given = False

    @contextmanager
    def open_dialogue(self) -> Iterator[Any]:
        """The library's client with an open dialogue; BankRefused for any failure of bank or connection."""
        client = self._client()
        try:
            client.fetch_tan_mechanisms()
            self.system_id = client.system_id
            self._choose_way(client)
            client.__enter__()
            try:
                self.answer_tans(client, client.init_tan_response)
                yield client
            finally:
                # A bank ends an unclosed dialogue itself; the earlier error is what counts.
                with suppress(Exception):
                    client.__exit__(None, None, None)
        except BankRefused:
            raise
        except Exception as error:
            if error is self._ours:
                raise
            raise self._refusal(error) from None

    def ours(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """What `call` returns; an exception of it is ours and passes, while those of the library become refusals."""
        try:
            return call(*args, **named)
        except Exception as error:
            self._ours = error
            raise

    def account(self, client: Any, iban: str) -> Any:
        """The account as the bank knows it; BankRefused if it shows the user none of this IBAN."""
        known = self.answer_tans(client, client.get_sepa_accounts())
        found = next((each for each in known if each.iban == iban), None)
        if found is None:
            raise BankRefused(Message("bank-shows-user-no-account", account=iban))
        return found

    def answer_tans(self, client: Any, result: Any, before_tan: Callable[[], None] | None = None) -> Any:
        """The result, once the TANs that the bank wants before it are given; BankRefused if it refused.

        `before_tan` is called before a typed TAN leaves: from then on the bank may act.
        """
        from fints.client import NeedTANResponse  # noqa: PLC0415

        for number in range(_APP_ASKED_AT_MOST):
            self.check_refusals()
            if not isinstance(result, NeedTANResponse):
                return result
            if not result.decoupled and number >= _TAN_ASKED_AT_MOST:
                break
            tan = self.ours(self._person.tan, self._question(result), _wait_seconds(client, result, number))
            if before_tan is not None and not result.decoupled:
                self.ours(before_tan)
            result = client.send_tan(result, "" if result.decoupled else tan)
            self.tan_given = not isinstance(result, NeedTANResponse) and not self._refusals
        raise BankRefused(Message("bank-still-waits-confirmation"))

    def check_refusals(self) -> None:
        """FintsOrderRefused if the bank's answers so far hold a refusal."""
        if not self._refusals:
            return
        codes = {code for code, _ in self._refusals}
        if codes & _TAN_CODES:
            raise FintsOrderRefused(Message("fints-tan-refused", said=self._bank_texts()))
        if codes & _CLOSED:
            raise BankRefused(Message("fints-dialogue-closed"))
        raise FintsOrderRefused(Message("bank-answered-otherwise", why=self._bank_texts()))

    def _client(self) -> Any:
        try:
            from fints.client import FinTS3PinTanClient  # noqa: PLC0415

            from paymatch.outbound.fints.connection import BoundedConnection  # noqa: PLC0415
        except ImportError:
            raise BankRefused(Message("bank-fints-needs-extra-pip")) from None
        access, self._pin = self._access, self._person.pin()
        client = FinTS3PinTanClient(
            access.bank_code,
            access.user,
            self._pin,
            access.server_url,
            tan_medium=access.tan_medium or None,
            system_id=self.system_id or None,
            product_id=self._product_id,
        )
        # The library's own connection waits for ever, and logs what it sends.
        client.connection = self._connection = BoundedConnection(access.server_url, self._door)
        client.add_response_callback(self._note_refusal)
        return client

    def _note_refusal(self, _segment: Any, response: Any) -> None:
        # The library takes a refused order for one without results.
        if response.code.startswith("9"):
            self._refusals.append((response.code, self.without_pin(str(response.text))[:300]))

    def without_pin(self, text: str) -> str:
        """A text of the bank without the PIN: a faulty bank may repeat what it was sent, and its texts are kept."""
        return text.replace(self._pin, _BLOT) if self._pin else text

    def _bank_texts(self) -> str:
        return "; ".join(f"{code} {text}" for code, text in self._refusals)

    def _refusal(self, error: Exception) -> BankRefused:
        """What the library's exception means; for refused orders it raises bare ones, with the whole answer as text."""
        from fints.exceptions import (  # noqa: PLC0415
            FinTSClientPINError,
            FinTSClientTemporaryAuthError,
            FinTSError,
        )

        from paymatch.outbound.fints.connection import FintsUnreachable  # noqa: PLC0415

        codes: frozenset[str] = self._connection.last_codes
        if isinstance(error, FintsUnreachable):
            return BankRefused(error.message)
        if isinstance(error, FinTSClientTemporaryAuthError) or codes & _LOCKED:
            return BankRefused(Message("fints-locked"))
        if isinstance(error, FinTSClientPINError):
            return BankRefused(Message("bank-refuses-pin-was-not"))
        if codes & _CLOSED:
            return BankRefused(Message("fints-dialogue-closed"))
        if self._refusals:
            return FintsOrderRefused(Message("bank-answered-otherwise", why=self._bank_texts()))
        if isinstance(error, FinTSError):
            return BankRefused(Message("bank-answered-otherwise", why=self.without_pin(str(error))[:300]))
        if type(error) is Exception:
            return BankRefused(Message("bank-answered-otherwise", why=Message("bank-order-refused")))
        _log.warning("answer of a FinTS bank not understood", error=type(error).__name__)
        return BankRefused(Message("fints-unreadable"))

    def _choose_way(self, client: Any) -> None:
        """The way to get TANs: what the connection says, else what the person chooses among several."""
        offered = {
            number: str(each.name) for number, each in client.get_tan_mechanisms().items() if number != "999"
        }  # fmt: skip
        if not self.tan_mechanism and len(offered) > 1:
            self.tan_mechanism = self._choose(BankQuestionKind.MECHANISM, offered)
        if self.tan_mechanism:
            if self.tan_mechanism not in offered:
                names = ", ".join(f"{number} ({name})" for number, name in offered.items()) or "none"
                refused = Message("bank-offers-no-tan-mechanism", wanted=repr(self.tan_mechanism), names=names)
                raise BankRefused(refused)
            client.set_tan_mechanism(self.tan_mechanism)
        if not self.tan_medium and offered and client.is_tan_media_required():
            _, media = client.get_tan_media()
            devices = {str(each.tan_medium_name): str(each.tan_medium_name) for each in media if each.tan_medium_name}
            if not devices:
                raise BankRefused(Message("fints-no-medium"))
            one = len(devices) == 1
            self.tan_medium = next(iter(devices)) if one else self._choose(BankQuestionKind.MEDIUM, devices)
            client.selected_tan_medium = self.tan_medium or None

    def _question(self, asked: Any) -> BankQuestion:
        """What the bank asks, as text without markup and with a picture that browsers show."""
        text = _TAG.sub("", _LINE_TAG.sub("\n", self.without_pin(str(asked.challenge or ""))))[:_MAX_TEXT].strip()
        if asked.decoupled:
            return BankQuestion(BankQuestionKind.APP, text)
        picture = bytes(asked.challenge_matrix[1]) if asked.challenge_matrix else b""
        if picture and (len(picture) > _MAX_PICTURE or not picture.startswith(_PICTURES)):
            raise BankRefused(Message("fints-picture-unreadable"))
        return BankQuestion(BankQuestionKind.TAN, text, picture=picture, needs_start_code=bool(asked.challenge_hhduc))

    def _choose(self, kind: BankQuestionKind, options: Mapping[str, str]) -> str:
        return self.ours(self._person.choose, kind, options)


def _wait_seconds(client: Any, asked: Any, number: int) -> int:
    """After how long the bank may be asked whether its app was used; 0: once the person says so."""
    if not asked.decoupled:
        return 0
    way = client.get_tan_mechanisms().get(client.get_current_tan_mechanism())
    if getattr(way, "automated_polling_allowed", None) is False:
        return 0
    wanted = getattr(way, "wait_before_next_poll" if number else "wait_before_first_poll", None)
    return max(1, min(int(wanted or _POLL_SECONDS), 30))
