"""Due work of shops: planned for all, done once by many, backing off alone, taken over from the dead."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.shops.shop_jobs import spread_over_hour
from paymatch.jobs.shop_jobs import ShopJobRunner
from paymatch.store.database import Database
from paymatch.store.transactions import LockNotAcquired, ShopId
from paymatch.store.work import shop_jobs as store
from paymatch.usecases.shops import shops
from paymatch.usecases.work import job_kinds, shop_jobs
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from paymatch.usecases.work.job_kinds import BY_NAME, Done, JobGateways, JobKind
from paymatch.usecases.work.sandbox_clock import hold_due_work
from paymatch.usecases.work.shop_jobs import JobOutcome, Ran
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import START, World, new_world

Do = Callable[[Shop], Done]
HOURLY = timedelta(hours=1)


@pytest.fixture
def world(migrated_url: str) -> Iterator[World]:
    database = Database(migrated_url, size=8, keyring=KEYRING)
    yield new_world(database)
    database.close()


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Callable[[Do], JobKind]:
    """Makes `do` the only kind of work there is, due every hour."""

    def add(do: Do) -> JobKind:
        kind = JobKind("probe", lambda _shop, now: now + HOURLY, lambda _database, _doors, shop, _clock: do(shop))
        for name in list(BY_NAME):
            monkeypatch.delitem(BY_NAME, name)
        monkeypatch.setitem(BY_NAME, "probe", kind)
        return kind

    return add


def runner(world: World) -> ShopJobRunner:
    return ShopJobRunner(world.database, JobGateways(), world.clock)


def run(world: World, kind: JobKind) -> Ran | None:
    with capture_logs():
        return shop_jobs.run(world.database, JobGateways(), world.id, kind, world.clock)


def planned(world: World) -> dict[str, datetime | None]:
    return {row.kind: row.due_at for row in shop_jobs.jobs(world.database, world.shop)}


def test_every_shop_has_every_kind(world: World) -> None:
    assert [kind.name for kind in job_kinds.KINDS] == [
        "refund-run",
        "matching",
        "mail",
        "refund-requests",
        "letters",
        "connectors",
        "replay",
        "ebics",
        "account-information",
        "print-run",
        "exports",
        "collection",
        "alerts",
        "search",
        "order-keys",
        "retention",
    ]
    found = planned(world)
    with world.database.of_shop(world.id) as tx:
        own = spread_over_hour(time(0), tx.shop)
    later = timedelta(minutes=own.minute, seconds=own.second)
    this_hour = world.now.replace(minute=own.minute, second=own.second, microsecond=0)
    assert found == {
        "alerts": datetime.fromisoformat("2026-03-03T05:00:00+00:00") + later,
        "collection": datetime.fromisoformat("2026-03-02T10:00:00+00:00") + later,
        "connectors": None,
        "account-information": None,
        "ebics": None,
        "exports": None,
        "mail": None,
        "letters": None,
        "matching": None,
        "order-keys": datetime.fromisoformat("2026-04-01T04:00:00+00:00") + later,
        "print-run": None,
        "refund-requests": None,
        "replay": None,
        "refund-run": datetime.fromisoformat("2026-03-03T07:00:00+00:00"),
        "retention": datetime.fromisoformat("2026-03-03T05:00:00+00:00") + later,
        "search": this_hour if this_hour > world.now else this_hour + timedelta(hours=1),
    }


def test_morning_jobs_of_many_shops_are_spread_over_their_hour(world: World) -> None:
    with world.database.of_shop(world.id) as tx:
        shop = tx.shop
    moments = [spread_over_hour(time(6), replace(shop, id=UUID(int=number))) for number in range(6_000)]
    assert {moment.hour for moment in moments} == {6}
    assert all(60 < count < 150 for count in Counter(moment.minute for moment in moments).values())
    assert len({moment.minute for moment in moments}) == 60
    assert spread_over_hour(time(6), shop) == spread_over_hour(time(6), shop)
    assert spread_over_hour(time(6), replace(shop, sandbox=True)) == time(6)


def test_idle_jobs_are_logged_at_debug_and_others_at_info(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for idle, level in ((True, "debug"), (False, "info")):
        kind = JobKind("retention", lambda _shop, now: now + HOURLY, lambda *_, idle=idle: Done("words", idle=idle))
        with capture_logs() as lines:
            shop_jobs.run(world.database, JobGateways(), world.id, kind, world.clock, early=True)
        assert [line["log_level"] for line in lines if line["event"] == "job done"] == [level]


def test_a_shop_in_which_nothing_happens_has_idle_jobs_only(world: World) -> None:
    with capture_logs() as lines:
        for kind in job_kinds.KINDS:
            if kind.name not in ("mail", "refund-requests"):  # they need a mail server
                shop_jobs.run(world.database, JobGateways(), world.id, kind, world.clock, early=True)
    assert {line["log_level"] for line in lines if line["event"] == "job done"} == {"debug"}


def test_shops_from_before_get_rows_and_what_they_missed(world: World) -> None:
    runner(world).drain()
    world.rows("DELETE FROM shop_jobs WHERE shop_id = $1 AND kind <> 'alerts' RETURNING kind")
    world.pass_time(days=10)
    later = shops.create(world.database, "Later", world.now).shop
    runner(world).drain()
    rows = world.rows("SELECT kind, done FROM shop_jobs WHERE shop_id = $1 ORDER BY 1")
    assert rows == [
        ("account-information", 0),
        ("alerts", 1),
        ("collection", 1),
        ("connectors", 0),
        ("ebics", 0),
        ("exports", 0),
        ("letters", 0),
        ("mail", 0),
        ("matching", 0),
        ("order-keys", 0),
        ("print-run", 0),
        ("refund-requests", 0),
        ("refund-run", 1),
        ("replay", 0),
        ("retention", 1),
        ("search", 1),
    ]
    with world.database.of_shop(later) as tx:
        assert [(row.kind, row.done) for row in store.rows(tx)] == [
            ("account-information", 0),
            ("alerts", 0),
            ("collection", 0),
            ("connectors", 0),
            ("ebics", 0),
            ("exports", 0),
            ("letters", 0),
            ("mail", 0),
            ("matching", 0),
            ("order-keys", 0),
            ("print-run", 0),
            ("refund-requests", 0),
            ("refund-run", 0),
            ("replay", 0),
            ("retention", 0),
            ("search", 0),
        ]


def test_planning_in_many_processes_at_once_makes_one_row(world: World) -> None:
    threads = [threading.Thread(target=shop_jobs.plan, args=(world.database,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.rows("SELECT count(*) FROM shop_jobs WHERE shop_id = $1") == [(16,)]


def test_workers_side_by_side_do_each_job_once(world: World, probe: Callable[[Do], JobKind]) -> None:
    others = [shops.create(world.database, f"Shop {place}", START).shop for place in range(30)]
    done: Counter[str] = Counter()

    def do(shop: Shop) -> Done:
        done[str(shop.id)] += 1
        return Done()

    probe(do)
    world.pass_time(hours=2)
    runners = [threading.Thread(target=runner(world).drain) for _ in range(4)]
    with capture_logs():
        for each in runners:
            each.start()
        for each in runners:
            each.join()
    assert done == Counter({str(shop.id): 1 for shop in [world.shop, *others]})


def test_failing_job_backs_off_is_seen_and_holds_up_no_other(world: World, probe: Callable[[Do], JobKind]) -> None:
    other = shops.create(world.database, "Healthy", START).shop
    healthy: list[datetime] = []

    def do(shop: Shop) -> Done:
        if shop.id == other.id:
            healthy.append(world.now)
            return Done("fine")
        raise OSError("the disk\nis full")

    kind = probe(do)
    shop_jobs.plan(world.database)
    tried = []
    for _ in range(6 * 60 + 1):
        world.pass_time(minutes=1)
        before = len(world.rows("SELECT 1 FROM shop_jobs WHERE shop_id = $1 AND failed > 0"))
        failed = world.rows("SELECT failed FROM shop_jobs WHERE shop_id = $1")[0][0]
        with capture_logs():
            runner(world).drain()
        if world.rows("SELECT failed FROM shop_jobs WHERE shop_id = $1")[0][0] != failed:
            tried.append((world.now - START) // timedelta(minutes=1))
        assert before in (0, 1)
    assert tried == [60, 61, 66, 96, 216, 336]
    assert [(moment - START) // HOURLY for moment in healthy] == [1, 2, 3, 4, 5, 6]
    (row,) = shop_jobs.jobs(world.database, world.shop)
    assert (row.failures, row.failed, row.done, row.last_error) == (6, 6, 0, "OSError: the disk is full")
    assert row.state(world.now, world.now) == "failing"
    (alert,) = list_alerts(world.database, world.shop)
    assert (alert["kind"], alert["subject"]) == ("job-failing", "probe 2026-03-02T10:30:00")
    assert alert["text"] == (
        "Job probe has failed 3 times since 2026-03-02 10:30 UTC, most recently with: OSError: the disk is full"
    )
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert keep_alerts(tx) == (0, 0)
    mended = JobKind(kind.name, kind.next_at, lambda *_: Done("mended"))
    world.pass_time(hours=2)
    assert run(world, mended) == Ran(JobOutcome.DONE, "mended")
    assert list_alerts(world.database, world.shop) == []
    (row,) = shop_jobs.jobs(world.database, world.shop)
    assert (row.failures, row.failing_since, row.last_error, row.last_result, row.due_at) == (
        0, None, "", "mended", world.now + HOURLY,
    )  # fmt: skip


def test_what_other_work_holds_up_stays_due_and_is_no_failure(world: World, probe: Callable[[Do], JobKind]) -> None:
    tried: list[int] = []

    def do(_shop: Shop) -> Done:
        tried.append(1)
        raise LockNotAcquired

    kind = probe(do)
    shop_jobs.plan(world.database)
    world.pass_time(hours=2)
    assert run(world, kind) == Ran(JobOutcome.BUSY, "other work holds what it needs")
    runner(world).drain()  # ends anyway
    assert len(tried) == 2
    (row,) = shop_jobs.jobs(world.database, world.shop)
    assert (row.failures, row.failed, row.claimed_until, row.due_at) == (0, 0, None, START + HOURLY)


def test_drain_tries_again_what_one_of_its_own_jobs_may_have_held_up(
    world: World, probe: Callable[[Do], JobKind]
) -> None:
    other = new_world(world.database)
    tried: list[str] = []

    def do(shop: Shop) -> Done:
        tried.append(str(shop.id))
        if len(tried) == 1:
            raise LockNotAcquired
        return Done("done")

    probe(do)
    world.pass_time(hours=2)
    runner(world).drain()
    done = [row.last_result for each in (world, other) for row in shop_jobs.jobs(world.database, each.shop)]
    assert (len(tried), done) == (3, ["done", "done"])


def test_job_of_the_dead_is_done_once_its_claim_has_run_out(world: World, probe: Callable[[Do], JobKind]) -> None:
    class Killed(BaseException):
        pass

    def die(_shop: Shop) -> Done:
        raise Killed

    kind = probe(die)
    shop_jobs.plan(world.database)
    world.pass_time(hours=2)
    with pytest.raises(Killed):
        run(world, kind)
    mended = JobKind(kind.name, kind.next_at, lambda *_: Done("done"))
    world.pass_time(seconds=119)
    assert run(world, mended) is None
    with world.database.of_all_shops() as tx:
        assert store.due(tx, world.now, ["probe"], 10) == []
    world.pass_time(seconds=1)
    assert run(world, mended) == Ran(JobOutcome.DONE, "done")


def test_who_has_lost_the_job_records_nothing(world: World, probe: Callable[[Do], JobKind]) -> None:
    def do(_shop: Shop) -> Done:
        world.pass_time(minutes=3)
        assert run(world, JobKind("probe", lambda _shop, now: now + HOURLY, lambda *_: Done("second"))) == Ran(
            JobOutcome.DONE, "second"
        )
        return Done("first")

    kind = probe(do)
    shop_jobs.plan(world.database)
    world.pass_time(hours=2)
    assert run(world, kind) == Ran(JobOutcome.LOST)
    (row,) = shop_jobs.jobs(world.database, world.shop)
    assert (row.done, row.last_result) == (1, "second")


def test_claim_of_a_long_job_is_renewed(
    world: World, probe: Callable[[Do], JobKind], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shop_jobs, "LEASE", timedelta(seconds=0.2))
    seen: list[object] = []

    def do(_shop: Shop) -> Done:
        seen.append(world.rows("SELECT claimed_until FROM shop_jobs WHERE shop_id = $1")[0][0])
        world.pass_time(seconds=60)
        while (until := world.rows("SELECT claimed_until FROM shop_jobs WHERE shop_id = $1")[0][0]) == seen[0]:
            pass
        seen.append(until)
        return Done()

    kind = probe(do)
    shop_jobs.plan(world.database)
    world.pass_time(hours=2)
    assert run(world, kind) == Ran(JobOutcome.DONE)
    began = START + timedelta(hours=2)
    assert seen == [began + timedelta(seconds=0.2), began + timedelta(seconds=60.2)]


def test_job_that_is_asked_for_while_it_is_done_is_done_once_more(world: World, probe: Callable[[Do], JobKind]) -> None:
    count = [0]

    def do(_shop: Shop) -> Done:
        count[0] += 1
        if count[0] == 1:
            with world.database.of_shop(world.id) as tx:
                store.wake(tx, "probe", world.now)
        return Done()

    probe(do)
    shop_jobs.plan(world.database)
    world.pass_time(hours=2)
    with capture_logs():
        runner(world).drain()
    assert count == [2]


def test_job_that_has_more_to_do_is_done_again_at_once(world: World, probe: Callable[[Do], JobKind]) -> None:
    left = [3]

    def do(_shop: Shop) -> Done:
        left[0] -= 1
        return Done(again=left[0] > 0)

    probe(do)
    shop_jobs.plan(world.database)
    world.pass_time(hours=2)
    with capture_logs():
        runner(world).drain()
    assert left == [0]


def test_shop_that_is_not_active_is_passed_over(world: World, probe: Callable[[Do], JobKind]) -> None:
    kind = probe(lambda _shop: pytest.fail("not for paused shops"))
    shop_jobs.plan(world.database)
    with world.database.of_shop(world.shop) as tx:
        shops.change(tx, {"status": ShopStatus.PAUSED})
    world.pass_time(hours=2)
    assert run(world, kind) == Ran(JobOutcome.DONE, "the shop is paused")


def test_workers_leave_a_shop_alone_whose_clock_is_moved(world: World, probe: Callable[[Do], JobKind]) -> None:
    kind = probe(lambda _shop: Done("moved"))
    sandbox = ShopId(shops.create(world.database, "Sandbox", START, sandbox=True).shop.id)
    with world.database.of_shop(sandbox) as tx:
        store.add(tx, "probe", START)
        tx.run("UPDATE shops SET sandbox_now = sandbox_now + interval '2 hours' WHERE shop_id = $1", sandbox)
    with capture_logs(), hold_due_work(world.database, shops.find(world.database, str(sandbox)), world.clock):
        with world.database.of_all_shops() as tx:
            assert store.due(tx, world.now, ["probe"], 10) == []
        assert shop_jobs.run(world.database, JobGateways(), sandbox, kind, world.clock) is None
        ran = shop_jobs.run(world.database, JobGateways(), sandbox, kind, world.clock, holding=True)
        assert ran == Ran(JobOutcome.DONE, "moved")


def test_matching_that_fails_backs_off_and_is_seen_like_other_jobs(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [True]

    def match(*_: object) -> Done:
        if broken[0]:
            raise ValueError("a bug")
        return job_kinds.MATCHING.do(world.database, JobGateways(), world.shop, world.now)

    monkeypatch.setattr(
        shop_jobs, "MATCHING", JobKind("matching", lambda _shop, _now: None, match, frozenset(ShopStatus))
    )
    with world.database.of_shop(world.id) as tx:
        tx.run(
            "INSERT INTO postings (shop_id, id, import_id, statement_id, account, currency, digits, amount_minor,"
            " booking_date, bank_reference, entry_reference, batch_id, is_return, end_to_end_id, counterparty_name,"
            " counterparty_iban, remittance, facts, source, format, status, rematch_at, created_at) VALUES ($1, 'p',"
            " '', '', 'A', 'EUR', 2, 100, '2026-03-02', '', '', '', false, '', '', '', '', $2, 'FINAL', 'x',"
            " 'unmatched', $3, $3)",
            world.id,
            '{"account":"A","currency":"EUR","amount_minor":100,"booking_date":"2026-03-02"}',
            START,
        )
    tried = []
    with capture_logs():
        for minute in range(10):
            runner(world).drain()
            tried.append((minute, world.rows("SELECT failed FROM shop_jobs WHERE shop_id = $1 AND kind = 'matching'")))
            world.pass_time(minutes=1)
        assert [count for _, [(count,)] in tried] == [1, 2, 2, 2, 2, 2, 3, 3, 3, 3]
        (row,) = shop_jobs.jobs(world.database, world.shop, "matching")
        assert (row.failures, row.last_error) == (3, "ValueError: a bug")
        broken[0] = False
        world.pass_time(minutes=30)
        runner(world).drain()
    (row,) = shop_jobs.jobs(world.database, world.shop, "matching")
    assert (row.failures, row.due_at, row.last_result) == (0, None, "1 posting, 0 matched, 0 suggested")
    assert list_alerts(world.database, world.shop) == []
