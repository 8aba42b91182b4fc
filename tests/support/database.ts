import { readFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import type { Service } from "./service.ts";

/** Lines of PostgreSQL's own `postmaster.pid`, counted from zero. */
const PORT_LINE = 3;
const SOCKET_FOLDER_LINE = 4;

/** One statement on the service's embedded database, as a person with the data folder could run. */
export async function queryDatabase<Row extends pg.QueryResultRow>(
  service: Service,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const file = await readFile(path.join(service.dataDir, "postgres", "postmaster.pid"), "utf8");
  const lines = file.split("\n");
  const client = new pg.Client({
    host: lines[SOCKET_FOLDER_LINE]?.trim() ?? "",
    port: Number(lines[PORT_LINE]),
    user: "postgres",
    database: "postgres",
  });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
