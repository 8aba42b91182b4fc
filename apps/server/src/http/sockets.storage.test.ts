import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { statement, type Tx } from "../storage/postgres/database.ts";
import { openBrowser, placeOrder } from "../testing/checkout-browser.ts";
import { type ErrorReply, type HttpWorld, makeHttpWorld } from "../testing/http-world.ts";
import { askRaw, requestHead } from "../testing/raw-http.ts";
import { baseHeaders } from "./security-headers.ts";

const METHODS = "/v1/payment-methods?operationType=B&countryCode=CA";
const TOKEN = "/v1/public_token/create";

let world: HttpWorld;

beforeAll(async () => {
  world = await makeHttpWorld();
  await world.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => world.close());

type Headers = Readonly<Record<string, string>>;

const request = (line: string, headers: Headers = world.shop.headers, body = ""): string =>
  `${requestHead(`${line} HTTP/1.1`, { host: "shop.example", ...headers })}\r\n\r\n${body}`;

const tokenRequest = (body: string, headers: Headers = {}): string =>
  request(
    `POST ${TOKEN}`,
    { ...world.shop.headers, "content-type": "application/json", ...headers },
    body,
  );

async function statusOf(text: string): Promise<string> {
  const { head } = await askRaw(world.app.server, text);
  return head.slice(9, 12);
}

test("a body may come in pieces", async () => {
  const body = '{"sessionId":"in-pieces"}';
  const text = tokenRequest(body, {
    "content-length": String(body.length),
    connection: "close",
  });
  const socket = connect((world.app.server.address() as AddressInfo).port, "127.0.0.1");
  socket.setNoDelay(true);
  const answered = (async () => {
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    return answer;
  })();
  const cuts = [0, 40, text.length - 20, text.length - 1, text.length];
  for (const [index, from] of cuts.slice(0, -1).entries()) {
    socket.write(text.slice(from, cuts[index + 1]));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await answered).toMatch(/^HTTP\/1\.1 201 Created[^]*"accessToken":"eyJ/);
});

test("an unknown path is refused before its body arrives", async () => {
  const headers = { ...world.shop.headers, "content-type": "application/json" };
  const text = request("POST /nothing", { ...headers, "content-length": "1000" }, "{");
  expect(await statusOf(text)).toBe("404");
});

describe("a client that is too slow", () => {
  beforeAll(() => {
    world.app.server.headersTimeout = 100;
  });
  afterAll(() => {
    world.app.server.headersTimeout = 10_000;
  });

  test("is told so with the documented body, once its request has begun", async () => {
    const { head, body } = await askRaw(world.app.server, "GET / HTTP/1.1\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toMatchObject({
      code: "INVALID_INPUT",
      message: "The request arrived too slowly.",
    });
  });

  // Chromium keeps a connection that it did not need, and reads bytes there as the answer to a later request.
  test("finds its connection closed without an answer, while it has sent nothing", async () => {
    const { port } = world.app.server.address() as AddressInfo;
    const answer = await text(connect(port, "127.0.0.1"));
    expect(answer).toBe("");
  });
});

test("a body may come in chunks", async () => {
  const body = '{"sessionId":"in-chunks"}';
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  expect(await statusOf(tokenRequest(chunks, { "transfer-encoding": "chunked" }))).toBe("201");
});

test("a read may have a body, which is ignored", async () => {
  const headers = { ...world.shop.headers, "content-length": "2" };
  expect(await statusOf(request(`GET ${METHODS}`, headers, "{}"))).toBe("200");
});

test("an answer to bytes that are not HTTP has the headers of every answer", async () => {
  const { head } = await askRaw(world.app.server, "GET / HTTP/9\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  for (const [name, value] of Object.entries(baseHeaders(world.deps.publicUrl))) {
    expect(head.toLowerCase()).toContain(`${name}: ${value}`);
  }
  expect(head).toContain("application/json; charset=utf-8");
});

test("headers that are too long are refused with the documented body, which says so", async () => {
  const headers = { ...world.shop.headers, cookie: "x".repeat(20_000) };
  const { head, body } = await askRaw(world.app.server, request(`GET ${METHODS}`, headers));
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(body)).toEqual({
    code: "INVALID_INPUT",
    message:
      "The address and the headers of the request have more than 16 kB. Send fewer or shorter ones, such as no cookies.",
    requestId: expect.any(String),
  });
});

test("over TLS every answer asks browsers for TLS, on subdomains and for a year", () => {
  const name = "strict-transport-security";
  const value = "max-age=31536000; includeSubDomains";
  expect(baseHeaders("https://pay.example")).toMatchObject({ [name]: value });
  expect(baseHeaders("http://localhost:8080")).not.toHaveProperty([name]);
});

