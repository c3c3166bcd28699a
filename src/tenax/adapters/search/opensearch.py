"""The connection to OpenSearch, by its own client, which knows accounts, nodes and retries."""

from __future__ import annotations

from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException, TransportError

from tenax.adapters.search.cluster import ClusterIndex
from tenax.ports import Unavailable


def open_index(url: str, name: str, shown: str) -> ClusterIndex:
    client = OpenSearch(hosts=[url], timeout=30, max_retries=2, retry_on_timeout=True)

    def ask(method: str, path: str, body: Any, parameters: dict[str, str]) -> tuple[int, Any]:
        headers = {"content-type": "application/x-ndjson"} if isinstance(body, bytes) else None
        try:
            answer = client.transport.perform_request(
                method, path, params=parameters, body=body, headers=headers
            )
        except TransportError as error:
            if isinstance(error.status_code, int):
                return error.status_code, error.info
            raise _down(shown, error) from error
        except OpenSearchException as error:
            raise _down(shown, error) from error
        return 200, answer

    return ClusterIndex(ask, name, shown, client.close)


def _down(shown: str, error: Exception) -> Unavailable:
    return Unavailable(
        f"search = {shown}: OpenSearch does not answer ({type(error).__name__}). See that it runs"
        " and that the address is right."
    )
