"""Chains of certificates like the store's, made and judged without Daybook."""

import datetime
import pathlib
import subprocess
import sys
import tempfile

try:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.x509.oid import NameOID
except ImportError:
    print("signed: SKIPPED: needs Python's cryptography (apt-get install python3-cryptography)")
    sys.exit(75)

LEAF_MARK = x509.ObjectIdentifier("1.2.840.113635.100.6.11.1")
INTERMEDIATE_MARK = x509.ObjectIdentifier("1.2.840.113635.100.6.2.1")
NULL = b"\x05\x00"


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


def chain(change, keys):
    """Leaf, intermediate and root, and the leaf's key.

    `keys` makes the keys of the leaf, of the intermediate, of the root and of somebody else.
    """
    leaf_key, middle_key, root_key, other_key = (make() for make in keys)
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
