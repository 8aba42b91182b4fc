/**
 * An SQL statement. A named statement is prepared once for each connection, so PostgreSQL can reuse its
 * plan.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

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
}

/** An open database transaction. The service must not call any other system while it is open. */
export interface Tx extends Queryable {
  readonly kind: "tx";
  /** Notifies the listeners of a channel after the commit that there is work. */
  hint(channel: string): void;
  /**
   * Runs several statements without parameters, and waits for them without a deadline of the client. Migrations
   * and the analysis of tables use it.
   */
  runScript(text: string): Promise<void>;
}
