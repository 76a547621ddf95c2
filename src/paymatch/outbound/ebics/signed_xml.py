"""X002: the signature of a message over its elements that say authenticate="true" (EBICS 3.0, chapter 5.5.1.2.1)."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from copy import deepcopy
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from lxml import etree

H005: Final = "urn:org:ebics:H005"
S002: Final = "http://www.ebics.org/S002"
DSIG: Final = "http://www.w3.org/2000/09/xmldsig#"
SHA256_URI: Final = "http://www.w3.org/2001/04/xmlenc#sha256"

H005_ONLY: Final[Any] = {None: H005, "ds": DSIG}
"""Prefixes of an H005 message; lxml takes None for the default namespace, which its types do not say."""

S002_ONLY: Final[Any] = {None: S002, "ds": DSIG}

_C14N: Final = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
_RSA_SHA256: Final = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
_MARKED: Final = "#xpointer(//*[@authenticate='true'])"
_XML: Final = "{http://www.w3.org/XML/1998/namespace}"


class SignatureNotGenuine(ValueError):
    """The message is not signed by this key, or was changed since."""


def parse(message: bytes) -> etree._Element:
    """The root of a message that a stranger may have written: no entities, no DTD, no network. ValueError."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_pis=True)
    try:
        root = etree.fromstring(message, parser)
    except etree.XMLSyntaxError:
        raise ValueError("not an XML message") from None
    docinfo: Any = root.getroottree().docinfo
    if docinfo.doctype:
        raise ValueError("a message with a document type")
    return root


def canonical(element: etree._Element) -> bytes:
    """The element in inclusive canonical XML 1.0, with the namespaces and xml: attributes that it inherits."""
    inherited: Any = element.nsmap
    alone = etree.Element(element.tag, nsmap=inherited)
    for ancestor in (*reversed(list(element.iterancestors())), element):
        for name, value in ancestor.attrib.items():
            if ancestor is element or str(name).startswith(_XML):
                alone.set(name, value)
    alone.text = element.text
    alone.extend([deepcopy(child) for child in element])
    return etree.tostring(alone, method="c14n", with_comments=False)


def marked_digest(root: etree._Element) -> bytes:
    """SHA-256 over all marked elements, one after the other."""
    marked = [each for each in root.iter(etree.Element) if each.get("authenticate") == "true"]
    return hashlib.sha256(b"".join(canonical(each) for each in marked)).digest()


def sign(root: etree._Element, key: rsa.RSAPrivateKey) -> None:
    """Fills the message's empty `AuthSignature`; afterwards nothing that is marked may change."""
    place = root.find(f"{{{H005}}}AuthSignature")
    assert place is not None, "every signed message has a place for its signature"
    signed_info = etree.SubElement(place, f"{{{DSIG}}}SignedInfo")
    etree.SubElement(signed_info, f"{{{DSIG}}}CanonicalizationMethod", Algorithm=_C14N)
    etree.SubElement(signed_info, f"{{{DSIG}}}SignatureMethod", Algorithm=_RSA_SHA256)
    reference = etree.SubElement(signed_info, f"{{{DSIG}}}Reference", URI=_MARKED)
    transforms = etree.SubElement(reference, f"{{{DSIG}}}Transforms")
    etree.SubElement(transforms, f"{{{DSIG}}}Transform", Algorithm=_C14N)
    etree.SubElement(reference, f"{{{DSIG}}}DigestMethod", Algorithm=SHA256_URI)
    etree.SubElement(reference, f"{{{DSIG}}}DigestValue").text = b64encode(marked_digest(root)).decode()
    value = key.sign(canonical(signed_info), padding.PKCS1v15(), SHA256())
    etree.SubElement(place, f"{{{DSIG}}}SignatureValue").text = b64encode(value).decode()


def verify(root: etree._Element, key: rsa.RSAPublicKey) -> None:
    """Returns if the whole message was signed by `key`. SignatureNotGenuine.

    Only the one form of signature that the protocol has is taken, and header and body must be covered by it.
    """
    names = {"d": DSIG, "e": H005}
    info = root.find("e:AuthSignature/d:SignedInfo", names)
    value = root.findtext("e:AuthSignature/d:SignatureValue", "", names)
    if info is None or len(info.findall("d:Reference", names)) != 1:
        raise SignatureNotGenuine("the message carries no signature")
    algorithms = {
        "CanonicalizationMethod": _C14N, "SignatureMethod": _RSA_SHA256, "Reference/d:DigestMethod": SHA256_URI,
    }  # fmt: skip
    for path, wanted in algorithms.items():
        found = info.find(f"d:{path}", names)
        if found is None or found.get("Algorithm") != wanted:
            raise SignatureNotGenuine("the message is signed in another way than X002")
    reference = info.find("d:Reference", names)
    assert reference is not None
    if (reference.get("URI") or "").replace('"', "'") != _MARKED:
        raise SignatureNotGenuine("the signature does not cover the message")
    header = root.find("e:header", names)
    if header is None or header.get("authenticate") != "true":
        raise SignatureNotGenuine("the signature does not cover the header")
    try:
        stated = b64decode("".join(reference.findtext("d:DigestValue", "", names).split()), validate=True)
        signature = b64decode("".join(value.split()), validate=True)
        key.verify(signature, canonical(info), padding.PKCS1v15(), SHA256())
        digest = marked_digest(root)
    except (InvalidSignature, ValueError, etree.C14NError):
        raise SignatureNotGenuine("the signature is not of the bank's key X002") from None
    if stated != digest:
        raise SignatureNotGenuine("the message was changed after it was signed")
