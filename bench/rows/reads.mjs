import { startBareHttp } from "../floors/bare-http.mjs";
import { load } from "../load.mjs";

const CONNECTIONS = 64;

/** A GET of the service against bare node:http that sends the same bytes. */
const readRow = ({ name, target, path, needsCredentials }) => ({
  name,
  target,
  prepare: async (service) => {
    const headers = needsCredentials ? service.headers : {};
    const url = service.url + path(service);
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    const text = await response.text();
    const floor = await startBareHttp({ text, contentType: response.headers.get("content-type") });
    const measure = (address, seconds) =>
      load({ url: address, headers, connections: CONNECTIONS, seconds });
    return {
      floor: (seconds) => measure(floor.url, seconds),
      service: (seconds) => measure(url, seconds),
      stop: floor.stop,
    };
  },
});

export const rows = [
  readRow({
    name: "GET payment-methods",
    target: 0.9,
    path: () => "/payment-methods?operationType=B&countryCode=DE",
    needsCredentials: true,
  }),
  readRow({
    name: "GET exchange/currencies",
    target: 0.9,
    path: () => "/exchange/currencies?operationType=B&countryCode=DE",
    needsCredentials: true,
  }),
  readRow({
    name: "GET sdk/exchange.js",
    target: 0.9,
    path: (service) => `/sdk/exchange.js?clientId=${service.clientId}&env=dev`,
    needsCredentials: false,
  }),
];
