import { afterEach, describe, expect, test } from "vitest";
import { type NameServer, startNameServer, type Zone } from "../testing/webhooks/name-server.ts";
import { type Receiver, startReceiver } from "../testing/webhooks/receiver.ts";
import { resolverAt } from "./connector.ts";
import { makePoster, type Poster, type PosterOptions } from "./poster.ts";

const SANDBOX = { allowSandboxTargets: true };
const STRICT = { allowSandboxTargets: false };
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function makeScene(
  zone: Zone,
  options: Partial<PosterOptions> = {},
): Promise<{ readonly names: NameServer; readonly poster: Poster; readonly receiver: Receiver }> {
  const names = await startNameServer(zone);
  const receiver = await startReceiver((response) => {
    response.writeHead(200, { connection: "close" }).end();
  });
  const poster = makePoster({
    policy: SANDBOX,
    totalTimeoutMs: 60_000,
    connectTimeoutMs: 60_000,
    resolve: resolverAt([names.address]),
    ...options,
  });
  closing.push(names.close, receiver.close, poster.close);
  return { names, poster, receiver };
}

const send = (poster: Poster, url: string) =>
  poster.post({ url, headers: {}, body: "{}", signal: new AbortController().signal });

const refused = { kind: "failed", errorClass: "refused_address" };
const METADATA = "169.254.169.254";

describe("a name server that changes its mind", () => {
  test("between check and connection gains nothing: it is asked once for each connection", async () => {
    const { names, poster, receiver } = await makeScene(({ type, nth }) =>
      type === "A" ? [nth === 1 ? "127.0.0.1" : METADATA] : [],
    );
    const url = `http://shop.example:${receiver.port}/hook`;
    expect(await send(poster, url)).toMatchObject({ status: 200 });
    expect(names.questions()).toBe(2); // one for each family
    expect(receiver.received).toHaveLength(1);
  });

  test("between two webhooks is refused at the second", async () => {
    const { poster, receiver } = await makeScene(({ type, nth }) =>
      type === "A" ? [nth === 1 ? "127.0.0.1" : METADATA] : [],
    );
    const url = `http://shop.example:${receiver.port}/hook`;
    expect(await send(poster, url)).toMatchObject({ status: 200 });
    expect(await send(poster, url)).toEqual(refused);
    expect(receiver.received).toHaveLength(1);
  });

  test("with every answer never gets a request to where it points by turns", async () => {
    const { poster, receiver } = await makeScene(
      ({ type, nth }) => (type === "A" ? [nth % 2 ? "10.0.0.1" : "127.0.0.1"] : []),
      { policy: STRICT },
    );
    const url = "https://shop.example:8443/hook";
    for (let count = 0; count < 10; count++) expect(await send(poster, url)).toEqual(refused);
    expect(receiver.connections()).toBe(0);
  });
});

const PUBLIC = "93.184.215.14";
const zoneOf =
  (a: readonly string[], aaaa: readonly string[] = []): Zone =>
  ({ type }) =>
    type === "A" ? a : aaaa;

describe("a name that leads inside", () => {
  test.each([
    ["by its only address", zoneOf(["127.0.0.1"])],
    ["by one of several", zoneOf([PUBLIC, PUBLIC, "10.0.0.1"])],
    ["by its IPv6 address only", zoneOf([PUBLIC], ["0:0:0:0:0:0:0:1"])],
    ["by a mapped address", zoneOf([PUBLIC], ["0:0:0:0:0:ffff:a9fe:a9fe"])],
    ["by NAT64", zoneOf([], ["64:ff9b:0:0:0:0:a9fe:a9fe"])],
    ["by 6to4", zoneOf([], ["2002:7f00:1:0:0:0:0:1"])],
    ["by the unspecified address", zoneOf(["0.0.0.0"])],
    ["by the metadata address", zoneOf([METADATA])],
    ["by carrier-grade NAT", zoneOf(["100.64.0.1"])],
    ["by a link-local address", zoneOf([], ["fe80:0:0:0:0:0:0:1"])],
  ])("%s is refused without a connection", async (_how, zone) => {
    const { poster, receiver } = await makeScene(zone, { policy: STRICT });
    expect(await send(poster, "https://shop.example/hook")).toEqual(refused);
    expect(receiver.connections()).toBe(0);
  });

  test("is refused in a sandbox too, unless it is this machine", async () => {
    const { poster, receiver } = await makeScene(zoneOf(["127.0.0.1", "192.168.0.1"]));
    expect(await send(poster, `http://shop.example:${receiver.port}/`)).toEqual(refused);
    expect(receiver.connections()).toBe(0);
  });
});

test.each([
  ["NXDOMAIN", "dns"],
  ["SERVFAIL", "dns"],
  ["silence", "timeout"],
] as const)("a name server that answers with %s is a %s error", async (answer, errorClass) => {
  const times = errorClass === "timeout" ? { totalTimeoutMs: 700 } : {};
  const { poster } = await makeScene(() => answer, times);
  expect(await send(poster, "http://nobody.example/")).toEqual({ kind: "failed", errorClass });
});

test("a proxy named in the environment is never asked", async () => {
  const proxy = await startReceiver();
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
  const variables = [...names, ...names.map((name) => name.toLowerCase())];
  for (const name of variables) process.env[name] = `http://127.0.0.1:${proxy.port}`;
  try {
    const { poster, receiver } = await makeScene(zoneOf(["127.0.0.1"]));
    expect(await send(poster, `http://shop.example:${receiver.port}/`)).toMatchObject({
      status: 200,
    });
    await send(poster, "https://shop.example:1/");
    expect(receiver.received).toHaveLength(1);
    expect(proxy.connections()).toBe(0);
  } finally {
    for (const name of variables) delete process.env[name];
    await proxy.close();
  }
});
