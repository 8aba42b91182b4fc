import { startBareHttp } from "../floors/bare-http.mjs";
import { load } from "../load.mjs";
import { withCpu } from "../processes.mjs";

const CONNECTIONS = 64;

/** A GET of the service against bare node:http that sends the same bytes. */
const readRow = ({ name, target, path, needsCredentials }) => ({
  name,
  target,
  floor: "bare node:http sending the same bytes",
  prepare: async (service) => {
    const headers = needsCredentials ? service.headers : {};
    const url = service.url + path(service);
    // As the load asks, which takes no encoding: the floor sends these very headers and bytes.
    const response = await fetch(url, { headers: { ...headers, "accept-encoding": "identity" } });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    const floor = await startBareHttp(response);
    const measure = (server, seconds, perSecond) =>
      withCpu(server.pid, () =>
        load({ url: server.url, headers, connections: CONNECTIONS, seconds, perSecond }),
      );
    const measured = { url, pid: service.pid };
    return {
      floor: (seconds) => measure(floor, seconds),
      service: (seconds) => measure(measured, seconds),
      paced: (seconds, perSecond) => measure(measured, seconds, perSecond),
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
