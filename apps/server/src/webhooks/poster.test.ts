import { once } from "node:events";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { makeCertificate } from "../testing/webhooks/certificates.ts";
import {
  type Answer,
  answerStatus,
  type Receiver,
  startReceiver,
} from "../testing/webhooks/receiver.ts";
import { makePoster, type Poster, type PosterOptions, type PostOutcome } from "./poster.ts";

const SANDBOX = { allowSandboxTargets: true };
/** Long timeouts: only tests of a silent endpoint wait for one. */
const PATIENT = { totalTimeoutMs: 60_000, connectTimeoutMs: 60_000 };
const SHORT = { totalTimeoutMs: 400 };
const STRICT = { allowSandboxTargets: false };
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function receive(answer?: Answer): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  closing.push(() => receiver.close());
  return receiver;
}

/** A server below HTTP, for answers that no HTTP server sends. */
async function startSocketServer(onConnection: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function makeTestPoster(options: Partial<PosterOptions> = {}): Poster {
  const poster = makePoster({ policy: SANDBOX, ...PATIENT, ...options });
  closing.push(() => poster.close());
  return poster;
}

const send = (poster: Poster, url: string, signal = new AbortController().signal) =>
  poster.post({ url, headers: { "X-Webhook-Id": "1" }, body: '{"a":"ü"}', signal });

const failed = (errorClass: string) => ({ kind: "failed", errorClass });
const textOf = (outcome: PostOutcome): string =>
  outcome.kind === "answered" ? Buffer.from(outcome.excerpt).toString() : outcome.errorClass;

describe("posting a webhook", () => {
  test("sends exactly the body and headers and keeps the first 256 bytes of the answer", async () => {
    const receiver = await receive((response) => response.end("0123456789".repeat(100)));
    const outcome = await send(makeTestPoster(), `${receiver.url}?shop=1`);
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
    expect(textOf(outcome)).toBe("0123456789".repeat(26).slice(0, 256));
    expect(receiver.received).toMatchObject([
      { path: "/hook?shop=1", body: '{"a":"ü"}', headers: { "x-webhook-id": "1" } },
    ]);
  });

  test("uses connections again", async () => {
    const receiver = await receive();
    const poster = makeTestPoster();
    for (let count = 0; count < 9; count++) await send(poster, receiver.url);
    expect(receiver.received).toHaveLength(9);
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  test("loses no request to an endpoint that closes each connection after its answer", async () => {
    const receiver = await receive((response) => {
      response.writeHead(200, { connection: "close" }).end();
    });
    const poster = makeTestPoster();
    for (let count = 0; count < 20; count++) {
      expect(await send(poster, receiver.url)).toMatchObject({ status: 200 });
    }
  });

  test("loses no request to an endpoint that closes idle connections", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const receiver = await receive((response) => {
      const { socket } = response;
      if (socket) closed = once(socket, "close");
      response.end();
      setTimeout(() => socket?.destroy(), 5);
    });
    const poster = makeTestPoster();
    for (let count = 0; count < 10; count++) {
      expect(await send(poster, receiver.url)).toMatchObject({ status: 200 });
      await closed;
      // The poster hears of it in its next turn.
      await turn();
      await turn();
    }
  });

  test("does not follow a redirect, to the inside least of all", async () => {
    const inside = await receive();
    const receiver = await receive(answerStatus(307, { location: inside.url }));
    expect(await send(makeTestPoster(), receiver.url)).toMatchObject({ status: 307 });
    expect(inside.received).toHaveLength(0);
  });

  test("takes no proxy from the environment", async () => {
    const proxy = await receive();
    const receiver = await receive();
    const before = { ...process.env };
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) {
      process.env[name] = `http://127.0.0.1:${proxy.port}`;
    }
    process.env["NODE_USE_ENV_PROXY"] = "1";
    expect(await send(makeTestPoster(), receiver.url)).toMatchObject({ status: 200 });
    process.env = before;
    expect(proxy.received).toHaveLength(0);
  });

  test("keeps the value of Retry-After", async () => {
    const receiver = await receive(answerStatus(503, { "retry-after": "120" }));
    expect(await send(makeTestPoster(), receiver.url)).toMatchObject({
      status: 503,
      retryAfter: "120",
    });
  });
});

test("an endpoint that never answers is a timeout", async () => {
  const receiver = await receive(() => {});
  expect(await send(makeTestPoster(SHORT), receiver.url)).toEqual(failed("timeout"));
});

test("an endpoint that sends its status line a byte at a time is a timeout", async () => {
  const url = await startSocketServer((socket) => {
    const timer = setInterval(() => socket.write("H"), 50);
    socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nA: "));
    socket.once("close", () => clearInterval(timer));
  });
  expect(["timeout", "protocol"]).toContain(textOf(await send(makeTestPoster(SHORT), url)));
});

test("an endpoint whose body never ends has answered, and is cut off", async () => {
  const receiver = await receive((response) => {
    response.writeHead(200);
    const more = () => response.write("x".repeat(64 * 1024));
    more();
    const timer = setInterval(more, 5);
    response.once("close", () => clearInterval(timer));
  });
  const outcome = await send(makeTestPoster(), receiver.url);
  expect(outcome).toMatchObject({ status: 200 });
  expect(textOf(outcome)).toBe("x".repeat(256));
});

test("an endpoint whose body stalls after a 200 has answered", async () => {
  const receiver = await receive((response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half");
  });
  const outcome = await send(makeTestPoster(), receiver.url);
  expect(outcome).toMatchObject({ status: 200 });
  expect(textOf(outcome)).toBe("half");
});

test("an endpoint that sends a compressed bomb is not decompressed", async () => {
  const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024));
  const receiver = await receive((response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
  );
  const outcome = await send(makeTestPoster(), receiver.url);
  expect(outcome).toMatchObject({ excerpt: bomb.subarray(0, 256) });
});

