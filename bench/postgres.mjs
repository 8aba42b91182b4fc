import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

// The database driver that the service itself uses.
const pg = createRequire(new URL("../apps/server/package.json", import.meta.url))("pg");

/** Returns where the service's embedded PostgreSQL listens and its first process, from its pid file. */
export async function socketOf(dataDir) {
  const file = path.join(dataDir, "postgres", "postmaster.pid");
  const lines = (await readFile(file, "utf8")).split("\n");
  return { host: lines[4], port: lines[3], pid: Number(lines[0]) };
}

/** Opens one connection to the service's database. */
export async function openDatabase(dataDir) {
  const { host, port } = await socketOf(dataDir);
  const client = new pg.Client({ host, port, user: "postgres", database: "postgres" });
  // When a row fails, the service stops the database before the row closes its connection.
  client.on("error", () => {});
  await client.connect();
  return client;
}