test("TRACE, which would repeat credentials, is answered like an unknown path", async () => {
  expect(await statusOf(request(`TRACE ${METHODS}`))).toBe("404");
});

test.each(["host", "HOST"])("a second header %s is refused", async (name) => {
  const text = request(`GET ${METHODS}`).replace("\r\n\r\n", `\r\n${name}: other.example\r\n\r\n`);
  const { head, body } = await askRaw(world.app.server, text);
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(body)).toMatchObject({ code: "INVALID_INPUT" });
});

test.each([
  ["no header Host", ["GET / HTTP/1.1"], "Host"],
  ["an unknown expectation", ["GET / HTTP/1.1", "Host: shop.example", "Expect: foo"], "Expect"],
])("%s is refused with the documented body and an id", async (_title, lines, named) => {
  const { head, body } = await askRaw(world.app.server, `${lines.join("\r\n")}\r\n\r\n`);
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  const { code, message, requestId } = JSON.parse(body) as ErrorReply;
  expect([code, message.includes(named)]).toEqual(["INVALID_INPUT", true]);
  expect(head.toLowerCase()).toContain(`x-request-id: ${requestId}`);
});

test("a client of HTTP/1.0 may leave out the header Host", async () => {
  const { head } = await askRaw(world.app.server, "GET /healthz HTTP/1.0\r\n\r\n");
  expect(head.slice(9, 12)).toBe("200");
});

test("a client that waits for 100 Continue gets it, and then its answer", async () => {
  const body = '{"sessionId":"continued"}';
  const { port } = world.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  const expecting = { "content-length": String(body.length), expect: "100-continue" };
  socket.write(tokenRequest("", { ...expecting, connection: "close" }));
  let answer = "";
  for await (const chunk of socket) {
    if (answer === "") socket.write(body);
    answer += String(chunk);
  }
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created/);
});

test("the server bounds the requests of a connection and its idle time", () => {
  const { maxRequestsPerSocket, timeout, requestTimeout } = world.app.server;
  expect(maxRequestsPerSocket).toBe(1_000);
  // Shorter than an attack, longer than the silence of an event stream and the longest statement.
  expect(timeout).toBeLessThanOrEqual(60_000);
  expect(timeout).toBeGreaterThan(30_000);
  expect(requestTimeout).toBe(15_000);
});

test("a client that sends requests and reads no answer is disconnected", async () => {
  const { server } = world.app;
  const { timeout } = server;
  server.setTimeout(200);
  const accepted = once(server, "connection");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [held] = (await accepted) as [Socket];
  socket.pause();
  socket.on("error", () => {});
  socket.write(request("GET /v1/openapi.json").repeat(100));
  try {
    await expect.poll(() => held.destroyed).toBe(true);
  } finally {
    server.setTimeout(timeout);
    socket.destroy();
  }
});

test("an API key that is sent twice is refused", async () => {
  const headers = { ...world.shop.headers, "X-Api-Key": world.shop.apiKey };
  expect(await statusOf(request(`GET ${METHODS}`, headers))).toBe("401");
});

test("concurrent reads of orders by two merchants never answer the wrong merchant", async () => {
  const { orderId } = await placeOrder(world, await openBrowser(world));
  const { headers: others } = await world.addShop();
  const ids = [orderId, orderId + 1, orderId, 1, Number.MAX_SAFE_INTEGER];
  const statuses = [world.shop.headers, others].flatMap((headers) =>
    ids.map((id) => statusOf(request(`GET /v1/orders/${id}`, headers))),
  );
  const [one, none] = ["200", "404"];
  expect(await Promise.all(statuses)).toEqual(
    [one, none, one, none, none].concat(ids.map(() => none)),
  );
});

test("a client that leaves before its answer harms nobody", async () => {
  const { orderId } = await placeOrder(world, await openBrowser(world));
  const read = request(`GET /v1/orders/${orderId}`);
  await world.database.transaction(async (tx) => {
    await tx.runScript("lock table orders in access exclusive mode");
    const left = once(world.app.server, "connection").then(([socket]) => once(socket, "close"));
    const socket = connect((world.app.server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(read);
    await expect.poll(() => countWaiting(tx)).toBe(1);
    socket.destroy();
    await left;
  });
  expect(await statusOf(read)).toBe("200");
});

/** Counts the database transactions that wait for the locked table. */
async function countWaiting(tx: Tx): Promise<number> {
  const text =
    "select count(*)::int as count from pg_locks where not granted and relation = 'orders'::regclass";
  const [row] = await tx.query<{ count: number }>(statement("waiting", text));
  return row?.count ?? 0;
}
