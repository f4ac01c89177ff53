"""App receipts, made and judged by OpenSSL (`openssl cms`)."""

import base64
import json
import pathlib
import subprocess
import tempfile

from certificates import (
    INTERMEDIATE_MARK,
    LEAF_MARK,
    chain,
    der,
    extension,
    has_mark,
    has_path,
)
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

CREATED_AT = "2023-06-02T10:00:00Z"


# Making


def element(tag, content):
    """An element of ASN.1 in DER."""
    count = len(content)
    if count < 0x80:
        return bytes([tag, count]) + content
    length = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def integer(value):
    return element(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def attribute(kind, value):
    return element(0x30, integer(kind) + integer(1) + element(4, value))


def text(value):
    return element(0x0C, value.encode())


def date(value):
    return element(0x16, value.encode())


PURCHASE = [
    attribute(1701, integer(1)),
    attribute(1702, text("com.example.pro")),
    attribute(1703, text("1")),
    attribute(1704, date(CREATED_AT)),
]
CONTENT = element(
    0x31,
    b"".join([
        attribute(0, text("Production")),
        attribute(2, text("com.example.shop")),
        attribute(12, date(CREATED_AT)),
        attribute(17, element(0x31, b"".join(PURCHASE))),
    ]),
)  # fmt: skip

CHANGES = {
    "right": {},
    "SHA-1": {"digest": "sha1"},
    "BER": {"options": ["-stream"]},
    "without its root": {"has root": False},
    "expired": {"leaf years": (2020, 2023)},
    "not yet valid": {"leaf years": (2024, 2026)},
    "no mark of the leaf": {"leaf mark": False},
    "no mark of the intermediate": {"middle mark": False},
    "no authority": {"authority": False},
    "a leaf that must not sign": {"leaf usage": "key_agreement"},
    "a forged leaf": {"forged": True},
    "other content": {"content": True},
    "signed attributes": {"options": []},
    "SHA-512": {"digest": "sha512"},
}
BELIEVED = {"right", "SHA-1", "BER", "without its root"}


def key():
    return rsa.generate_private_key(65537, 2048)


def signed(change):
    """A receipt, and its root."""
    certificates, leaf_key = chain(change, [key, key, key, key])
    others = certificates[1:] if change.get("has root", True) else certificates[1:2]
    options = change.get("options", ["-noattr"])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pem = serialization.Encoding.PEM
        (folder / "leaf").write_bytes(certificates[0].public_bytes(pem))
        (folder / "others").write_bytes(b"".join(each.public_bytes(pem) for each in others))
        (folder / "key").write_bytes(
            leaf_key.private_bytes(
                pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        (folder / "content").write_bytes(CONTENT)
        if "-stream" in options:
            options = ["-noattr", "-stream"]
        receipt = subprocess.run(
            ["openssl", "cms", "-sign", "-binary", "-nodetach", "-outform", "DER", *options,
             "-md", change.get("digest", "sha256"), "-signer", folder / "leaf",
             "-inkey", folder / "key", "-certfile", folder / "others", "-in", folder / "content"],
            capture_output=True, check=True,
        ).stdout  # fmt: skip
    if change.get("content"):
        receipt = receipt.replace(b"com.example.pro", b"com.example.prO")
    return receipt, certificates[-1]


def make(folder):
    """Writes the receipts for the tests, and returns how many."""
    with open(folder / "their-receipts.jsonl", "w", encoding="utf-8") as file:
        for name, change in CHANGES.items():
            receipt, root = signed(change)
            line = {
                "name": name,
                "receipt": base64.b64encode(receipt).decode(),
                "root": base64.b64encode(der(root)).decode(),
                "believed": name in BELIEVED,
            }
            file.write(json.dumps(line) + "\n")
    return len(CHANGES)


# Judging


def certificates_in(receipt):
    found = subprocess.run(
        ["openssl", "pkcs7", "-inform", "DER", "-print_certs"],
        input=receipt, capture_output=True, check=False,
    ).stdout  # fmt: skip
    return x509.load_pem_x509_certificates(found) if found else []


def is_believed(line):
    """Whether OpenSSL takes signature and path, and marks and usages are right."""
    receipt = base64.b64decode(line["receipt"])
    root = x509.load_der_x509_certificate(base64.b64decode(line["root"]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "root").write_bytes(root.public_bytes(serialization.Encoding.PEM))
        (folder / "receipt").write_bytes(receipt)
        verdict = subprocess.run(
            ["openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", folder / "receipt",
             "-CAfile", folder / "root", "-no-CApath", "-no-CAstore", "-purpose", "any",
             "-auth_level", "0", "-attime", str(line["at"]), "-out", folder / "content",
             "-signer", folder / "signer"],
            capture_output=True, check=False,
        )  # fmt: skip
        if verdict.returncode != 0:
            return False
        if (folder / "content").read_bytes() != base64.b64decode(line["content"]):
            return False
        leaf = x509.load_pem_x509_certificate((folder / "signer").read_bytes())
    issuers = [each for each in certificates_in(receipt) if each.subject == leaf.issuer]
    if not issuers or not has_mark(leaf, LEAF_MARK):
        return False
    if not has_mark(issuers[0], INTERMEDIATE_MARK):
        return False
    usages, constraints = extension(leaf, x509.KeyUsage), extension(leaf, x509.BasicConstraints)
    if (usages and not usages.digital_signature) or (constraints and constraints.ca):
        return False
    return has_path([leaf, issuers[0]], root, line["at"])
