import { startBareHttp } from "../floors/bare-http.mjs";
import { startPrism } from "../floors/prism.mjs";
import { load } from "../load.mjs";
import { withCpu } from "../processes.mjs";

const CONNECTIONS = 64;

/** A quote of €100 for bitcoin by card, with the ids the catalogue gives. */
export async function quoteBody(service) {
  const read = async (path) => {
    const response = await fetch(service.url + path, { headers: service.headers });
    return (await response.json()).data;
  };
  const query = "?operationType=B&countryCode=DE";
  const currencies = await read(`/exchange/currencies${query}`);
  const methods = await read(`/payment-methods${query}`);
  const idOf = (items, reference) => items.find((item) => item.reference === reference).id;
  return JSON.stringify({
    operationType: "B",
    baseCurrencyId: idOf(currencies.fiatCurrencies, "eur"),
    baseAmount: 100,
    targetCurrencyId: idOf(currencies.cryptoCurrencies, "btc"),
    paymentMethodId: idOf(methods, "card"),
  });
}

/** Measures the service's quotes against a floor that answers the same request. */
async function prepareQuotes(service, startFloor) {
  const body = await quoteBody(service);
  const headers = { ...service.headers, "content-type": "application/json" };
  const url = `${service.url}/exchange/quotes`;
  const floor = await startFloor({ url, init: { method: "POST", headers, body } });
  const request = { method: "POST", headers, body, connections: CONNECTIONS };
  const measure = (server, seconds, perSecond) =>
    withCpu(server.pid, () => load({ url: server.url, ...request, seconds, perSecond }));
  const measured = { url, pid: service.pid };
  return {
    floor: (seconds) => measure(floor, seconds),
    service: (seconds) => measure(measured, seconds),
    paced: (seconds, perSecond) => measure(measured, seconds, perSecond),
    stop: floor.stop,
  };
}

export const rows = [
  {
    name: "POST exchange/quotes",
    target: 0.7,
    floor: "bare node:http parsing and answering the same JSON",
    prepare: (service) =>
      prepareQuotes(service, async ({ url, init }) => {
        const response = await fetch(url, init);
        if (!response.ok) throw new Error(`${url} answered ${response.status}`);
        return startBareHttp(response, { parses: true });
      }),
  },
];

/** The same against what a person would use instead: a mock made of our OpenAPI document. */
export const prismRow = (folder) => ({
  name: "POST exchange/quotes, Prism",
  target: 10,
  floor: "a Prism mock of the OpenAPI document",
  prepare: async (service) => {
    const prepared = await prepareQuotes(service, async () => {
      const { url, pid, stop } = await startPrism(folder, service);
      return { url: `${url}/exchange/quotes`, pid, stop };
    });
    return { floor: prepared.floor, service: prepared.service, stop: prepared.stop };
  },
});
