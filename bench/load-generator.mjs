// The load, in a process of its own: keep-alive connections that send requests and read answers, with
// next to nothing of an HTTP client around, so that on few cores the server is what is measured.
// Without `perSecond` each connection sends its next request when it has its answer; with it requests
// are due evenly, and one that waits for a free connection has waited since it was due. What is due in
// its first moments is not counted: this process is cold and could not send it in time.
import { randomUUID } from "node:crypto";
import { connect } from "node:net";

const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\ncontent-length: (\d+)/i;
const NO_BODY = new Set(["204", "304"]);
/** Stands in a body for a UUID that is new in each request. */
const NEW_UUID = "{uuid}";
const WARM_UP_MS = 500;

process.once("message", async (job) => {
  try {
    process.send(await run(job));
  } catch (error) {
    process.send({ error: error.message });
  }
});
process.once("disconnect", () => process.exit());

async function run({ urls, method, headers, body, connections, seconds, perSecond }) {
  const { hostname, port } = new URL(urls[0]);
  const drawRequest = requestsOf({ urls, method, headers, body });
  const results = { latenciesMs: [], failures: 0, isOver: false, countsFrom: 0 };
  const clients = await Promise.all(
    Array.from({ length: connections }, () => openClient({ hostname, port, results })),
  );
  results.countsFrom = performance.now() + (perSecond ? WARM_UP_MS : 0);
  const endsAt = results.countsFrom + seconds * 1_000;
  const timer = setTimeout(() => {
    results.isOver = true;
  }, endsAt - performance.now());
  const loops = perSecond
    ? pace({ clients, results, drawRequest, perSecond })
    : Promise.all(clients.map((client) => closedLoop(client, results, drawRequest)));
  await loops.finally(() => clearTimeout(timer));
  const elapsedSeconds = (performance.now() - results.countsFrom) / 1_000;
  for (const client of clients) client.end();
  return summary(results, elapsedSeconds);
}

function summary({ latenciesMs, failures }, elapsedSeconds) {
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  const perSecond = sorted.length / elapsedSeconds;
  return { requests: sorted.length, failures, perSecond, p50: at(0.5), p99: at(0.99) };
}

/** Gives the bytes of the next request; the addresses take turns. */
function requestsOf({ urls, method, headers, body }) {
  const heads = urls.map((address) => {
    const url = new URL(address);
    const lines = Object.entries({ host: url.host, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    return [`${method} ${url.pathname}${url.search} HTTP/1.1`, ...lines].join("\r\n");
  });
  const withBody = (head, text) =>
    `${head}\r\ncontent-length: ${Buffer.byteLength(text)}${HEAD_END}${text}`;
  const isDrawn = body?.includes(NEW_UUID);
  const ready = heads.map((head) =>
    Buffer.from(body === undefined ? head + HEAD_END : withBody(head, body)),
  );
  let turn = 0;
  return () => {
    turn = (turn + 1) % heads.length;
    if (!isDrawn) return ready[turn];
    return withBody(
      heads[turn],
      body.replaceAll(NEW_UUID, () => randomUUID()),
    );
  };
}

/** A connection that answers one request at a time: `send` resolves with its answer's arrival. */
function openClient({ hostname, port, results }) {
  const socket = connect({ host: hostname, port, noDelay: true });
  let answered = () => {};
  let failed = () => {};
  let left = 0;
  let parts = [];
  const takeBody = (bytes) => {
    left -= bytes;
    if (left < 0) failed(new Error("an answer is longer than it says"));
    if (left === 0) answered();
  };
  socket.on("data", (chunk) => {
    if (left > 0) return takeBody(chunk.length);
    const bytes = parts.length === 0 ? chunk : Buffer.concat([...parts, chunk]);
    const headEnd = bytes.indexOf(HEAD_END);
    parts = headEnd < 0 ? [bytes] : [];
    if (headEnd < 0) return undefined;
    const head = bytes.latin1Slice(0, headEnd);
    const status = head.slice(9, 12);
    if (status >= "400") results.failures += 1;
    const length = LENGTH.exec(head)?.[1] ?? (NO_BODY.has(status) ? "0" : undefined);
    if (length === undefined) return failed(new Error("an answer has no length"));
    left = Number(length);
    return takeBody(bytes.length - headEnd - HEAD_END.length);
  });
  socket.on("error", (error) => failed(error));
  socket.on("close", () => failed(new Error("the server closed a connection")));
  const client = {
    end: () => socket.destroy(),
    send: (request, sentAt, then) => {
      answered = () => {
        if (sentAt >= results.countsFrom) results.latenciesMs.push(performance.now() - sentAt);
        then();
      };
      socket.write(request);
    },
    onFailure: (listener) => {
      failed = listener;
    },
  };
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(client));
    failed = reject;
  });
}

function closedLoop(client, results, drawRequest) {
  return new Promise((resolve, reject) => {
    client.onFailure(reject);
    const next = () => {
      if (results.isOver) resolve();
      else client.send(drawRequest(), performance.now(), next);
    };
    next();
  });
}

function pace({ clients, results, drawRequest, perSecond }) {
  const idle = [...clients];
  const startedAt = performance.now();
  let sent = 0;
  const sendDue = () => {
    const due = ((performance.now() - startedAt) * perSecond) / 1_000;
    while (sent < due && idle.length > 0) {
      // In turn: a server closes a connection that is never used.
      const client = idle.shift();
      client.send(drawRequest(), startedAt + (sent * 1_000) / perSecond, () => idle.push(client));
      sent += 1;
    }
  };
  let timer;
  const paced = new Promise((resolve, reject) => {
    for (const client of clients) client.onFailure(reject);
    timer = setInterval(() => {
      if (!results.isOver) sendDue();
      else if (idle.length === clients.length) resolve();
    }, 1);
  });
  return paced.finally(() => clearInterval(timer));
}
