import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { useConsole } from "../../testing/console-world.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { askRaw, requestHead } from "../../testing/raw-http.ts";
import { makeWorld } from "../../testing/world.ts";

const API_CONNECTIONS_MAX = 100;
const STRANGER = "127.0.0.2";

const desk = useConsole(() => makeWorld({}));
let api: HttpWorld;

beforeAll(async () => {
  api = await makeHttpWorld({ settings: { connectionsMax: API_CONNECTIONS_MAX } });
  for (const app of [desk.app, api.app]) await app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => api.close());

const get = (path: string): string =>
  `${requestHead(`GET ${path} HTTP/1.1`, { host: "exchange.example" })}\r\n\r\n`;

describe.each<[string, () => FastifyInstance, number, string]>([
  ["the console", () => desk.app, 512, get("/v1/admin/openapi.json")],
  ["the API", () => api.app, API_CONNECTIONS_MAX, get("/v1/openapi.json")],
])("connections to %s", (_title, app, connectionsMax, request) => {
  test("a caller is answered while another address opens more connections than there are", async () => {
    const { server } = app();
    const { port } = server.address() as AddressInfo;
    const caller = connect(port, "127.0.0.1");
    await once(caller, "connect");
    const sockets: Socket[] = [];
    try {
      for (let count = 0; count < connectionsMax + 80; count += 1) {
        const socket = connect({ port, host: "127.0.0.1", localAddress: STRANGER });
        socket.on("error", () => {});
        sockets.push(socket);
      }
      // The excess is closed, and the rest stays open.
      const open = () => sockets.filter(({ readyState }) => readyState === "open").length;
      await expect.poll(open).toBeLessThanOrEqual(connectionsMax);
      await expect.poll(() => sockets.some(({ connecting }) => connecting)).toBe(false);
      caller.write(request);
      const [answer] = (await once(caller, "data")) as [Buffer];
      expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
      for (let call = 0; call < 3; call += 1) {
        expect((await askRaw(server, request)).head).toMatch(/^HTTP\/1\.1 200 /);
      }
      expect(open()).toBeGreaterThan(0.8 * connectionsMax);
    } finally {
      for (const socket of [caller, ...sockets]) socket.destroy();
    }
  });
});

test("a connection whose answer is under way outlives the idle ones of its address", async () => {
  const { server } = api.app;
  const { port } = server.address() as AddressInfo;
  const body = '{"sessionId":"under-way"}';
  const headers = {
    ...{ host: "exchange.example", ...api.shop.headers },
    ...{ "content-type": "application/json", "content-length": String(body.length) },
  };
  const received = once(server, "request");
  const busy = connect(port, "127.0.0.1");
  busy.write(`${requestHead("POST /v1/public_token/create HTTP/1.1", headers)}\r\n\r\n{`);
  await received;
  const sockets = Array.from({ length: API_CONNECTIONS_MAX }, () => connect(port, "127.0.0.1"));
  try {
    const closed = Promise.race([busy, found(sockets[0])].map((socket) => once(socket, "close")));
    for (const socket of sockets) socket.on("error", () => {});
    await closed;
    expect(busy.readyState).toBe("open");
    busy.write(body.slice(1));
    const [answer] = (await once(busy, "data")) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 201 /);
  } finally {
    for (const socket of [busy, ...sockets]) socket.destroy();
  }
});
