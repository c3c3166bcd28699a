"""How is an S3 server of one's own run? Versity's gateway over a folder, built from its module."""

from __future__ import annotations

import signal

from services.kind import Launch, Place
from services.obtain import go_program
from services.ports import ask

MODULE = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
BUCKET = "tenax"
REGION = "us-east-1"


class S3:
    name = "s3"
    ports = 1
    farewell = signal.SIGTERM
    patience = 30.0

    def obtain(self) -> None:
        go_program("versitygw", MODULE)

    def prepare(self, place: Place) -> None:
        # A folder at the top is a bucket.
        (place.data / BUCKET).mkdir(parents=True, exist_ok=True)
        (place.folder / "attributes").mkdir(exist_ok=True)

    def launch(self, place: Place) -> Launch:
        gateway = go_program("versitygw", MODULE)
        # Beside the objects, since not every file system has extended attributes.
        beside = ["posix", "--sidecar", str(place.folder / "attributes"), str(place.data)]
        command = [str(gateway), "--port", f"127.0.0.1:{place.port}", "--quiet", *beside]
        account = {"ROOT_ACCESS_KEY": "tenax", "ROOT_SECRET_KEY": place.secret}
        return Launch(command, account)

    def is_ready(self, place: Place) -> bool:
        return ask(place.port, b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.")

    def furnish(self, place: Place) -> None:
        pass

    def url(self, place: Place) -> str:
        return f"s3://{BUCKET}?endpoint=http://127.0.0.1:{place.port}&region={REGION}"

    def exports(self, place: Place) -> dict[str, str]:
        return {
            "TENAX_CONTENT": self.url(place),
            "AWS_ACCESS_KEY_ID": "tenax",
            "AWS_SECRET_ACCESS_KEY": place.secret,
        }
