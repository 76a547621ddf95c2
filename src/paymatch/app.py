"""The whole service put together: settings, database, API, pages, worker; the only module that knows all rooms."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from email.utils import parseaddr
from functools import cache, lru_cache, partial
from multiprocessing.util import Finalize
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import structlog

from paymatch import service_address
from paymatch.api import Api, ApiConfig
from paymatch.api.openapi.document import document
from paymatch.area.application import Area
from paymatch.area.people.first_person import first_link
from paymatch.area.service import SESSION_COOKIE, Service
from paymatch.clock import utc_now
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.shops.shop import Shop
from paymatch.failed_requests import FailedRequests
from paymatch.formats.contract.bodies import read_order
from paymatch.front import (
    THREADS,
    Connections,
    Front,
    Leaving,
    PlainApplication,
    Proxies,
    Room,
    SignedIn,
    allow_connections,
    connection_limit,
    web_server,
)
from paymatch.gc_tuning import collect_rarely
from paymatch.installation import (
    check_secret_keys,
    database_url,
    migrate_and_open,
    note_database,
    open_database,
)
from paymatch.jobs.advice_mails import AdviceMailReader
from paymatch.jobs.worker import Worker
from paymatch.logs import set_up_logs
from paymatch.outbound.account_information import enable_banking
from paymatch.outbound.account_information.gateway import AccountInformationGateway
from paymatch.outbound.connectors.calls import LIMITS
from paymatch.outbound.ebics.http_transport import LIMITS as EBICS_LIMITS
from paymatch.outbound.exports import open_bucket
from paymatch.outbound.files import open_files
from paymatch.outbound.fints.access import LIMITS as FINTS_LIMITS
from paymatch.outbound.http import HttpClient
from paymatch.outbound.letters import open_letters
from paymatch.outbound.mail.mailbox import open_advice_mailbox, open_mailbox
from paymatch.outbound.mail.opening import open_mail
from paymatch.pages import Pages
from paymatch.pages.customers import CustomerPages
from paymatch.pages.customers.app import FORM_BYTES, PREFIX
from paymatch.pages.metrics import ServiceState
from paymatch.settings import Settings
from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.store.sealing import Keyring
from paymatch.store.server.probe import takes_changes
from paymatch.system_errors import in_a_sentence
from paymatch.traces import check_traces, set_up_traces
from paymatch.usecases.bank_feeds.consent_mails import OwnerMail
from paymatch.usecases.bank_feeds.gateway import EbicsGateway
from paymatch.usecases.connectors.gateways import ConnectorGateways
from paymatch.usecases.fints.gateway import FintsGateway
from paymatch.usecases.replays.playing import play
from paymatch.usecases.work import installation
from paymatch.usecases.work.api_requests import RequestRecorder
from paymatch.usecases.work.free_space import service_folders
from paymatch.usecases.work.job_kinds import JobGateways
from paymatch.web import Application

WORKER_REST_SECONDS: Final = 1.0
"""Between the death of the worker and the next one, so that one that cannot start does not take the machine."""

WORKER_SILENT_SECONDS: Final = 300.0
"""A worker that has not looked for work for so long hangs; it looks twice a second, also while the database is away."""

_SILENT_LOOKS: Final = 5
"""So often in a row it has to be silent: a clock that jumps makes it seem so for one look."""

WORKER_STOP_SECONDS: Final = 45.0
"""How long a stopping worker may continue its work in progress; the next one does the rest."""

AREA_BODY_LIMIT: Final = 64_000
"""Bytes of a form of the merchant area from a person who is not signed in."""

_WORKER: Final = Actor(ActorKind.WORKER, "worker")
_log = structlog.get_logger("paymatch")
_PR_SET_PDEATHSIG: Final = 1


def _door(settings: Settings) -> HttpClient:
    """The way out for callbacks."""
    return HttpClient(allow_private=settings.callback_allow_private, further_names=settings.callback_names())


def connector_ways(settings: Settings) -> ConnectorGateways:
    """The way out to shop systems, with answers longer than those to callbacks, and the API's reading of an order."""
    return ConnectorGateways(HttpClient(allow_private=settings.callback_allow_private, limits=LIMITS), read_order)


