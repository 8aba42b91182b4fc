import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PRISM = "node_modules/@stoplight/prism-cli/dist/index.js";
const READY_WITHIN_MS = 30_000;

/**
 * Starts a Prism mock of the service's own OpenAPI document. It is no dependency of ours, being as
 * large as all that the service needs: `folder` is where somebody has installed it.
 */
export async function startPrism(folder, service) {
  const work = await mkdtemp(path.join(tmpdir(), "exchange-bench-prism-"));
  const document = path.join(work, "openapi.json");
  await writeFile(document, await (await fetch(`${service.url}/openapi.json`)).text());
  const port = await freePort();
  const args = [
    path.resolve(folder, PRISM),
    "mock",
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    document,
  ];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
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

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function untilAnswering(url, child) {
  const startedAt = performance.now();
  while (performance.now() - startedAt < READY_WITHIN_MS) {
    if (child.exitCode !== null) break;
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await sleep(100);
  }
  child.kill("SIGKILL");
  throw new Error("Prism did not start; is @stoplight/prism-cli installed in the folder?");
}
