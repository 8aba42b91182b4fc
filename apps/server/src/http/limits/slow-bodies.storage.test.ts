import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sandboxCallbacks } from "../../sandbox/callbacks/callbacks.ts";
import { GENEROUS, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { askRaw, requestHead } from "../../testing/raw-http.ts";
import { buildHttpServer } from "../server.ts";

const METHODS = "/v1/payment-methods?operationType=B&countryCode=CA";
const TOKEN = "/v1/public_token/create";
/** More than the requests that a process works on at the same time. */
const SLOW_BODIES = 516;
const CALLS = 20;
const ARRIVING_BYTES_MAX = 1024 * 1024;

type Headers = Readonly<Record<string, string>>;

let world: HttpWorld;
let token: string;
/** A service that trusts the addresses of the tests' headers and lets few bodies arrive at once. */
let small: HttpWorld;
const sockets = new Set<Socket>();

beforeAll(async () => {
  const callbacks = new Map([["sandbox", sandboxCallbacks([Buffer.alloc(32, 7)])]]);
  world = await makeHttpWorld({ deps: { callbacks } });
  token = await world.token();
  small = await makeHttpWorld({
    settings: { trustedProxies: ["loopback"], arrivingBytesMax: ARRIVING_BYTES_MAX },
  });
  for (const { app } of [world, small]) await app.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(async () => {
  for (const socket of sockets) {
    socket.destroy();
    if (!socket.closed) await once(socket, "close");
  }
  sockets.clear();
});
afterAll(async () => {
  await world.close();
  await small.close();
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the bytes that this process holds. */
function heldBytes(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

interface SlowBody {
  readonly socket: Socket;
  /** The answer so far. It is empty while the service waits for the rest of the body. */
  answer(): string;
}

/** Begins requests that send a part of their body, and returns when the service has read their headers. */
async function beginBodies(
  { app }: HttpWorld,
  count: number,
  { line, headers, part }: Record<"line" | "part", string> & { headers: (n: number) => Headers },
): Promise<readonly SlowBody[]> {
  let received = 0;
  const onRequest = (): void => void (received += 1);
  app.server.on("request", onRequest);
  const { port } = app.server.address() as AddressInfo;
  const bodies = Array.from({ length: count }, (_, n) => {
    const socket = connect(port, "127.0.0.1");
    sockets.add(socket);
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    socket.on("error", () => {});
    const host = { host: "shop.example", ...headers(n) };
    socket.write(`${requestHead(`${line} HTTP/1.1`, host)}\r\n\r\n${part}`);
    return { socket, answer: () => text };
  });
  await expect.poll(() => received, { timeout: 20_000 }).toBe(count);
  app.server.off("request", onRequest);
  return bodies;
}

const json = (length: number): Headers => ({
  "content-type": "application/json",
  "content-length": String(length),
});

async function statusOf(
  { app }: Pick<HttpWorld, "app">,
  line: string,
  headers: Headers,
  body = "",
) {
  const all = { host: "shop.example", connection: "close", ...headers };
  const text = `${requestHead(`${line} HTTP/1.1`, all)}\r\n\r\n${body}`;
  return Number((await askRaw(app.server, text)).head.slice(9, 12));
}

const DOORS: readonly (readonly [string, string, () => Headers])[] = [
  ["a provider's callbacks", "POST /rails/sandbox/callbacks", () => json(1_000)],
  ["a path that does not exist", "POST /nothing", () => json(1_000)],
  [
    "the checkout's form",
    "POST /checkout?clientId=CLIENT",
    () => ({
      origin: "http://localhost:3000",
      "content-type": "application/x-www-form-urlencoded",
      "content-length": "1000",
    }),
  ],
  [
    "a browser's quotes",
    "POST /v1/checkout/quotes",
    () => ({ ...json(1_000), authorization: `Bearer ${token}` }),
  ],
];

describe("while one address holds more slow bodies than the process answers requests", () => {
  test.each(DOORS)("%s: every call of a merchant is answered", async (_door, line, headers) => {
    await beginBodies(world, SLOW_BODIES, {
      line: line.replace("CLIENT", world.shop.clientId),
      headers,
      part: "a",
    });
    const { headers: credentials } = await world.addShop();
    const statuses: number[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      const body = `{"sessionId":"victim-${call}"}`;
      statuses.push(await statusOf(world, `GET ${METHODS}`, credentials));
      statuses.push(
        await statusOf(world, `POST ${TOKEN}`, { ...credentials, ...json(body.length) }, body),
      );
    }
    expect(statuses).toEqual(Array.from({ length: CALLS }, () => [200, 201]).flat());
  });
});

test("a body that came with its headers takes no part in the share of slow bodies", async () => {
  const { deps } = world;
  const limits = { version: "0.0.0", rateLimits: GENEROUS, arrivingBytesMax: 0 };
  const app = buildHttpServer(deps, limits);
  await app.listen({ port: 0, host: "127.0.0.1" });
  try {
    const body = '{"sessionId":"at-once"}';
    const headers = { ...world.shop.headers, ...json(body.length) };
    for (let call = 0; call < CALLS; call += 1) {
      expect(await statusOf({ app }, `POST ${TOKEN}`, headers, body)).toBe(201);
    }
  } finally {
    await app.close();
  }
});

describe("the bytes of all bodies that arrive", () => {
  const LENGTH = 64 * 1024;
  const slowBody = (address: (n: number) => string) => ({
    line: `POST ${TOKEN}`,
    headers: (n: number) => ({
      ...small.shop.headers,
      ...json(LENGTH),
      "x-forwarded-for": address(n),
    }),
    part: "x".repeat(LENGTH - 1),
  });

  test("are bounded over all addresses, and the rest is refused with Retry-After", async () => {
    const bodies = await beginBodies(
      small,
      60,
      slowBody((n) => `198.51.100.${n % 20}`),
    );
    const waiting = () => bodies.filter(({ answer }) => answer() === "").length;
    await expect.poll(() => waiting() * LENGTH).toBeLessThanOrEqual(ARRIVING_BYTES_MAX);
    expect(waiting()).toBeGreaterThan(1);
    for (const { answer } of bodies) {
      if (answer() === "") continue;
      expect(answer()).toMatch(/^HTTP\/1\.1 50[03] [^]*"code":"SERVICE_UNAVAILABLE"/);
      expect(answer()).toMatch(/^retry-after: \d/im);
    }
  });

  test("are shared, so that the address with the most gives way and a slow customer does not", async () => {
    const text = '{"sessionId":"slow"}';
    const [customer] = await beginBodies(small, 1, {
      line: `POST ${TOKEN}`,
      headers: () => ({
        ...small.shop.headers,
        ...json(text.length),
        "x-forwarded-for": "203.0.113.9",
      }),
      part: text.slice(0, 5),
    });
    const bodies = await beginBodies(
      small,
      60,
      slowBody(() => "198.51.100.1"),
    );
    await expect
      .poll(() => bodies.filter(({ answer }) => answer() !== "").length)
      .toBeGreaterThan(30);
    expect(customer?.answer()).toBe("");
    customer?.socket.write(text.slice(5));
    await expect.poll(() => customer?.answer()).toMatch(/^HTTP\/1\.1 201 /);
  });

  test("an address that all callers share gives up its oldest body, and ordinary calls are answered", async () => {
    await beginBodies(
      small,
      60,
      slowBody(() => "198.51.100.1"),
    );
    const headers = { ...small.shop.headers, "x-forwarded-for": "198.51.100.1" };
    const body = '{"sessionId":"same-address"}';
    const status = () =>
      statusOf(small, `POST ${TOKEN}`, { ...headers, ...json(body.length) }, body);
    for (let call = 0; call < CALLS; call += 1) expect(await status()).toBe(201);
  });

  /** Returns the bytes that the service holds for bodies once it has read all that was sent. */
  async function heldFor(count: number, headers: Headers, part: string): Promise<number> {
    const accepted: Socket[] = [];
    const onConnection = (socket: Socket): void => void accepted.push(socket);
    world.app.server.on("connection", onConnection);
    const before = heldBytes();
    await beginBodies(world, count, {
      line: `POST ${TOKEN}`,
      headers: () => ({ ...world.shop.headers, ...headers }),
      part,
    });
    const read = () => accepted.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    await expect.poll(read, { timeout: 20_000 }).toBeGreaterThan(count * part.length);
    world.app.server.off("connection", onConnection);
    return heldBytes() - before;
  }

  test("a body over its limit is read and not kept", async () => {
    const [count, length] = [100, 1024 * 1024 - 1];
    const held = await heldFor(count, json(length), "x".repeat(length - 1));
    expect(held).toBeLessThan((count * length) / 4);
  });

  test("a body that comes byte by byte holds little more than its bytes", async () => {
    const [count, length] = [20, 30_000];
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const held = await heldFor(count, headers, "1\r\nx\r\n".repeat(length));
    expect(held).toBeLessThan(8 * count * length);
  });
});
