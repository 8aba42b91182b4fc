import type { Order } from "../../domain/orders/order.ts";
import { lookup, type Queryable, statement, type Tx } from "../postgres/database.ts";
import { ORDER_KEY, readOrderRow } from "./table.ts";

const NEXT_NUMBERS = statement(
  "orders_next_numbers",
  `select nextval('order_numbers') as number, order_id_key as key,
     floor(extract(epoch from now()) / 3600)::int as hour
   from installation, generate_series(1, $1::integer)`,
);

const FIND = lookup(
  "orders_find",
  ["bigint"],
  `select o.*, ${ORDER_KEY("o")} from orders o where o.id = $1`,
);

const READ = lookup(
  "orders_read",
  ["bigint"],
  `select o.*, ${ORDER_KEY("o")}, business_now() as read_at from orders o where o.id = $1`,
);

// The time is read after the lock was taken, however long that took.
const LOCK = statement(
  "orders_lock",
  `with locked as materialized (
     select o.*, ${ORDER_KEY("o")} from orders o where id = any($1::bigint[]) order by id for update of o)
   select *, business_now() as read_at from locked`,
);

/** Reserves numbers for new orders. Returns them with the key and the hour that turn them into ids. */
export async function nextOrderNumbers(
  queryable: Queryable,
  count: number,
): Promise<{
  readonly numbers: readonly bigint[];
  readonly key: Uint8Array;
  /** Hours since 1970. */
  readonly hour: number;
}> {
  const rows = await queryable.query<{ number: string; key: Buffer; hour: number }>(NEXT_NUMBERS, [
    count,
  ]);
  const [first] = rows;
  if (!first) throw new Error("the installation row is missing: run the migrations");
  const { key, hour } = first;
  return { numbers: rows.map(({ number }) => BigInt(number)), key, hour };
}

/** Reads the order's row alone. `findOrderView` reads it with all rows that belong to it. */
export async function findOrder(queryable: Queryable, id: bigint): Promise<Order | undefined> {
  const [row] = await queryable.query<object>(FIND, [id]);
  return row && readOrderRow(row);
}

/** An order and the business time at which it was read. */
export interface OrderReading {
  readonly order: Order;
  readonly now: Date;
}

interface ReadingRow {
  readonly read_at: Date;
}

const toReading = (row: ReadingRow | undefined): OrderReading | undefined =>
  row && { order: readOrderRow(row), now: row.read_at };

/** Reads an order for a decision. The decision is written only if the order's version has not changed. */
export async function readOrderNow(
  queryable: Queryable,
  id: bigint,
): Promise<OrderReading | undefined> {
  return toReading((await queryable.query<ReadingRow>(READ, [id]))[0]);
}

/** Reads orders and locks their rows, in the order of their ids, until the database transaction ends. */
export async function lockOrders(
  tx: Tx,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, Order>> {
  const rows = await tx.query<object>(LOCK, [ids.map(String)]);
  return new Map(rows.map((row) => readOrderRow(row)).map((order) => [order.id, order]));
}
