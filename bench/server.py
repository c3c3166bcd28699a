"""Who serves the site? A private nginx on a core of its own, or a small Python server.

It listens on 127.0.0.1 at a free port, runs as one process and ends with its context.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.certificates import Certificate
from bench.measure import pinned

CONFIG = """
{user}
daemon off;
master_process off;
worker_processes 1;
worker_rlimit_nofile 8192;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
  types {{ text/html html; }}
  default_type application/octet-stream;
  log_format start '$msec $request_uri';
  access_log {access_log};
  sendfile on;
  tcp_nopush on;
  gzip off;
  keepalive_timeout 300;
  keepalive_requests 100000000;
  open_file_cache max=50000 inactive=600s;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=1024{ssl};
    {certificate}
    root {root};
    index index.html;
    location ~ "^/known/.*-([0-9]+)[.]html$" {{ try_files /items/$1.html =404; }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    kind: str
    log: Path | None
    """One line a request, `<seconds since the epoch> <path>`, written when it was answered."""


@contextmanager
def serve(
    root: Path, *, core: int | None, certificate: Certificate | None = None, log: bool = False
) -> Iterator[Server]:
    """Serve the folder until the block ends."""
    with tempfile.TemporaryDirectory(prefix="tenax-bench-server-") as folder:
        port = _free_port()
        access_log = Path(folder) / "access.log" if log else None
        nginx = find_nginx()
        if nginx:
            config = Path(folder) / "nginx.conf"
            config.write_text(_config(Path(folder), root, port, certificate, access_log))
            command = [nginx, "-p", folder, "-c", str(config)]
        else:
            script = str(Path(__file__).with_name("static_server.py"))
            files = [str(certificate.chain), str(certificate.key)] if certificate else ["", ""]
            command = [sys.executable, script, str(root), str(port), str(access_log or ""), *files]
        kind = "nginx" if nginx else "a PYTHON server (no nginx: it may be the bottleneck)"
        errors = Path(folder) / "stderr"
        with errors.open("wb") as stderr:
            process = subprocess.Popen(pinned(command, core), stderr=stderr)
        try:
            _wait_until_up(process, port, errors)
            scheme = "https" if certificate else "http"
            yield Server(f"{scheme}://127.0.0.1:{port}/index.html", kind, access_log)
        finally:
            end(process)


def find_nginx() -> str | None:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
    if not found and os.geteuid() == 0 and shutil.which("apt-get"):
        # No service is to be started for us: we only want the binary.
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
        command = ["apt-get", "install", "-y", "-qq", "nginx-light"]
        subprocess.run(command, check=False, timeout=300, env=quiet, stdout=subprocess.DEVNULL)
        found = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    return found


def _config(
    folder: Path, root: Path, port: int, certificate: Certificate | None, log: Path | None
) -> str:
    pair = ""
    if certificate:
        pair = f"ssl_certificate {certificate.chain}; ssl_certificate_key {certificate.key};"
    return CONFIG.format(
        folder=folder,
        root=root,
        port=port,
        # Temporary folders are closed to other users; a worker of root must stay root.
        user="user root;" if os.geteuid() == 0 else "",
        ssl=" ssl" if certificate else "",
        certificate=pair,
        access_log=f"{log} start" if log else "off",
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(process: subprocess.Popen[bytes], port: int, errors: Path) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended at once: {errors.read_text()[-2000:]}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"the server did not listen on port {port} within 20 s")


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end, and make it end if it will not."""
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
