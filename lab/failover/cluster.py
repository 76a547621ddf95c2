"""Three etcd, three Patroni with PostgreSQL, HAProxy and PgBouncer on this machine, from the files of `deploy/ha`."""

from __future__ import annotations

import configparser
import json
import os
import secrets
import shutil
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
import yaml

from lab.failover.processes import HERE, Process, family, kill_tree, signal_all, wait_for
from paymatch.embedded.account import account_for

DEPLOY: Final = Path(__file__).resolve().parents[2] / "deploy" / "ha"
PROGRAMS: Final = ("etcd", "patroni", "patronictl", "haproxy", "pgbouncer")
NODES: Final = (1, 2, 3)
SCOPE: Final = "paymatch"
_FIRST_SECONDS: Final = 120
_HEALTHY_SECONDS: Final = 150


def missing_programs() -> list[str]:
    """What of the cluster is not installed on this machine."""
    return [name for name in PROGRAMS if shutil.which(name) is None] + ([] if _binaries() else ["postgresql"])


def _binaries() -> str:
    """The folder of PostgreSQL's programs, the newest; empty if there is none that paymatch supports."""
    found = [path for number in range(15, 19) if (path := Path(f"/usr/lib/postgresql/{number}/bin")).is_dir()]
    return str(found[-1]) if found else ""


