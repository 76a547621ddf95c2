"""The two clients, blocking and for asyncio. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

import httpx

from paymatch_client.async_operations.collection import AsyncCollection
from paymatch_client.async_operations.events import AsyncEvents
from paymatch_client.async_operations.invoices import AsyncInvoices
from paymatch_client.async_operations.orders import AsyncOrders
from paymatch_client.async_operations.postings import AsyncPostings
from paymatch_client.async_operations.refunds import AsyncRefunds
from paymatch_client.async_operations.reports import AsyncReports
from paymatch_client.async_operations.sandbox import AsyncSandbox
from paymatch_client.connections import AsyncConnection, Connection, Retries, Terms
from paymatch_client.operations.collection import Collection
from paymatch_client.operations.events import Events
from paymatch_client.operations.invoices import Invoices
from paymatch_client.operations.orders import Orders
from paymatch_client.operations.postings import Postings
from paymatch_client.operations.refunds import Refunds
from paymatch_client.operations.reports import Reports
from paymatch_client.operations.sandbox import Sandbox


class Client:
    """The API of the service at `address` (`https://pay.example.com`), called with a shop's key.

    `timeout` is the longest wait for an answer in seconds; allow 600 for a long list of open orders. `http` is a client
    of httpx with settings of your own (proxies, certificates, limits); the caller closes it.
    """

    def __init__(
        self,
        address: str,
        key: str,
        *,
        timeout: float = 30.0,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self._owns = http is None
        self._connection = Connection(Terms(address, key, timeout, retries or Retries()), http or httpx.Client())
        self.orders = Orders(self._connection)
        self.refunds = Refunds(self._connection)
        self.collection = Collection(self._connection)
        self.invoices = Invoices(self._connection)
        self.postings = Postings(self._connection)
        self.events = Events(self._connection)
        self.reports = Reports(self._connection)
        self.sandbox = Sandbox(self._connection)

    def with_timeout(self, seconds: float) -> Client:
        """The same with another time limit; it shares the connections of this client, which closes them."""
        terms = self._connection.terms
        return Client(terms.address, terms.key, timeout=seconds, retries=terms.retries, http=self._connection.http)

    def close(self) -> None:
        """Closes the connections."""
        if self._owns:
            self._connection.http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


class AsyncClient:
    """The API of the service at `address` (`https://pay.example.com`), called with a shop's key.

    `timeout` is the longest wait for an answer in seconds; allow 600 for a long list of open orders. `http` is a client
    of httpx with settings of your own (proxies, certificates, limits); the caller closes it.
    """

    def __init__(
        self,
        address: str,
        key: str,
        *,
        timeout: float = 30.0,
        retries: Retries | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._owns = http is None
        self._connection = AsyncConnection(
            Terms(address, key, timeout, retries or Retries()), http or httpx.AsyncClient()
        )
        self.orders = AsyncOrders(self._connection)
        self.refunds = AsyncRefunds(self._connection)
        self.collection = AsyncCollection(self._connection)
        self.invoices = AsyncInvoices(self._connection)
        self.postings = AsyncPostings(self._connection)
        self.events = AsyncEvents(self._connection)
        self.reports = AsyncReports(self._connection)
        self.sandbox = AsyncSandbox(self._connection)

    def with_timeout(self, seconds: float) -> AsyncClient:
        """The same with another time limit; it shares the connections of this client, which closes them."""
        terms = self._connection.terms
        return AsyncClient(terms.address, terms.key, timeout=seconds, retries=terms.retries, http=self._connection.http)

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._owns:
            await self._connection.http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.aclose()