def ebics_gateway(settings: Settings) -> EbicsGateway:
    """The way out to banks, with answers as long as a segment of statements."""
    return EbicsGateway(HttpClient(allow_private=settings.callback_allow_private, limits=EBICS_LIMITS))


def account_information_gateway(settings: Settings) -> AccountInformationGateway:
    """The way out to providers of account information, with answers as long as a page of transactions."""
    http = HttpClient(allow_private=settings.callback_allow_private, limits=enable_banking.LIMITS)
    return AccountInformationGateway(http, {enable_banking.NAME: settings.enable_banking_url})


def fints_gateway(settings: Settings) -> FintsGateway:
    """The way out to FinTS banks, with answers as long as the statements of 90 days."""
    http = HttpClient(allow_private=settings.callback_allow_private, limits=FINTS_LIMITS)
    return FintsGateway(http, settings.fints_product_id)


def _api_config(settings: Settings, recorder: RequestRecorder) -> ApiConfig:
    return ApiConfig(
        key_headers=tuple(name.lower() for name in ("X-Service-API-Key", *settings.api_key_headers)),
        clock=utc_now,
        invoice_max_bytes=settings.invoice_max_bytes,
        invoice_quota_bytes=settings.invoice_quota_bytes,
        open_door=cache(lambda: _door(settings)),
        address=partial(service_address.address, settings),
        record=recorder.take,
    )


def build(settings: Settings, url: str, port: int, is_leaving: Callable[[], bool], failed: FailedRequests) -> Front:
    """What one server process answers with: the API below /api/, the pages beside it."""
    set_up_logs(settings.log_format, settings.log_level)
    set_up_traces(settings.traces_url, "server")
    keyring = Keyring(settings.secrets())
    database = Database(url, size=THREADS * 2, at_boundary=boundary_from_environment(), keyring=keyring)
    recorder = RequestRecorder(database)
    recorder.start()
    Finalize(None, recorder.stop, exitpriority=0)  # a forked process runs nothing that `atexit` knows
    config = _api_config(settings, recorder)
    files = open_files(settings)
    state = ServiceState(failed.totals, partial(takes_changes, url), service_folders(settings.data_dir))
    pages = PlainApplication(Pages(database, utc_now, settings.metrics_token, document, state), often=True)
    service = Service(
        settings, url, database, utc_now, files, config.open_door, cache(lambda: connector_ways(settings)),
        cache(lambda: ebics_gateway(settings)), cache(lambda: account_information_gateway(settings)),
        cache(lambda: fints_gateway(settings)),
    )  # fmt: skip
    area = Area(service)
    people = SignedIn(SESSION_COOKIE, area.person_of, settings.upload_max_bytes)
    signed_in = PlainApplication(area, body_limit=AREA_BODY_LIMIT, people=people)
    trusts = lru_cache(maxsize=4096)(settings.trusts)
    proxies = Proxies(
        trusts, named=settings.names_proxies, https_needed=settings.require_https,
        local_requests=settings.local_requests, published=settings.base_url.startswith("https://"),
    )  # fmt: skip
    connections = Connections(
        port, per_address=settings.connections_per_address, most=connection_limit(), is_exempt=trusts
    )
    connections.watch()
    api = Api(database, files, config)
    beside: list[tuple[str, Application]] = [
        (path, pages) for path in ("/docs", "/llms.txt", "/metrics", "/healthz", "/readyz", "/favicon.ico", "/static/")
    ]
    customers = PlainApplication(CustomerPages(database, files, utc_now), body_limit=FORM_BYTES, private=True)
    applications: list[tuple[str, Application]] = [
        ("/api/", api), ("/static/area/", PlainApplication(area, often=True)), *beside, (PREFIX, customers),
        ("/", signed_in),
    ]  # fmt: skip
    return Front(applications, proxies, connections, partial(takes_changes, url), Room(), is_leaving, failed)


