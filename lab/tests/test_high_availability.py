"""The files of `deploy/ha` fit each other, the service and what `make ha` plays with them."""

from __future__ import annotations

import configparser
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from lab.failover.cluster import Cluster
from lab.failover.events import MOVES, OTHERS, kinds, longest_gap
from lab.failover.load import Acknowledged

from paymatch.store.row_security import ROLES
from paymatch.store.server.pooler import STARTUP
from paymatch.store.service_role import service_role

ROOT = Path(__file__).resolve().parents[2]
HA = ROOT / "deploy" / "ha"
PATRONI: dict[str, Any] = yaml.safe_load((HA / "patroni.yml").read_text("utf-8"))
POOLER = configparser.ConfigParser(interpolation=None)
POOLER.read(HA / "pgbouncer.ini", "utf-8")
NODE = dict(re.findall(r"^([A-Z0-9_]+)=(.*)$", (HA / "node.env").read_text("utf-8"), re.MULTILINE))
PAGE = (ROOT / "docs" / "high-availability.md").read_text("utf-8")


def test_what_is_acknowledged_is_stored_twice() -> None:
    dcs = PATRONI["bootstrap"]["dcs"]
    assert (dcs["synchronous_mode"], dcs["synchronous_mode_strict"], dcs["synchronous_node_count"]) == (True, True, 1)
    assert dcs["postgresql"]["parameters"]["synchronous_commit"] == "on"


def test_a_dead_primary_is_replaced_within_half_a_minute() -> None:
    dcs = PATRONI["bootstrap"]["dcs"]
    assert dcs["ttl"] >= dcs["loop_wait"] + 2 * dcs["retry_timeout"]
    assert dcs["ttl"] + 2 * dcs["loop_wait"] < 30


def test_ports_agree() -> None:
    addresses = {name: value.rpartition(":")[2] for name, value in NODE.items() if name.endswith("_ADDRESS")}
    assert addresses == {"PATRONI_RESTAPI_CONNECT_ADDRESS": "8008", "PATRONI_POSTGRESQL_CONNECT_ADDRESS": "5432"}
    assert PATRONI["restapi"]["listen"].endswith(":8008")
    assert PATRONI["postgresql"]["listen"].endswith(":5432")
    etcd = {address.rpartition(":")[2] for address in NODE["PATRONI_ETCD3_HOSTS"].split(",")}
    assert etcd == {NODE["ETCD_ADVERTISE_CLIENT_URLS"].rpartition(":")[2]}
    behind = re.fullmatch(r"host=127\.0\.0\.1 port=(\d+) dbname=paymatch", POOLER["databases"]["paymatch"])
    assert behind is not None
    assert f"HA_LISTEN=127.0.0.1:{behind[1]}" in PAGE
    assert "HA_NODE1=10.0.0.1:5432" in PAGE
    assert "HA_CHECK1=8008" in PAGE
    assert f"@127.0.0.1:{POOLER['pgbouncer']['listen_port']}/paymatch" in PAGE


def test_archive_is_of_the_cluster_and_a_minute_old_at_most() -> None:
    stanza = configparser.ConfigParser(interpolation=None)
    stanza.read(ROOT / "deploy" / "pgbackrest" / "pgbackrest.conf", "utf-8")
    parameters = PATRONI["bootstrap"]["dcs"]["postgresql"]["parameters"]
    assert parameters["archive_command"] == "pgbackrest --stanza=paymatch archive-push %p"
    assert (parameters["archive_mode"], parameters["archive_timeout"]) == ("on", 60)
    assert stanza["paymatch"]["pg1-path"] == NODE["PATRONI_POSTGRESQL_DATA_DIR"]
    assert stanza["paymatch"]["pg1-port"] == NODE["PATRONI_POSTGRESQL_CONNECT_ADDRESS"].rpartition(":")[2]


def test_pooler_takes_what_the_service_asks_for() -> None:
    assert STARTUP.startswith("-c ")
    assert "options" in POOLER["pgbouncer"]["ignore_startup_parameters"].split(",")
    assert POOLER["pgbouncer"]["pool_mode"] == "transaction"


def test_roles_are_those_of_the_service() -> None:
    text = (ROOT / "deploy" / "postgresql" / "roles.sql").read_text("utf-8")
    assert set(re.findall(r"CREATE ROLE (\w+)", text)) == {"paymatch", service_role("paymatch"), *ROLES}
    assert f"GRANT {', '.join(ROLES)} TO {service_role('paymatch')};" in text


@pytest.mark.skipif(shutil.which("patroni") is None, reason="needs Patroni")
def test_patroni_understands_its_file() -> None:
    names = {name: value for name, value in NODE.items() if name.startswith("PATRONI_")}
    names |= {"PATRONI_POSTGRESQL_DATA_DIR": "/nonexistent"}
    done = subprocess.run(
        ["patroni", "--validate-config", str(HA / "patroni.yml")], env={**os.environ, **names}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    told = [
        line for line in (done.stdout + done.stderr).splitlines() if "bin_dir" not in line and "connect" not in line
    ]
    assert [line for line in told if "synchronous" in line or "unknown" in line.lower()] == []


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="needs HAProxy")
def test_haproxy_understands_its_file() -> None:
    names = {f"HA_NODE{node}": f"127.0.0.1:{5000 + node}" for node in (1, 2, 3)}
    names |= {f"HA_CHECK{node}": "8008" for node in (1, 2, 3)} | {"HA_LISTEN": "127.0.0.1:5000"}
    done = subprocess.run(
        ["haproxy", "-c", "-f", str(HA / "haproxy.cfg")], env={**os.environ, **names}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr


def test_make_ha_names_what_a_node_is_told(tmp_path: Path) -> None:
    named = set(Cluster(tmp_path, 15000).node_names(1))
    assert named == set(NODE)


def test_rounds_move_the_primary_as_often_as_asked() -> None:
    played = list(kinds(40, random.Random(1)))
    assert sum(kind in MOVES for kind in played) == 40
    assert sum(kind in OTHERS for kind in played) == 8
    assert set(played[:24]) >= set(MOVES)


def test_gap_is_the_longest_time_without_an_answer() -> None:
    told = [Acknowledged(at, 0) for at in (1.0, 2.0, 9.5, 9.6, 12.0)]
    assert longest_gap(told, 2.5, 10.0) == 7.5
    assert longest_gap(told, 9.55, 12.0) == 2.4
    assert longest_gap(told[:2], 2.5, 10.0) == 8.0
