import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONSOLE_URL, useConsole } from "../../testing/console-world.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { askRaw, requestHead } from "../../testing/raw-http.ts";
import { makeWorld } from "../../testing/world.ts";

const REQUEST_TIMEOUT_MS = 200;

const desk = useConsole(() => makeWorld({}));
let operator: Awaited<ReturnType<typeof desk.person>>;
let api: HttpWorld;

beforeAll(async () => {
  operator = await desk.person(["administrator", "compliance"]);
  api = await makeHttpWorld();
  for (const app of [desk.app, api.app]) {
    await app.listen({ port: 0, host: "127.0.0.1" });
    // Node takes the shorter of the two for the headers.
    app.server.headersTimeout = REQUEST_TIMEOUT_MS;
    app.server.requestTimeout = REQUEST_TIMEOUT_MS;
  }
});
afterAll(() => api.close());

interface Door {
  readonly app: FastifyInstance;
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the body of a request that stores the name. */
  body(name: string): object;
  isStored(name: string): Promise<boolean>;
}

const theApi = (): Door => ({
  app: api.app,
  line: "POST /v1/public_token/create",
  headers: api.shop.headers,
  body: (name) => ({ sessionId: name }),
  isStored: async (name) => {
    const { headers } = api.shop;
    return (await api.call({ url: `/v1/sessions/${name}`, headers })).status === 200;
  },
});

const theConsole = (): Door => ({
  app: desk.app,
  line: "POST /v1/admin/stops",
  headers: { origin: CONSOLE_URL, cookie: operator.cookie ?? "" },
  body: (name) => ({ kind: "rail", subject: name === "too-slow" ? "chain" : "card", reason: name }),
  isStored: async (name) => {
    const { body } = await operator.call(CALLS.listStops);
    return body.data.some(({ reason }) => reason === name);
  },
});

describe.each<[string, () => Door]>([
  ["the API", theApi],
  ["the console", theConsole],
])("%s", (_title, open) => {
  test("does not execute a request that it answered as too slow when the rest of the body comes", async () => {
    const { app, line, headers, body, isStored } = open();
    const requestOf = (name: string): readonly [string, string] => {
      const text = JSON.stringify(body(name));
      const all = {
        ...{ host: "exchange.example", ...headers },
        ...{ "content-type": "application/json", "content-length": String(text.length) },
      };
      return [`${requestHead(`${line} HTTP/1.1`, all)}\r\n\r\n`, text];
    };
    const { port } = app.server.address() as AddressInfo;
    // The client goes on sending after the service has ended its side.
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => {});
    const [head, text] = requestOf("too-slow");
    const half = Math.floor(text.length / 2);
    socket.write(head + text.slice(0, half));
    try {
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(String(answer)).toMatch(/^HTTP\/1\.1 400 [^]*"The request arrived too slowly\."/);
      socket.write(text.slice(half));
      // The same work, begun later, is done.
      for (const name of ["first", "second", "third"]) {
        await askRaw(app.server, requestOf(name).join(""));
        expect(await isStored(name)).toBe(true);
      }
      expect(await isStored("too-slow")).toBe(false);
    } finally {
      socket.destroy();
    }
  });
});
