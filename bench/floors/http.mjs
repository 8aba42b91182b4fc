import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../service.mjs";

const SERVER = fileURLToPath(new URL("./http-server.mjs", import.meta.url));
/** Headers that node:http sets by itself. */
const NODE_HEADERS = new Set(["connection", "content-length", "date", "keep-alive"]);
const PRISM = "node_modules/@stoplight/prism-cli/dist/index.js";
const PRISM_READY_WITHIN_MS = 30_000;

/** Starts bare node:http in a process of its own: it sends the bytes of the service's answer. */
export async function startBareHttp(response, { parses = false } = {}) {
  const headers = [...response.headers].filter(([name]) => !NODE_HEADERS.has(name)).flat();
  const server = await startServer({ text: await response.text(), headers, parses });
  return { url: server.url, pid: server.pid, stop: server.stop };
}

/** Starts the receiver of webhooks: it answers 204 and counts. */
export async function startReceiver() {
  const { url, child, stop } = await startServer({ status: 204 });
  const count = async () => {
    child.send("count");
    return (await once(child, "message"))[0].count;
  };
  return { url: `${url}/`, count, stop };
}

async function startServer(answer) {
  const child = fork(SERVER);
  child.send(answer);
  const [{ port }] = await once(child, "message");
  const url = `http://127.0.0.1:${port}`;
  return { url, child, pid: child.pid, stop: () => child.kill("SIGKILL") };
}

/**
 * Starts a Prism mock of the service's OpenAPI document. Prism is as large as the whole service, so it is
 * not a dependency: `folder` is where it was installed.
 */
export async function startPrism(folder, service) {
  const work = await mkdtemp(path.join(tmpdir(), "exchange-bench-prism-"));
  const document = path.join(work, "openapi.json");
  await writeFile(document, await (await fetch(`${service.url}/openapi.json`)).text());
  const port = await freePort();
  const words = ["mock", "-p", String(port), "-h", "127.0.0.1", document];
  const child = spawn(process.execPath, [path.resolve(folder, PRISM), ...words], {
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(url, child);
  return {
    url,
    pid: child.pid,
    stop: async () => {
      child.kill("SIGKILL");
      await rm(work, { recursive: true, force: true });
    },
  };
}

async function untilAnswering(url, child) {
  const startedAt = performance.now();
  while (performance.now() - startedAt < PRISM_READY_WITHIN_MS && child.exitCode === null) {
    const isAnswering = await fetch(url).then(Boolean, () => false);
    if (isAnswering) return;
    await sleep(100);
  }
  child.kill("SIGKILL");
  throw new Error("Prism did not start; install @stoplight/prism-cli in the folder of --prism");
}
