"""Logs: one line per event on stderr, bound to its request, without secrets."""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import structlog
from granian.log import LogLevels, configure_logging

from paymatch.front.web_server import WEB_SERVER_LOGS
from paymatch.logs import BLOT, console_line, log_context, set_up_logs


def _lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return [json.loads(line) for line in captured.err.splitlines()]


def test_one_json_line_with_its_request(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("json", "info")
    log = structlog.get_logger()
    with log_context(request_id="r-1"):
        log.info("order stored", number="A-1", count=2)
    log.debug("not told")
    log.info("later")
    first, second = _lines(capsys)
    assert {key: first[key] for key in first if key != "timestamp"} == {
        "event": "order stored",
        "level": "info",
        "number": "A-1",
        "count": 2,
        "request_id": "r-1",
    }
    assert "request_id" not in second


def test_a_line_that_the_disk_does_not_take_is_lost_and_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, every write to a log on a full disk failed: every request, once it was done."""
    with Path("/dev/full").open("w", buffering=1) as full:
        monkeypatch.setattr(sys, "stderr", full)
        set_up_logs("json", "info")
        log = structlog.get_logger()
        log.info("order stored")
        log.exception("request failed")
        log.error("again")
        with suppress(OSError):
            full.close()


def test_what_the_web_server_says_is_a_line_like_ours(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("json", "info")
    configure_logging(LogLevels.warning, WEB_SERVER_LOGS)
    logging.getLogger("_granian").error("Unexpected exit from worker-1")
    (line,) = _lines(capsys)
    assert (line["event"], line["level"]) == ("Unexpected exit from worker-1", "error")


def test_secrets_are_blotted_out(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("json", "info")
    structlog.get_logger().info(
        "call with pm_live_abcdefgh1234",
        api_key="x",
        headers={"Authorization": "Bearer y", "Accept": "text/html"},
        url="postgresql://u:p4ss@db/x",
        texts=["pm_test_abcdefgh1234"],
        path="/p/3JuEYVloRmSqkZjWjMnTKDa5M2IM2CxuZ84s6Hz2MQP9JxuJizOg_Q/paid",
    )
    (line,) = _lines(capsys)
    assert line["event"] == f"call with {BLOT}"
    assert line["api_key"] == BLOT
    assert line["headers"] == {"Authorization": BLOT, "Accept": "text/html"}
    assert line["url"] == f"postgresql://{BLOT}@db/x"
    assert line["texts"] == [BLOT]
    assert line["path"] == f"/p/{BLOT}/paid"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/P/3JuEYVloRmSqkZjWjMnTKDa5M2IM2CxuZ84s6Hz2MQP9", f"/P/{BLOT}"),
        ("/login/link/3JuEYVloRmSqkZjWjMnT", f"/login/link/{BLOT}"),
        ("/login/Invitation/3JuEYVloRmSqkZjWjMnT:x", f"/login/Invitation/{BLOT}"),
        ("/account/password/reset/key/4-cw2ru0-1c41a29c/", f"/account/password/reset/key/{BLOT}/"),
        ("/account/password/reset/key/4-set-password/", f"/account/password/reset/key/{BLOT}/"),
        ("/api/v2/order/A/key/B-2", "/api/v2/order/A/key/B-2"),
    ],
)
def test_links_that_let_somebody_in_are_blotted_out(capsys: pytest.CaptureFixture[str], path: str, told: str) -> None:
    set_up_logs("json", "info")
    structlog.get_logger().info("request", path=path)
    (line,) = _lines(capsys)
    assert line["path"] == told


def test_an_exception_tells_its_trace_and_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("json", "info")
    try:
        int("pm_live_abcdefgh1234")
    except ValueError:
        structlog.get_logger().exception("failed")
    (line,) = _lines(capsys)
    assert f"with base 10: '{BLOT}'" in str(line["exception"])


def test_libraries_speak_up_from_warnings_on(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("json", "info")
    logging.getLogger("library").info("chatter")
    logging.getLogger("library").warning("pool of pm_live_abcdefgh1234 is %s", "full")
    (line,) = _lines(capsys)
    assert (line["event"], line["level"]) == (f"pool of {BLOT} is full", "warning")


def test_console(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("console", "warning")
    structlog.get_logger().info("not told")
    structlog.get_logger().warning("told", number="A-1")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "told" in captured.err
    assert "number=A-1" in captured.err
    assert "not told" not in captured.err


@pytest.mark.parametrize(
    "event",
    [
        {"event": "request", "path": "/api/v2/order/A-1", "status": 200, "ms": 1.25, "shop": None},
        {"event": "it's = odd", "path": "/a b", "text": "x=y", "quoted": "it's", "double": 'say "x"', "list": ["a"]},
        {"event": "a name that is longer than its column is wide", "exception": "Traceback:\n  line"},
    ],
)
def test_a_console_line_is_that_of_structlog(event: dict[str, object]) -> None:
    full = {"timestamp": "2026-03-02T09:30:00Z", "level": "info", **event}
    usual = structlog.dev.ConsoleRenderer(colors=False)
    assert console_line(None, "info", dict(full)) == usual(None, "info", dict(full))


def test_a_value_cannot_begin_a_new_line() -> None:
    line = console_line(None, "info", {"timestamp": "t", "level": "info", "event": "a\nb", "path": "c\nd\u2028"})
    assert line == "t [info     ] 'a\\nb'                         path='c\\nd\\u2028'"
