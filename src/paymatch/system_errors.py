"""Errors of the operating system in whole sentences: which file or address, what is wrong with it."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import Final

_SENTENCES: Final[Mapping[int, str]] = {
    errno.ENOENT: "There is no {path}",
    errno.EACCES: "The account that runs paymatch may not use {path}: look at its owner and mode",
    errno.EPERM: "The account that runs paymatch may not change {path}",
    errno.EISDIR: "{path} is a folder, a file is needed",
    errno.ENOTDIR: "{path} leads through a file that is no folder",
    errno.EEXIST: "{path} exists already",
    errno.ENOTEMPTY: "The folder {path} is not empty",
    errno.ENOSPC: "No space is left on the disk of {path}",
    errno.EDQUOT: "The quota of the account for the disk of {path} is used up",
    errno.EROFS: "{path} is on a disk that is read-only",
    errno.ENAMETOOLONG: "The name {path} is too long",
    errno.EXDEV: "{path} is on another disk",
    errno.EIO: "The disk of {path} reports an error",
    errno.ETXTBSY: "{path} is in use by another program",
    errno.EMFILE: "Too many files are open: raise the limit (ulimit -n)",
    errno.ENFILE: "Too many files are open on this machine",
    errno.ENOMEM: "The machine is out of memory",
    errno.EPIPE: "The other side has closed the connection",
    errno.ECONNREFUSED: "Nothing listens at the address",
    errno.ECONNRESET: "The other side has broken the connection",
    errno.EHOSTUNREACH: "The address cannot be reached",
    errno.ENETUNREACH: "The network of the address cannot be reached",
    errno.ETIMEDOUT: "The address does not answer",
    errno.EADDRINUSE: "Another program listens there already",
    errno.EADDRNOTAVAIL: "This machine has no such address",
}
_NAMELESS: Final = "the file"


def in_a_sentence(error: BaseException) -> str:
    """The error in a sentence without its number; its own text where it was written by hand, or is no such error."""
    if not isinstance(error, OSError) or error.errno is None or type(error).__str__ is not OSError.__str__:
        return str(error)
    if error.filename is None and error.errno in (errno.EACCES, errno.EPERM):
        return "The account that runs paymatch has no right to do that"
    path = _path_of(error)
    sentence = _SENTENCES.get(error.errno)
    if sentence is not None:
        return sentence.format(path=path)
    words = (error.strerror or "unknown error").lower()
    return f"{path}: {words}" if error.filename is not None else words.capitalize()


def _path_of(error: OSError) -> str:
    if error.filename is None:
        return _NAMELESS
    return os.fsdecode(error.filename) if isinstance(error.filename, bytes | str) else str(error.filename)
