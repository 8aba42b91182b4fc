import pg from "pg";
import type { DatabaseOptions } from "./database.ts";

/** The files of the write-ahead log that a backup needs, and the label that PostgreSQL recovers it by. */
export interface BackupEnd {
  readonly label: string;
  readonly firstSegment: string;
  readonly lastSegment: string;
}

/** An online backup of a server, on a connection of its own. The backup ends when the connection does. */
export interface BackupSession {
  /** Ends the backup. The server then keeps the segments until `close`. */
  finish(): Promise<BackupEnd>;
  close(): Promise<void>;
}

/**
 * Begins an online backup. A temporary slot keeps the write-ahead log, and ends with the connection, so a crash leaves
 * nothing behind (https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP).
 */
export async function beginBackup(
  { host, port, user, database }: DatabaseOptions,
  label: string,
): Promise<BackupSession> {
  const client = new pg.Client({ host, port, user, database, application_name: "exchange backup" });
  // A connection that breaks fails the next statement.
  client.on("error", () => {});
  const read = async (text: string, values: readonly string[] = []): Promise<string[]> => {
    const { rows } = await client.query<string[]>({ text, values: [...values], rowMode: "array" });
    return rows[0] ?? [];
  };
  await client.connect();
  try {
    // The backup waits for a checkpoint and for the copy, so nothing may end it.
    await read("set statement_timeout = 0");
    await read("select pg_create_physical_replication_slot($1, true, true)::text", [
      `exchange_backup_${process.pid}`,
    ]);
    const [firstSegment = ""] = await read("select pg_walfile_name(pg_backup_start($1, true))", [
      label,
    ]);
    return {
      finish: async () => {
        const [lastSegment = "", text = ""] = await read(
          "select pg_walfile_name(lsn), labelfile from pg_backup_stop(false)",
        );
        return { label: text, firstSegment, lastSegment };
      },
      close: () => client.end(),
    };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
