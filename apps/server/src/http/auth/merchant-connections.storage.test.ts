import { Agent, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createKey } from "../../flows/merchants/create-key.ts";
import { revokeKey } from "../../flows/merchants/revoke-key.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { operatorNamed } from "../../testing/operators.ts";

const METHODS = "/v1/payment-methods?operationType=B&countryCode=CA";

let world: HttpWorld;
/** One keep-alive connection for all requests of a test. */
let connection: Agent;

beforeAll(async () => {
  world = await makeHttpWorld();
  await world.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => world.close());
beforeEach(() => {
  connection = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(() => connection.destroy());

/** Returns the status of a read and the client's port, which identifies the connection. */
function read(headers: Readonly<Record<string, string>>) {
  const { port } = world.app.server.address() as AddressInfo;
  return new Promise<{ status: number | undefined; from: number | undefined }>(
    (resolve, reject) => {
      const clientRequest = request(
        { port, host: "127.0.0.1", path: METHODS, agent: connection, headers },
        (response) => {
          const from = response.socket.localPort;
          response.resume().on("end", () => resolve({ status: response.statusCode, from }));
        },
      );
      clientRequest.on("error", reject).end();
    },
  );
}

/** Sends the requests one after the other on one connection and returns their statuses. */
async function statusesOf(requests: readonly Readonly<Record<string, string>>[]) {
  const answers = [];
  for (const headers of requests) answers.push(await read(headers));
  expect(new Set(answers.map(({ from }) => from)).size).toBe(1);
  return answers.map(({ status }) => status);
}

/** Changes the character at one position. */
const changedAt = (text: string, place: number): string => {
  const other = text.at(place) === "a" ? "b" : "a";
  return text.slice(0, place) + other + text.slice(place + 1);
};

test("a connection that sent a right key must send it, whole, with each request", async () => {
  const { headers, apiKey } = world.shop;
  const wrong = [
    ...[0, 20, apiKey.length - 10, apiKey.length - 1].map((place) => changedAt(apiKey, place)),
    apiKey.slice(0, -1),
    `${apiKey}a`,
  ];
  for (const text of wrong) {
    expect(
      await statusesOf([headers, headers, { ...headers, "x-api-key": text }, headers]),
    ).toEqual([200, 200, 401, 200]);
  }
});

test("one connection may carry the credentials of two merchants, and mixing the two is refused", async () => {
  const { headers } = world.shop;
  const other = await world.addShop();
  const mixed = { ...headers, "x-client-id": other.clientId };
  const requests = [headers, headers, mixed, other.headers, other.headers, mixed, headers];
  expect(await statusesOf(requests)).toEqual([200, 200, 401, 200, 200, 401, 200]);
});

test("a revoked key is refused on the connection that used it", async () => {
  const { headers, clientId } = world.shop;
  const key = await createKey(world.deps, { merchantId: clientId, by: operatorNamed("anna") });
  await world.refresh();
  const own = { ...headers, "x-api-key": key.apiKey };
  expect(await statusesOf([own, own])).toEqual([200, 200]);
  await revokeKey(world.deps, { merchantId: clientId, id: key.keyId, by: operatorNamed("anna") });
  await world.refresh();
  expect(await statusesOf([own, own, headers])).toEqual([401, 401, 200]);
});