test("an endpoint that sends too many headers is a protocol error", async () => {
  const url = await startSocketServer((socket) =>
    socket.once("data", () =>
      socket.write(`HTTP/1.1 200 OK\r\n${"X-Filler: 0123456789\r\n".repeat(5_000)}\r\n`),
    ),
  );
  expect(await send(makeTestPoster(), url)).toEqual(failed("protocol"));
});

test("an endpoint that does not speak HTTP is a protocol error", async () => {
  const url = await startSocketServer((socket) =>
    socket.once("data", () => socket.write("SSH-2.0-OpenSSH_9.6\r\n\r\n")),
  );
  expect(await send(makeTestPoster(), url)).toEqual(failed("protocol"));
});

test("an endpoint that hangs up is a reset", async () => {
  const url = await startSocketServer((socket) => socket.once("data", () => socket.destroy()));
  expect(await send(makeTestPoster(), url)).toEqual(failed("reset"));
});

test("an endpoint that nobody listens at is a connection error", async () => {
  const receiver = await startReceiver();
  await receiver.close();
  expect(await send(makeTestPoster(), receiver.url)).toEqual(failed("connect"));
});

test("an attempt that is broken off is interrupted", async () => {
  const stopping = new AbortController();
  const receiver = await receive(() => stopping.abort());
  const outcome = await send(makeTestPoster(), receiver.url, stopping.signal);
  expect(outcome).toEqual(failed("interrupted"));
});

describe("the address connected to", () => {
  test("is the one that was checked: the name is asked once for each connection", async () => {
    const receiver = await receive();
    const answers = ["127.0.0.1", "10.0.0.1"];
    const poster = makeTestPoster({
      resolve: async () => [{ address: answers.shift() ?? "10.0.0.1", family: 4 }],
    });
    const url = `http://shop.example:${receiver.port}/hook`;
    expect(await send(poster, url)).toMatchObject({ status: 200 });
    expect(answers).toEqual(["10.0.0.1"]);
    expect(receiver.received[0]?.headers.host).toBe(`shop.example:${receiver.port}`);
  });

  test("is refused when the name leads inside on the next connection", async () => {
    const receiver = await receive((response) => {
      response.writeHead(200, { connection: "close" }).end();
    });
    const answers = ["127.0.0.1", "169.254.169.254"];
    const poster = makeTestPoster({
      resolve: async () => [{ address: answers.shift() ?? "", family: 4 }],
    });
    const url = `http://shop.example:${receiver.port}/hook`;
    expect(await send(poster, url)).toMatchObject({ status: 200 });
    expect(await send(poster, url)).toEqual(failed("refused_address"));
  });

  test("is refused when one of several addresses is not public", async () => {
    const receiver = await receive();
    const poster = makeTestPoster({
      policy: STRICT,
      resolve: async () => [
        { address: "93.184.215.14", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ],
    });
    expect(await send(poster, "https://shop.example/hook")).toEqual(failed("refused_address"));
    expect(receiver.connections()).toBe(0);
  });

  test.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://[::ffff:127.0.0.1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
    "http://93.184.215.14/",
    "https://93.184.215.14:22/",
  ])("%s is refused when connecting, however it came to be registered", async (url) => {
    expect(await send(makeTestPoster({ policy: STRICT }), url)).toEqual(failed("refused_address"));
  });

  test("a name that does not exist is a DNS error", async () => {
    const poster = makeTestPoster({
      resolve: async () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" })),
    });
    expect(await send(poster, "http://nobody.example/")).toEqual(failed("dns"));
    const nothing = makeTestPoster({ resolve: async () => [] });
    expect(await send(nothing, "http://nobody.example/")).toEqual(failed("dns"));
  });
});

describe("TLS", () => {
  const certificate = makeCertificate("shop.example");
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];

  async function startTlsReceiver(): Promise<number> {
    const server = https.createServer(certificate, (_request, response) => response.end("ok"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  test("a certificate of a trusted authority for the right name is accepted", async () => {
    const port = await startTlsReceiver();
    const poster = makeTestPoster({ resolve, certificateAuthorities: [certificate.cert] });
    expect(await send(poster, `https://shop.example:${port}/`)).toMatchObject({ status: 200 });
  });

  test("a certificate for another name is a TLS error", async () => {
    const port = await startTlsReceiver();
    const poster = makeTestPoster({ resolve, certificateAuthorities: [certificate.cert] });
    expect(await send(poster, `https://other.example:${port}/`)).toEqual(failed("tls"));
  });

  test("an unknown authority is a TLS error, whatever the environment says", async () => {
    const port = await startTlsReceiver();
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    const outcome = await send(makeTestPoster({ resolve }), `https://shop.example:${port}/`);
    delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    expect(outcome).toEqual(failed("tls"));
  });
});
