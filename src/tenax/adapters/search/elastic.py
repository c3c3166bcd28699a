"""The connection to Elasticsearch, by its own client; the requests are those for OpenSearch."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from elastic_transport import TransportError
from elasticsearch import ApiError, Elasticsearch

from tenax.adapters.search.cluster import ClusterIndex
from tenax.ports import Unavailable


def open_index(url: str, name: str, shown: str) -> ClusterIndex:
    client = Elasticsearch(url, request_timeout=30, max_retries=2, retry_on_timeout=True)

    def ask(method: str, path: str, body: Any, parameters: dict[str, str]) -> tuple[int, Any]:
        headers = {"accept": "application/json"}
        if body is not None:
            is_lines = isinstance(body, bytes)
            headers["content-type"] = f"application/{'x-ndjson' if is_lines else 'json'}"
        target = f"{path}?{urlencode(parameters)}" if parameters else path
        try:
            answer = client.perform_request(method, target, headers=headers, body=body)
        except ApiError as error:
            return error.status_code, error.body
        except TransportError as error:
            raise Unavailable(
                f"search = {shown}: Elasticsearch does not answer ({type(error).__name__}). See"
                " that it runs and that the address is right."
            ) from error
        return 200, answer.body

    return ClusterIndex(ask, name, shown, client.close)
