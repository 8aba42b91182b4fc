/** One SQL statement. Its name makes PostgreSQL keep the plan: prepared once for each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

/** One whose plan is made each time, by what the tables hold by then: for work over many rows. */
export const unkeptStatement = (text: string): Statement => ({ name: "", text });

/** Anything that runs statements: the database itself, or one database transaction. */
export interface Queryable {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement that gives no rows back; says how many it wrote. */
  write(statement: Statement, values?: readonly unknown[]): Promise<number>;
}

/** An open database transaction. No call to the outside may happen while one is open. */
export interface Tx extends Queryable {
  readonly kind: "tx";
  /** Once committed, listeners of the channel are told that there is something to look for. */
  hint(channel: string): void;
  /** Runs several statements without parameters: for migrations only. */
  runScript(text: string): Promise<void>;
}
