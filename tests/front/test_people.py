"""The running service and people who are signed in: their uploads are taken, those of strangers are not."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlencode

from tests.front.service import service
from tests.keys import SECRET_KEY

PASSWORD = "correct horse battery"
FORM = "application/x-www-form-urlencoded"


def test_only_people_who_are_signed_in_send_long_forms(migrated_url: str, tmp_path: Path, warm_program: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAYMATCH_")}
    environment |= {"PAYMATCH_DATA_DIR": str(tmp_path / "data")}
    with service(migrated_url, tmp_path, upload_max_bytes="200000") as running:
        command = [str(warm_program), "user", "create", "jana@example.org", "--password-stdin"]
        url = {"PAYMATCH_DATABASE_URL": migrated_url, "PAYMATCH_SECRET_KEY": SECRET_KEY}
        subprocess.run(command, env=environment | url, input=f"{PASSWORD}\n", text=True, check=True)
        page = running.ask("/login")
        (token,) = re.findall(rb'name="csrfmiddlewaretoken" value="(\w+)"', page.body)[:1]
        crumb = page.headers["set-cookie"].partition(";")[0]
        form = {"csrfmiddlewaretoken": token.decode(), "login": "jana@example.org", "password": PASSWORD}
        signed_in = running.ask("/login", "", "POST", urlencode(form).encode(), Cookie=crumb, Content_Type=FORM)
        assert signed_in.status == 302
        (session,) = re.findall(r"paymatch_session=\w+", signed_in.headers["set-cookie"])
        statuses = {
            (who, length): running.ask("/login", "", "POST", b"x" * length, Cookie=cookie, Content_Type=FORM).status
            for who, cookie in {"stranger": crumb, "liar": "paymatch_session=" + "x" * 32, "person": session}.items()
            for length in (70_000, 200_001)
        }
        assert statuses == {
            ("stranger", 70_000): 413, ("stranger", 200_001): 413, ("liar", 70_000): 413, ("liar", 200_001): 413,
            ("person", 70_000): 403, ("person", 200_001): 413,  # 403: it was read, and holds no token
        }  # fmt: skip
