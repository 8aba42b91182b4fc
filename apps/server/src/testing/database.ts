import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { type Database, openDatabase, statement } from "../storage/postgres/database.ts";
import { TEMPLATE_DATABASE } from "./storage-server.ts";

/**
 * Creates a migrated PostgreSQL database for one `*.storage.test.ts` file. Call it in `beforeAll`
 * and close the result in `afterAll`.
 */
export async function makeDatabase(options: { poolSize?: number } = {}): Promise<Database> {
  const connection = inject("storageServer");
  const name = `test_${randomBytes(8).toString("hex")}`;
  const server = openDatabase({ ...connection, poolSize: 1 });
  await server.query(statement(name, `create database ${name} template ${TEMPLATE_DATABASE}`));
  await server.close();
  return openDatabase({ ...connection, ...options, database: name });
}
