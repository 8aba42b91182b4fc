import { Socket } from "node:net";
import pg from "pg";
import { beforeDeadline } from "../../deadline.ts";
import { DatabaseUnavailable, toDatabaseError } from "./unavailable.ts";

/** A connection of the watch: one that answered as a database that can be written to. */
export interface WatchConnection {
  /** Throws when the database does not answer in time, or can only be read. */
  probe(): Promise<void>;
  listen(channel: string): Promise<void>;
}

export interface WatchConnectionOptions {
  readonly connection: pg.ClientConfig;
  readonly answerDeadlineMs: number;
  /** Ends the connection, also while it is being opened. */
  readonly signal: AbortSignal;
  onNotify(channel: string, payload: string): void;
  onEnd(): void;
}

const PROBE = `select pg_is_in_recovery() as is_standby,
  current_setting('transaction_read_only') = 'on' as is_read_only`;

interface ProbeRow {
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

/** Connects and probes the database once. */
export async function openWatchConnection(
  options: WatchConnectionOptions,
): Promise<WatchConnection> {
  const { connection, answerDeadlineMs, signal } = options;
  // The driver cannot abort a connection, so this file opens the socket and destroys it.
  const socket = new Socket();
  signal.addEventListener("abort", () => socket.destroy(), { once: true });
  const client = new pg.Client({ ...connection, stream: () => socket, pipeline: true });
  let failure: Error | undefined;
  client.on("error", (error) => {
    failure ??= error;
  });
  client.on("end", () => options.onEnd());
  client.on("notification", ({ channel, payload }) => options.onNotify(channel, payload ?? ""));
  const ask = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> => {
    try {
      const { rows } = await beforeDeadline(client.query<Row>(text), answerDeadlineMs, late);
      return rows;
    } catch (error) {
      throw toDatabaseError(failure ?? error);
    }
  };
  const probe = async (): Promise<void> => {
    const [row] = await ask<ProbeRow>(PROBE);
    if (row?.is_standby) throw new DatabaseUnavailable("The database is a standby.");
    if (row?.is_read_only) throw new DatabaseUnavailable("The database is read-only.");
  };
  await beforeDeadline(client.connect(), answerDeadlineMs, late).catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  await probe();
  return {
    probe,
    listen: async (channel) => void (await ask(`listen ${pg.escapeIdentifier(channel)}`)),
  };
}

const late = (): Error => new DatabaseUnavailable("The database does not answer.");
