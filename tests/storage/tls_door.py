"""A door of TLS before a PostgreSQL that has none: it answers the request for encryption and passes on what is said
inside."""

import contextlib
import datetime
import socket
import ssl
import struct
import threading
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

SSL_REQUEST = 80877103  # specification: PostgreSQL's protocol, "SSLRequest"


def make_certificate(folder: Path, host: str) -> tuple[Path, Path]:
    """One that is its own root, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    certificate, secret = folder / f"{host}.pem", folder / f"{host}.key"
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    secret.chmod(0o600)
    return certificate, secret


class TlsDoor:
    """Listens on a port of this machine; counts who came in by TLS."""

    def __init__(self, target: Path, certificate: Path, secret: Path) -> None:
        self._target = str(target)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, secret)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self.encrypted = 0
        self._inside: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Whoever is inside is outside, without a word of farewell."""
        for each in self._inside:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._door.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._door.accept()
                threading.Thread(target=self._let_in, args=(client,), daemon=True).start()

    def _let_in(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            if struct.unpack("!II", client.recv(8, socket.MSG_WAITALL)) != (8, SSL_REQUEST):
                return
            client.sendall(b"S")
            with self._context.wrap_socket(client, server_side=True) as inside, socket.socket(socket.AF_UNIX) as other:
                self.encrypted += 1
                self._inside.append(inside)
                other.connect(self._target)
                back = threading.Thread(target=_pass, args=(other, inside), daemon=True)
                back.start()
                _pass(inside, other)
                back.join()


def _pass(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while said := one.recv(1 << 16):
            other.sendall(said)
    with contextlib.suppress(OSError):
        other.shutdown(socket.SHUT_RDWR)
