import { startBareHttp } from "../floors/bare-http.mjs";
import { load } from "../load.mjs";
import { withCpu } from "../processes.mjs";

const CONNECTIONS = 64;

/** A quote of €100 for bitcoin by card, with the ids the catalogue gives. */
async function quoteBody(service) {
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

export const rows = [
  {
    name: "POST exchange/quotes",
    target: 0.7,
    floor: "bare node:http parsing and answering the same JSON",
    prepare: async (service) => {
      const body = await quoteBody(service);
      const headers = { ...service.headers, "content-type": "application/json" };
      const url = `${service.url}/exchange/quotes`;
      const response = await fetch(url, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      const text = await response.text();
      const floor = await startBareHttp({ text, contentType: "application/json", parses: true });
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
    },
  },
];
