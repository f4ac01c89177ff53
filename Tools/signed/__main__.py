"""Signed data of the store, made and judged by Python's cryptography and OpenSSL.

    python3 Tools/signed make FOLDER     chains, JWS and receipts for the tests: FOLDER/theirs.jsonl
                                         and FOLDER/their-receipts.jsonl
    python3 Tools/signed judge FOLDER    the tests' own: FOLDER/ours.jsonl and
                                         FOLDER/our-receipts.jsonl

Each line has a JWS or a receipt, the trusted root, and whether it is to be believed (`believed`).
`judge` shares nothing with Daybook: signatures and extensions are checked by cryptography, those of
receipts by `openssl cms`, the path and its time by `openssl verify`. Ends with 1 if a verdict
differs, with 75 if something is missing.
"""

import base64
import json
import pathlib
import sys

# Set before the modules below are read.
sys.dont_write_bytecode = True

from certificates import INTERMEDIATE_MARK, LEAF_MARK, chain, der, extension, has_mark, has_path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

import receipts

SIGNED_AT = 1_685_700_000_000
PAYLOAD = {
    "transactionId": "1",
    "bundleId": "com.example.shop",
    "environment": "Production",
    "signedDate": SIGNED_AT,
}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# Making


def curves(change):
    """The curves of the store: that of the leaf, and three times that of authorities."""
    def authority():
        return ec.generate_private_key(ec.SECP384R1())

    leaf = change.get("curve", ec.SECP256R1())
    return [lambda: ec.generate_private_key(leaf), authority, authority, authority]


def signature(key, data):
    r, s = utils.decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
    length = (key.curve.key_size + 7) // 8
    return r.to_bytes(length, "big") + s.to_bytes(length, "big")


CHANGES = {
    "right": {},
    "expired": {"leaf years": (2020, 2023)},
    "not yet valid": {"leaf years": (2024, 2026)},
    "no mark of the leaf": {"leaf mark": False},
    "no mark of the intermediate": {"middle mark": False},
    "no authority": {"authority": False},
    "an authority that must not sign": {"middle usage": "digital_signature"},
    "a leaf that must not sign": {"leaf usage": "key_agreement"},
    "a forged leaf": {"forged": True},
    "another curve": {"curve": ec.SECP384R1()},
    "another payload": {"payload": True},
}


def make(folder):
    with open(folder / "theirs.jsonl", "w", encoding="utf-8") as file:
        for name, change in CHANGES.items():
            certificates, key = chain(change, curves(change))
            header = {
                "alg": "ES256",
                "x5c": [base64.b64encode(der(each)).decode() for each in certificates],
            }
            parts = [encoded(json.dumps(each).encode()) for each in (header, PAYLOAD)]
            signed = signature(key, ".".join(parts).encode())
            if change.get("payload"):
                parts[1] = encoded(json.dumps(PAYLOAD | {"quantity": 2}).encode())
            line = {
                "name": name,
                "jws": ".".join(parts + [encoded(signed)]),
                "root": base64.b64encode(der(certificates[-1])).decode(),
                "believed": name == "right",
            }
            file.write(json.dumps(line) + "\n")
    print(f"made {len(CHANGES)}, and {receipts.make(folder)} receipts")


# Judging


def is_believed(line):
    """Whether signature, path, time, marks and usages are right."""
    header, payload, signed = line["jws"].split(".")
    fields = json.loads(decoded(header))
    if fields["alg"] != "ES256" or len(fields["x5c"]) != 3:
        return False
    certificates = [
        x509.load_der_x509_certificate(base64.b64decode(text)) for text in fields["x5c"]
    ]
    leaf, middle, last = certificates
    root = x509.load_der_x509_certificate(base64.b64decode(line["root"]))
    key = leaf.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name != "secp256r1":
        return False
    raw = decoded(signed)
    if len(raw) != 64:
        return False
    pair = utils.encode_dss_signature(
        int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    )
    try:
        key.verify(pair, f"{header}.{payload}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    if (last.subject, last.public_key()) != (root.subject, root.public_key()):
        return False
    if not has_mark(leaf, LEAF_MARK) or not has_mark(middle, INTERMEDIATE_MARK):
        return False
    usages, constraints = extension(leaf, x509.KeyUsage), extension(leaf, x509.BasicConstraints)
    if (usages and not usages.digital_signature) or (constraints and constraints.ca):
        return False
    return has_path(certificates, root, json.loads(decoded(payload))["signedDate"] // 1000)


def judge(folder):
    for name, judged in (("ours", is_believed), ("our-receipts", receipts.is_believed)):
        lines = [json.loads(line) for line in (folder / f"{name}.jsonl").open(encoding="utf-8")]
        wrong = [line["name"] for line in lines if judged(line) != line["believed"]]
        believed = sum(line["believed"] for line in lines)
        if wrong or not believed or believed == len(lines):
            print(f"signed: FAILED: judged otherwise here: {', '.join(wrong) or 'nothing'}")
            sys.exit(1)
        print(f"judged {len(lines)} of {name}, believed {believed}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "judge"):
        print(__doc__)
        sys.exit(64)
    {"make": make, "judge": judge}[sys.argv[1]](pathlib.Path(sys.argv[2]))
