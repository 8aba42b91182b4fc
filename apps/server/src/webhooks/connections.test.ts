import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { PostUnderWay } from "./post-under-way.ts";
import { makePoster, type PostOutcome } from "./poster.ts";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const FORGED = "HTTP/1.1 299 Forged\r\nContent-Length: 0\r\n\r\n";
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server below HTTP: it is asked what to do with each request, and remembers the requests. */
async function makeScene(answer: (socket: net.Socket, nth: number) => void) {
  const requests: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.on("data", (bytes) => {
      requests.push(bytes.toString());
      answer(socket, requests.length);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let lookups = 0;
  let letThrough = Promise.resolve();
  const poster = makePoster({
    policy: { allowSandboxTargets: true },
    totalTimeoutMs: 2_000,
    resolve: async () => {
      lookups++;
      await letThrough;
      return [{ address: "127.0.0.1", family: 4 }];
    },
  });
  closing.push(async () => {
    await poster.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://shop.example:${(server.address() as AddressInfo).port}/hook`;
  return {
    requests,
    connections: () => sockets.size,
    closed: () => [...sockets].filter(({ destroyed }) => destroyed).length,
    lookups: () => lookups,
    holdBack: (until: Promise<void>) => {
      letThrough = until;
    },
    post: (signal = new AbortController().signal) =>
      poster.post({ url, headers: { "X-Webhook-Id": "1" }, body: '{"a":"ü"}', signal }),
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
const answered = (status: number) => ({ kind: "answered", status });

test("a request is one write: its lines, its headers, the length and the bytes of its body", async () => {
  const scene = await makeScene((socket) => socket.write(ANSWER));
  await scene.post();
  const [request] = scene.requests;
  expect(request?.split("\r\n")).toEqual([
    "POST /hook HTTP/1.1",
    expect.stringMatching(/^host: shop\.example:\d+$/),
    "connection: keep-alive",
    "X-Webhook-Id: 1",
    "content-length: 10",
    "",
    '{"a":"ü"}',
  ]);
});

test("what a server sends beside its answer is never the answer to the next request", async () => {
  const scene = await makeScene((socket) => socket.write(`${ANSWER}${FORGED}`));
  expect(await scene.post()).toMatchObject(answered(200));
  expect(await scene.post()).toMatchObject(answered(200));
  expect(scene.connections()).toBe(2);
});

test("what a server sends before it is asked is never the answer to the next request", async () => {
  const scene = await makeScene((socket) => {
    socket.write(ANSWER);
    setTimeout(() => socket.write(FORGED), 5);
  });
  expect(await scene.post()).toMatchObject(answered(200));
  await expect.poll(scene.closed).toBe(1);
  expect(await scene.post()).toMatchObject(answered(200));
  expect(scene.connections()).toBe(2);
});

test("a connection that its server has ended is not used again", async () => {
  const scene = await makeScene((socket) => void socket.end(ANSWER));
  expect(await scene.post()).toMatchObject(answered(200));
  await expect.poll(scene.closed).toBe(1);
  expect(await scene.post()).toMatchObject(answered(200));
});

test("requests at the same time have a connection each, and leave them to those after them", async () => {
  const scene = await makeScene((socket) => setTimeout(() => socket.write(ANSWER), 20));
  const all = [answered(200), answered(200), answered(200)];
  const postAll = () => Promise.all([scene.post(), scene.post(), scene.post()]);
  expect(await postAll()).toMatchObject(all);
  expect(scene.connections()).toBe(3);
  expect(await postAll()).toMatchObject(all);
  expect(scene.connections()).toBe(3);
});

test("a connection whose answer was cut off is not used again", async () => {
  const scene = await makeScene((socket, nth) => {
    if (nth > 1) return void socket.write(ANSWER);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n${"x".repeat(17_000)}`);
  });
  expect(await scene.post()).toMatchObject(answered(200));
  expect(await scene.post()).toMatchObject(answered(200));
  expect(scene.connections()).toBe(2);
});

test("a server that has gone quiet in its body has answered, and its connection is ended", async () => {
  const scene = await makeScene((socket, nth) => {
    socket.write(nth > 1 ? ANSWER : "HTTP/1.1 202 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
  });
  const outcome = await scene.post();
  expect(outcome).toMatchObject(answered(202));
  expect(outcome.kind === "answered" && Buffer.from(outcome.excerpt).toString()).toBe("ab");
  await expect.poll(scene.closed).toBe(1);
  expect(await scene.post()).toMatchObject(answered(200));
  expect(scene.connections()).toBe(2);
});

test("an answer is over, and cut off, when more has come than is read of a body", () => {
  const outcomes: PostOutcome[] = [];
  const cut = vi.fn();
  const { signal } = new AbortController();
  const onEnd = (_post: PostUnderWay, outcome: PostOutcome) => outcomes.push(outcome);
  const post = new PostUnderWay({ text: "", signal, endsAt: 0, onEnd });
  post.cut = cut;
  post.onHead(200, undefined);
  for (let count = 0; count < 16; count++) post.onBody(Buffer.alloc(1_024));
  expect(outcomes).toEqual([]);
  post.onBody(Buffer.alloc(1));
  expect(outcomes).toMatchObject([answered(200)]);
  expect(cut).toHaveBeenCalledOnce();
});

test("what is broken off while it connects is never sent", async () => {
  const scene = await makeScene((socket) => socket.write(ANSWER));
  const stopping = new AbortController();
  let letThrough = (): void => {};
  scene.holdBack(
    new Promise((resolve) => {
      letThrough = resolve;
    }),
  );
  const posting = scene.post(stopping.signal);
  await expect.poll(scene.lookups).toBe(1);
  stopping.abort();
  expect(await posting).toEqual({ kind: "failed", fault: "interrupted" });
  letThrough();
  await settled();
  expect(scene.requests).toEqual([]);
});
