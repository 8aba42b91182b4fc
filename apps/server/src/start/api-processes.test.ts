import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { expect, test } from "vitest";
import { type ApiProcessTask, startApiProcesses, TASK_VARIABLE } from "./api-processes.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/start/api-process.js", import.meta.url));

/** Two processes of this program are one that ignores the order to stop, and one that then fails at its start. */
const DEAF_AND_FAILING = `
  import { mkdirSync } from "node:fs";
  try {
    mkdirSync(new URL("./taken", import.meta.url));
    setInterval(() => {}, 1_000);
  } catch {
    process.send({ kind: "failed", message: "The settings are broken." });
    process.disconnect();
  }
`;

test("a process that fails at the start ends the start, also when another one does not stop", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-processes-"));
  const program = path.join(folder, "program.mjs");
  await writeFile(program, DEAF_AND_FAILING);
  const workers: Worker[] = [];
  const note = (worker: Worker): void => void workers.push(worker);
  cluster.on("fork", note);
  const config = { apiProcesses: 2, databaseUrl: "postgres://nowhere", databaseConnections: 2 };
  const front = { config, port: 0, publicUrl: "http://localhost", connection: {} };
  try {
    const starting = startApiProcesses(front, pino({ level: "silent" }), program);
    await expect(starting).rejects.toThrow("The settings are broken.");
    expect(workers.map((worker) => worker.isDead())).toEqual([true, true]);
  } finally {
    cluster.off("fork", note);
    for (const worker of workers) worker.process.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});

test("a process whose channel is closed while it opens its database ends", async () => {
  // A database that accepts connections and does not answer.
  const database = createServer(() => {}).listen(0, "127.0.0.1");
  await once(database, "listening");
  const { port } = database.address() as AddressInfo;
  const task: ApiProcessTask = {
    port: 0,
    publicUrl: "http://localhost",
    connection: { connectionString: `postgres://nobody@127.0.0.1:${port}/nothing` },
  };
  const connected = once(database, "connection");
  cluster.setupPrimary({ exec: PROGRAM });
  const worker = cluster.fork({ [TASK_VARIABLE]: JSON.stringify(task) });
  try {
    const [socket] = await connected;
    worker.disconnect();
    expect(await once(worker, "exit")).toEqual([0, null]);
    socket.destroy();
  } finally {
    worker.process.kill("SIGKILL");
    database.close();
  }
});
