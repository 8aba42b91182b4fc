import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import { freePort } from "../service/processes.ts";
import { ROOT } from "../service/service.ts";

/** The path of PgBouncer; undefined where it is not installed. */
export const PGBOUNCER = process.env["PGBOUNCER_PATH"];

export interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
}

export interface PoolerOptions {
  readonly mode: "session" | "transaction";
  readonly poolSize: number;
  /** Whether its connections have the session settings of deploy/pgbouncer.ini, as transaction mode needs. */
  readonly session: "as deployed" | "PostgreSQL's own";
}

/** Starts PgBouncer before the database, otherwise with its defaults. */
export async function startPooler(databaseUrl: string, options: PoolerOptions): Promise<Pooler> {
  const host = new URL(databaseUrl).searchParams.get("host") ?? "";
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-pooler-"));
  const port = await freePort();
  const file = path.join(folder, "pgbouncer.ini");
  await writeFile(file, settingsOf({ ...options, host, port }));
  // PgBouncer refuses to run as root, so it runs as the owner of the database's socket.
  const { uid, gid } = statSync(host);
  for (const own of [folder, file]) chownSync(own, uid, gid);
  const child = spawn(PGBOUNCER ?? "pgbouncer", ["-q", file], { uid, gid, stdio: "inherit" });
  await vi.waitUntil(() => answers(port), { timeout: 60_000 });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const settingsOf = (
  at: PoolerOptions & { readonly host: string; readonly port: number },
): string => `[databases]
postgres = host=${at.host} port=5432 dbname=postgres user=postgres ${at.session === "as deployed" ? deployedSession() : ""}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${at.port}
unix_socket_dir =
auth_type = any
pool_mode = ${at.mode}
default_pool_size = ${at.poolSize}
log_connections = 0
log_disconnections = 0
`;

/** Returns `connect_query` of deploy/pgbouncer.ini. */
function deployedSession(): string {
  const text = readFileSync(path.join(ROOT, "deploy/pgbouncer.ini"), "utf8");
  return /connect_query=.*$/m.exec(text)?.[0] ?? "";
}

const answers = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(undefined));
    socket.once("connect", () => socket.destroy());
  });