def serve(
    settings: Settings,
    *,
    host: str,
    port: int,
    workers: int = 1,
    jobs: bool = True,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    says_way_in: bool = True,
) -> None:
    """Runs API, pages and worker until SIGTERM or SIGINT; what is being answered is answered to its end.

    `says_way_in`: prints how to sign in; not where another program does so.
    """
    set_up_logs(settings.log_format, settings.log_level)
    check_traces(settings.traces_url)
    _check_port(host, port)
    signal.signal(signal.SIGTERM, _leave)  # until the server takes the signal over
    with database_url(settings, kept=True, create=True) as given:
        url, applied = migrate_and_open(settings, given)
        check_secret_keys(settings, url)
        note_database(settings)
        _log.info("starting", host=host, port=port, workers=workers, jobs=jobs, migrations=_in_one_line(applied))
        allow_connections()
        server = web_server(host, port, workers, tls_cert, tls_key)
        with service_address.published_address(settings, host, port, tls=tls_cert is not None):
            _print_address(settings, url, says_way_in=says_way_in)
            worker = KeptWorker(url) if jobs else None
            try:
                server.serve(
                    target_loader=partial(_load, settings, url, port, os.getpid(), server.leaving, FailedRequests()),
                    wrap_loader=False,
                )
            finally:
                if worker is not None:
                    worker.stop()
    _log.info("stopped")


def _in_one_line(applied: list[str]) -> str:
    """How many migrations were applied, and up to which."""
    return f"{len(applied)} applied, the last is {applied[-1]}" if applied else "none"


def _print_address(settings: Settings, url: str, *, says_way_in: bool) -> None:
    """Says to the person at the terminal where the service is, and how to get in."""
    address = service_address.address(settings)
    lines = [f"Open {address} in a browser."]
    if says_way_in:
        lines += _way_in(settings, url, address)
    sys.stderr.write("\n".join((*lines, "")))
    sys.stderr.flush()


def _way_in(settings: Settings, url: str, address: str) -> Iterator[str]:
    """The link to the first account while there is none (D-140), and the command for a link to sign in."""
    with closing(Database(url, size=1, keyring=Keyring(settings.secrets()))) as database:
        shops, _names = installation.counts(database)
        is_first = not installation.has_people(database)
    if is_first:
        yield f"To make the first account, within the hour: {first_link(settings.secret(), address, utc_now())}"
    if shops or not is_first:
        way = "--shop SHOP --role owner" if shops else "--staff, and make the first shop there"
        yield f"For a link to sign in: paymatch user create EMAIL {way}"


def _leave(*_: Any) -> None:
    raise SystemExit(0)


