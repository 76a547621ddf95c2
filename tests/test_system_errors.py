"""Errors of the operating system are shown as sentences, with the file and without numbers."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from paymatch.system_errors import in_a_sentence


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Errno") as missing:
        (tmp_path / "none").read_bytes()
    assert in_a_sentence(missing.value) == f"There is no {tmp_path / 'none'}"
    with pytest.raises(OSError, match="Errno") as folder:
        tmp_path.read_bytes()
    assert in_a_sentence(folder.value) == f"{tmp_path} is a folder, a file is needed"


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_no_number_is_shown_whatever_the_error(number: int) -> None:
    for error in (OSError(number, os.strerror(number)), OSError(number, os.strerror(number), b"/data/x")):
        sentence = in_a_sentence(error)
        assert "Errno" not in sentence and not sentence.isdigit(), sentence


def test_what_was_written_by_hand_stays() -> None:
    assert in_a_sentence(OSError("Cannot listen on 127.0.0.1 port 80")) == "Cannot listen on 127.0.0.1 port 80"