class Cluster:
    """The cluster in `folder`; `base` is the first of its ports."""

    def __init__(self, folder: Path, base: int) -> None:
        self.folder = folder
        self.account = account_for(folder / "none yet", "paymatch")
        if self.account.switch:
            os.chown(folder, self.account.uid, self.account.gid)
            folder.chmod(0o755)
        self.base = base
        self.passwords = {name: secrets.token_hex(12) for name in ("superuser", "replication", "owner", "service")}
        self.primary_port, self.pooler_port = base + 400, base + 432
        self._config = self._written("patroni.yml", self._patroni_file())
        self.etcd = {node: self._etcd(node) for node in NODES}
        self.patroni = {node: self._patroni(node) for node in NODES}
        self.haproxy = self._process("haproxy", ["haproxy", "-db", "-f", str(DEPLOY / "haproxy.cfg")], self._ha_names())
        self.pgbouncer = self._process("pgbouncer", ["pgbouncer", self._pgbouncer_file()], {})

    # Files and processes

    def _written(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text, "utf-8")
        if self.account.switch:
            os.chown(path, self.account.uid, self.account.gid)
        path.chmod(0o600)
        return str(path)

    def _process(self, name: str, command: list[str], environment: dict[str, str]) -> Process:
        return Process(command, self.folder / f"{name}.log", self.account, {**environment, "HOME": str(self.folder)})

    def _patroni_file(self) -> str:
        """The file of `deploy/ha`, with what a cluster beside others needs: its own sockets, and no archive."""
        config = yaml.safe_load((DEPLOY / "patroni.yml").read_text("utf-8"))
        parameters = config["bootstrap"]["dcs"]["postgresql"]["parameters"]
        parameters["archive_command"] = "/bin/true"
        config["postgresql"]["parameters"] = {"unix_socket_directories": str(self.folder), "shared_buffers": "64MB"}
        return str(yaml.safe_dump(config))

    def node_names(self, node: int) -> dict[str, str]:
        """The environment of a node: the names of `deploy/ha/node.env`, on ports of this machine."""
        client, peer = self._port(100, node), self._port(110, node)
        etcd = f"http://{HERE}:{client}"
        return {
            "ETCD_NAME": f"node{node}",
            "ETCD_DATA_DIR": str(self.folder / f"etcd{node}"),
            "ETCD_LISTEN_CLIENT_URLS": etcd,
            "ETCD_ADVERTISE_CLIENT_URLS": etcd,
            "ETCD_LISTEN_PEER_URLS": f"http://{HERE}:{peer}",
            "ETCD_INITIAL_ADVERTISE_PEER_URLS": f"http://{HERE}:{peer}",
            "ETCD_INITIAL_CLUSTER": ",".join(f"node{n}=http://{HERE}:{self._port(110, n)}" for n in NODES),
            "ETCD_INITIAL_CLUSTER_TOKEN": SCOPE,
            "ETCD_HEARTBEAT_INTERVAL": "250",
            "ETCD_ELECTION_TIMEOUT": "2500",
            "PATRONI_NAME": f"node{node}",
            "PATRONI_ETCD3_HOSTS": ",".join(f"{HERE}:{self._port(100, n)}" for n in NODES),
            "PATRONI_RESTAPI_LISTEN": f"{HERE}:{self._port(300, node)}",
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"{HERE}:{self._port(300, node)}",
            "PATRONI_POSTGRESQL_LISTEN": f"{HERE}:{self._port(200, node)}",
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"{HERE}:{self._port(200, node)}",
            "PATRONI_POSTGRESQL_DATA_DIR": str(self.folder / f"data{node}"),
            "PATRONI_POSTGRESQL_BIN_DIR": _binaries(),
            "PATRONI_POSTGRESQL_PGPASS": str(self.folder / f"pgpass{node}"),
            "PATRONI_SUPERUSER_USERNAME": "postgres",
            "PATRONI_SUPERUSER_PASSWORD": self.passwords["superuser"],
            "PATRONI_REPLICATION_USERNAME": "replicator",
            "PATRONI_REPLICATION_PASSWORD": self.passwords["replication"],
            "PATRONI_REWIND_USERNAME": "rewinder",
            "PATRONI_REWIND_PASSWORD": self.passwords["replication"],
        }

    def _port(self, kind: int, node: int) -> int:
        return self.base + kind + node

    def _etcd(self, node: int) -> Process:
        names = {name: value for name, value in self.node_names(node).items() if name.startswith("ETCD_")}
        return self._process(f"etcd{node}", ["etcd"], names)

    def _patroni(self, node: int) -> Process:
        names = {name: value for name, value in self.node_names(node).items() if name.startswith("PATRONI_")}
        return self._process(f"patroni{node}", ["patroni", self._config], names)

    def _ha_names(self) -> dict[str, str]:
        nodes = {f"HA_NODE{node}": f"{HERE}:{self._port(200, node)}" for node in NODES}
        checks = {f"HA_CHECK{node}": str(self._port(300, node)) for node in NODES}
        return {"HA_LISTEN": f"{HERE}:{self.primary_port}", **nodes, **checks}

    def _pgbouncer_file(self) -> str:
        config = configparser.ConfigParser(interpolation=None)
        config.read(DEPLOY / "pgbouncer.ini", "utf-8")
        users = self._written("userlist.txt", f'"paymatch_service" "{self.passwords["service"]}"\n')
        entry = config["databases"]["paymatch"]
        config["databases"]["paymatch"] = entry.replace("port=5000", f"port={self.primary_port}")
        config["pgbouncer"].update(listen_port=str(self.pooler_port), auth_file=users)
        path = self.folder / "pgbouncer.ini"
        with path.open("w", encoding="utf-8") as file:
            config.write(file)
        return self._written(path.name, path.read_text("utf-8"))

    # Life

    def start(self) -> None:
        """Starts all of it, and makes roles and database."""
        for process in (*self.etcd.values(), *self.patroni.values(), self.haproxy):
            process.start()
        wait_for("first primary and two standbys", self.is_healthy, _FIRST_SECONDS)
        wait_for("HAProxy leads to the primary", self._leads_to_primary, 30)
        self._make_roles()
        self.pgbouncer.start()

    def stop(self) -> None:
        """Ends all of it."""
        for process in (self.pgbouncer, self.haproxy):
            process.kill()
        for node in NODES:
            self.kill_node(node)
        for process in self.etcd.values():
            process.kill()

    def _make_roles(self) -> None:
        command = [
            f"{_binaries()}/psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.url("postgres", "superuser", "postgres"),
            "-v", f"owner_password={self.passwords['owner']}", "-v", f"service_password={self.passwords['service']}",
            "-f", str(DEPLOY.parent / "postgresql" / "roles.sql"),
        ]  # fmt: skip
        subprocess.run(command, check=True)

    def url(self, user: str, password: str, database: str = SCOPE, hosts: str = "", query: str = "") -> str:
        """URL of the database; without `hosts` by HAProxy."""
        place = hosts or f"{HERE}:{self.primary_port}"
        return f"postgresql://{user}:{self.passwords[password]}@{place}/{database}{query}"

    @property
    def by_pooler(self) -> str:
        """The service's URL by PgBouncer, in transaction mode."""
        return self.url("paymatch_service", "service", hosts=f"{HERE}:{self.pooler_port}")

    @property
    def by_hosts(self) -> str:
        """The service's URL that names all nodes."""
        hosts = ",".join(f"{HERE}:{self._port(200, node)}" for node in NODES)
        return self.url("paymatch_service", "service", hosts=hosts, query="?target_session_attrs=read-write")

    def _leads_to_primary(self) -> bool:
        try:
            with psycopg.connect(self.url("postgres", "superuser", "postgres"), connect_timeout=2) as connection:
                row = connection.execute("SELECT NOT pg_is_in_recovery() AS is_primary").fetchone()
                return row is not None and bool(row[0])
        except psycopg.Error:
            return False

    # What Patroni says

    def members(self) -> list[dict[str, Any]]:
        """The members as the first node that answers sees them."""
        for node in NODES:
            try:
                with urllib.request.urlopen(f"http://{HERE}:{self._port(300, node)}/cluster", timeout=2) as answer:
                    return list(json.load(answer)["members"])
            except (OSError, ValueError, KeyError):
                continue
        return []

    def roles(self) -> dict[str, int]:
        """Node of each role: leader, sync_standby, and the replica that is none."""
        return {str(member["role"]): int(str(member["name"])[-1]) for member in self.members()}

    def is_healthy(self) -> bool:
        """A primary, and two standbys that follow it, one of them synchronous."""
        members = self.members()
        return (
            sorted(str(member.get("role")) for member in members) == ["leader", "replica", "sync_standby"]
            and all(member.get("state") in ("running", "streaming") for member in members)
            and len({member.get("timeline") for member in members}) == 1
            and all(isinstance(member.get("lag", 0), int) for member in members)
            and self._synchronous()
        )

    def _synchronous(self) -> bool:
        """Whether the primary itself says that a standby follows it synchronously, and another one."""
        try:
            port = self._port(200, self.roles()["leader"])
            url = self.url("postgres", "superuser", "postgres", hosts=f"{HERE}:{port}")
            with psycopg.connect(url, connect_timeout=2) as connection:
                rows = connection.execute("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")
                return sorted(str(row[0]) for row in rows) == ["async", "sync"]
        except (psycopg.Error, KeyError):
            return False

    def wait_until_healthy(self) -> float:
        """Seconds until all three nodes are as they shall be."""
        return wait_for("healthy cluster", self.is_healthy, _HEALTHY_SECONDS)

    # What happens to it

    def postmaster(self, node: int) -> int | None:
        """Id of the node's PostgreSQL; None if there is none."""
        try:
            return int((self.folder / f"data{node}" / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def kill_postgres(self, node: int) -> None:
        """kill -9 of PostgreSQL and all its processes, if it runs; its Patroni lives."""
        pid = self.postmaster(node)
        if pid is not None and _is_postgres(pid):
            kill_tree(pid)
            wait_for("end of PostgreSQL", lambda: not Path(f"/proc/{pid}").exists(), 10)

    def kill_node(self, node: int) -> None:
        """The machine is gone: Patroni and PostgreSQL, without a last word."""
        self.patroni[node].kill()
        self.kill_postgres(node)

    @contextmanager
    def frozen(self, node: int) -> Iterator[None]:
        """The machine hangs during the block; then it goes on, and believes that no time has passed."""
        pid = self.postmaster(node)
        pids = [*family(self.patroni[node].pid), *(family(pid) if pid is not None else ())]
        signal_all(pids, signal.SIGSTOP)
        try:
            yield
        finally:
            signal_all(pids, signal.SIGCONT)

    def switch_over(self) -> None:
        """Has another node become the primary, as an operator does before maintenance."""
        command = ["patronictl", "-c", self._config, "switchover", SCOPE, "--force"]
        names = {name: value for name, value in self.node_names(1).items() if name.startswith("PATRONI_")}
        who: dict[str, Any] = self.account.popen_arguments()
        environment = {**os.environ, **names, "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd="/", **who)
        if done.returncode != 0 or "Switchover failed" in done.stdout:
            raise RuntimeError(f"patronictl: {done.stdout[-500:]} {done.stderr[-500:]}")


def _is_postgres(pid: int) -> bool:
    """Whether the id still is a PostgreSQL's: a file may be older than what runs now."""
    try:
        return "postgres" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False
