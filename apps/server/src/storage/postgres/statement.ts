import type { DatabaseUnavailable } from "./unavailable.ts";

/**
 * An SQL statement. A named statement is prepared once for each connection, so PostgreSQL can reuse its
 * plan.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether the statement takes lists of keys and returns the rows of each, as `lookup` makes it. */
  readonly isLookup?: boolean;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

/**
 * Returns a statement that reads rows by a key. The types are those of its values. Lookups that a process makes at the same
 * time share an execution. Its text is that of one key, which becomes a subquery for each line of the lists of keys.
 * OFFSET 0 plans that subquery by itself, so that rows are found by key (docs/internals/query-plans.md).
 */
export const lookup = (name: string, types: readonly string[], text: string): Statement => ({
  name,
  text: `select wanted.lookup_line, found.*
   from unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(", ")}) with ordinality
     as wanted (${types.map((_type, at) => `key_${at + 1}`).join(", ")}, lookup_line)
   cross join lateral (${text.replaceAll(/\$(\d+)/g, "wanted.key_$1")} offset 0) found`,
  isLookup: true,
});

/**
 * Returns a statement that is planned for each execution, by the tables' current size: for work over many
 * rows.
 */
export const unnamedStatement = (text: string): Statement => ({ name: "", text });

/** The database itself or one database transaction: both run statements. */
export interface Queryable {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement that returns no rows. Returns the number of rows that it wrote. */
  write(statement: Statement, values?: readonly unknown[]): Promise<number>;
  /** Notifies the listeners of a channel that there is work, after the commit. It may be lost, and polling finds the work. */
  hint(channel: string): void;
}

/** An open database transaction. The service must not call any other system while it is open. */
export interface Tx extends Queryable {
  readonly kind: "tx";
  /**
   * Runs several statements without parameters, and waits for them without a deadline of the client. Migrations
   * and the analysis of tables use it.
   */
  runScript(text: string): Promise<void>;
}

/** Runs work with a database whose writes are one database transaction. */
export type JoinWrites = <T>(work: (database: Database) => Promise<T>) => Promise<T>;

export interface ConnectionUse {
  readonly idle: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface Database extends Queryable {
  /**
   * Runs the work in one database transaction and commits it. A serialization failure or a deadlock
   * runs the whole work again, a few times; any other error rolls back and is thrown.
   */
  transaction<T>(work: (tx: Tx) => T | Promise<T>): Promise<T>;
  /**
   * Runs the work with a database whose writes are one database transaction, which commits when the
   * work ends. It is not retried, because the work may do more than write.
   */
  readonly joinWrites: JoinWrites;
  /**
   * Calls back on each notification of the channel, and when notifications may have been lost. The caller polls
   * as well. The first listener begins the watch over the database: while it is away, every statement fails at
   * once with a `DatabaseUnavailable`.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  /** Returns why the database cannot be used; undefined while it answers, or without a listener. */
  away(): DatabaseUnavailable | undefined;
  /** The number of connections that statements share. */
  readonly connectionsMax: number;
  /** Returns how the shared connections are used now, and how many statements wait for one. */
  connections(): ConnectionUse;
  close(): Promise<void>;
}
