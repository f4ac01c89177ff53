"""Signed data of the store, made and judged by Python's cryptography and OpenSSL.

    python3 Tools/signed make FOLDER     chains and JWS for the tests: FOLDER/theirs.jsonl
    python3 Tools/signed judge FOLDER    the tests' own: FOLDER/ours.jsonl

Each line has a JWS, the trusted root, and whether it is to be believed (`believed`). `judge` shares
nothing with Daybook: signatures and extensions are checked by cryptography, the path and its time
by `openssl verify`. Ends with 1 if a verdict differs, with 75 if something is missing.
"""

import base64
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.x509.oid import NameOID
except ImportError:
    print("signed: SKIPPED: needs Python's cryptography (apt-get install python3-cryptography)")
    sys.exit(75)

LEAF_MARK = x509.ObjectIdentifier("1.2.840.113635.100.6.11.1")
INTERMEDIATE_MARK = x509.ObjectIdentifier("1.2.840.113635.100.6.2.1")
NULL = b"\x05\x00"
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


def der(certificate):
    return certificate.public_bytes(serialization.Encoding.DER)


# Making


def date(text):
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)


def usage(**allowed):
    names = (
        "digital_signature content_commitment key_encipherment data_encipherment key_agreement "
        "key_cert_sign crl_sign encipher_only decipher_only"
    ).split()
    return x509.KeyUsage(**{name: allowed.get(name, False) for name in names})


def certificate(name, issuer, key, signer, digest, extensions, years):
    def named(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    builder = (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(date(f"{years[0]}-01-01"))
        .not_valid_after(date(f"{years[1]}-01-01"))
    )
    for extension, is_critical in extensions:
        builder = builder.add_extension(extension, is_critical)
    return builder.sign(signer, digest)


def chain(change):
    """Leaf, intermediate and root, and the leaf's key. The curves are those of the store."""
    root_key = ec.generate_private_key(ec.SECP384R1())
    middle_key = ec.generate_private_key(ec.SECP384R1())
    leaf_key = ec.generate_private_key(change.get("curve", ec.SECP256R1()))
    other_key = ec.generate_private_key(ec.SECP384R1())
    authority = (x509.BasicConstraints(True, None), True)
    root = certificate(
        "Foreign Root", "Foreign Root", root_key, root_key, hashes.SHA384(),
        [authority, (usage(key_cert_sign=True, crl_sign=True), True)], (2014, 2039),
    )  # fmt: skip
    middle = certificate(
        "Foreign Authority", "Foreign Root", middle_key, root_key, hashes.SHA384(),
        [
            (x509.BasicConstraints(change.get("authority", True),
                                   0 if change.get("authority", True) else None), True),
            (usage(**{change.get("middle usage", "key_cert_sign"): True}), True),
        ] + ([(x509.UnrecognizedExtension(INTERMEDIATE_MARK, NULL), False)]
             if change.get("middle mark", True) else []),
        (2021, 2036),
    )  # fmt: skip
    signer = other_key if change.get("forged") else middle_key
    leaf = certificate(
        "Foreign Leaf", "Foreign Authority", leaf_key, signer, hashes.SHA384(),
        [
            (x509.BasicConstraints(False, None), True),
            (usage(**{change.get("leaf usage", "digital_signature"): True}), True),
        ] + ([(x509.UnrecognizedExtension(LEAF_MARK, NULL), False)]
             if change.get("leaf mark", True) else []),
        change.get("leaf years", (2022, 2024)),
    )  # fmt: skip
    return [leaf, middle, root], leaf_key


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
            certificates, key = chain(change)
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
    print(f"made {len(CHANGES)}")


# Judging


def has_path(certificates, root, at):
    """Whether OpenSSL finds a path to the root that was valid at a time."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, each in zip(("leaf", "middle", "root"), (*certificates[:2], root)):
            names.append(pathlib.Path(folder) / name)
            names[-1].write_bytes(each.public_bytes(serialization.Encoding.PEM))
        result = subprocess.run(
            ["openssl", "verify", "-attime", str(at), "-no-CApath", "-no-CAstore",
             "-check_ss_sig", "-CAfile", names[2], "-untrusted", names[1], names[0]],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return result.returncode == 0


def extension(certificate, kind):
    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


def has_mark(certificate, mark):
    return any(each.oid == mark for each in certificate.extensions)


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
    lines = [json.loads(line) for line in (folder / "ours.jsonl").open(encoding="utf-8")]
    wrong = [line["name"] for line in lines if is_believed(line) != line["believed"]]
    believed = sum(line["believed"] for line in lines)
    if wrong or not believed or believed == len(lines):
        print(f"signed: FAILED: judged otherwise here: {', '.join(wrong) or 'nothing'}")
        sys.exit(1)
    print(f"judged {len(lines)}, believed {believed}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "judge"):
        print(__doc__)
        sys.exit(64)
    {"make": make, "judge": judge}[sys.argv[1]](pathlib.Path(sys.argv[2]))