def _check_port(host: str, port: int) -> None:
    """OSError if another process listens there: the server's own socket would silently share the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise OSError(f"Cannot listen on {host} port {port}: {in_a_sentence(error).lower()}") from None


def _load(settings: Settings, url: str, port: int, parent: int, leaving: Leaving, failed: FailedRequests) -> Front:
    """Called in each server process."""
    os.setpgid(0, 0)  # Ctrl-C is for the parent, which ends this process once its answers are given
    die_with_parent(parent, at_once=True)
    collect_rarely()
    leaving.watch(port)
    return build(settings, url, port, leaving.has_begun, failed)


def _start_worker(url: str, alive_file: Path) -> subprocess.Popen[bytes]:
    """The worker as a process of its own, so that its work never takes time from the API; it touches `alive_file`."""
    alive_file.touch(mode=0o600)
    environment = os.environ | {"PAYMATCH_DATABASE_URL": url, "PAYMATCH_DATABASE_OWNER_URL": ""}
    command = [sys.executable, "-m", "paymatch", "worker", "--parent", str(os.getpid())]
    command += ["--alive-file", str(alive_file)]
    return subprocess.Popen(command, env=environment, process_group=0)  # noqa: S603  our own command, no shell


def is_silent(alive_file: Path, now: datetime) -> bool:
    """Whether the worker has not touched its file for WORKER_SILENT_SECONDS."""
    try:
        return now.timestamp() - alive_file.stat().st_mtime > WORKER_SILENT_SECONDS
    except OSError:  # who cleans temporary files says nothing of the worker
        return False


class KeptWorker:
    """The worker's process, and a new one when it dies or hangs: without it nothing that is due would be done."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._folder = TemporaryDirectory(prefix="paymatch-worker-")
        self._alive_file = Path(self._folder.name) / "alive"
        self._process = _start_worker(url, self._alive_file)
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="worker keeper", daemon=True)
        self._keeper.start()

    def stop(self) -> None:
        """Ends the worker once its work in progress is recorded; one that takes too long is killed."""
        self._stopping.set()
        self._keeper.join()
        self._process.terminate()
        try:
            self._process.wait(WORKER_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            _log.warning("the worker does not stop and is killed", seconds=WORKER_STOP_SECONDS)
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def _keep(self) -> None:
        silent = 0
        while not self._stopping.wait(WORKER_REST_SECONDS):
            silent = silent + 1 if is_silent(self._alive_file, utc_now()) else 0
            if silent >= _SILENT_LOOKS:
                _log.error("the worker hangs and is killed", seconds=WORKER_SILENT_SECONDS)
                self._process.kill()
                self._process.wait()
            code = self._process.poll()
            if code is not None:
                _log.error("the worker died and is started again", exit_code=code)
                self._process = _start_worker(self._url, self._alive_file)


def die_with_parent(parent: int, *, at_once: bool = False) -> None:
    """Asks the kernel for SIGTERM when the parent is killed, or watches it where the kernel has no such service.

    A server process dies `at_once`: Granian's handler of a second SIGTERM waits for the threads that answer while it
    keeps them from running, and what they had begun would hold its locks on the books for ever.
    """
    number = signal.SIGKILL if at_once else signal.SIGTERM
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)
    threading.Thread(target=_watch, args=(parent, at_once), daemon=True).start()


def _watch(parent: int, at_once: bool) -> None:
    """The kernel's signal may be handled late; the process that is left behind ends anyway."""
    while os.getppid() == parent:
        time.sleep(0.5)
    if not at_once:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(3)
    os._exit(1)


def _play_replay(database: Database, shop: Shop, seconds: float) -> bool:
    return play(database, shop, utc_now, seconds=seconds)


@contextmanager
def open_doors(settings: Settings) -> Iterator[JobGateways]:
    """The gateways of this installation for jobs, for any runner; closed at the end of the block."""
    door, mail, letters = _door(settings), open_mail(settings), open_letters(settings)
    try:
        yield JobGateways(
            transfers=settings.transfers(), mail=mail, base=settings.base_url,
            here=service_address.address(settings), letters=letters,
            files=open_files(settings), collection=settings.collection(), http=door, print_runs=settings.letters(),
            kept_mail=settings.kept_mail(), dropped=settings.drop_dir, exports=settings.exports(),
            bucket=open_bucket(settings), connectors=connector_ways(settings), ebics=ebics_gateway(settings),
            account_information=account_information_gateway(settings),
            owner_mail=OwnerMail(mail, parseaddr(settings.mail_sender())[1], settings.base_url), replay=_play_replay,
        )  # fmt: skip
    finally:
        door.close()
        mail.close()
        if letters is not None:
            letters.close()


def run_worker(settings: Settings, *, once: bool, parent: int = 0, alive_file: Path | None = None) -> None:
    """Does due work until SIGTERM, or with `once` until nothing is due; ends with its parent, if it has one."""
    set_up_logs(settings.log_format, settings.log_level)
    set_up_traces(settings.traces_url, "worker")
    with open_database(settings, actor=_WORKER, size=12, kept=True) as database, open_doors(settings) as doors:
        assert doors.http is not None
        advices = AdviceMailReader(database, open_advice_mailbox(settings), utc_now, settings.advices_mail_host)
        mailbox = open_mailbox(settings)
        worker = Worker(database, doors.http, utc_now, settings.drop_dir, doors, mailbox, advices, alive_file)
        if once:
            worker.drain()
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        if parent:
            die_with_parent(parent)
        worker.run()
