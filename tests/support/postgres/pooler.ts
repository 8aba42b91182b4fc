import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import { freePort } from "../service/processes.ts";

/** The path of PgBouncer; undefined where it is not installed. */
export const PGBOUNCER = process.env["PGBOUNCER_PATH"];

export interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer before the database, in session mode and otherwise with its defaults. */
export async function startPooler(databaseUrl: string, poolSize: number): Promise<Pooler> {
  const host = new URL(databaseUrl).searchParams.get("host") ?? "";
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-pooler-"));
  const port = await freePort();
  const file = path.join(folder, "pgbouncer.ini");
  await writeFile(file, settingsOf({ host, port, poolSize }));
  // PgBouncer refuses to run as root, so it runs as the owner of the database's socket.
  const { uid, gid } = statSync(host);
  for (const own of [folder, file]) chownSync(own, uid, gid);
  const child = spawn(PGBOUNCER ?? "pgbouncer", ["-q", file], { uid, gid, stdio: "inherit" });
  await vi.waitUntil(() => answers(port), { timeout: 30_000 });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const settingsOf = (at: {
  readonly host: string;
  readonly port: number;
  readonly poolSize: number;
}): string => `[databases]
postgres = host=${at.host} port=5432 dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${at.port}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = ${at.poolSize}
log_connections = 0
log_disconnections = 0
`;

const answers = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(undefined));
    socket.once("connect", () => socket.destroy());
  });
