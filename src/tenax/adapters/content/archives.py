"""Files that are written once and kept: in a folder, or in a bucket beside the bodies."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tenax.ports import Unavailable


class ArchiveFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def write(self, name: str, data: bytes) -> str:
        path = self._folder / name
        part = path.with_name(f"{name}.part")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with part.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.rename(path)
            # Of the name, too: what is in it is removed from the ledger next.
            folder = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise Unavailable(
                f"{path}: what is too old cannot be archived ({error.strerror}), so it stays. Free"
                " some space, or set retention.archive to another place."
            ) from error
        return str(path)
