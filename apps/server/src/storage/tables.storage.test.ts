import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../testing/database.ts";
import { MERCHANTS } from "./merchants/merchants.ts";
import { ORDER_EVENTS, ORDERS } from "./orders/table.ts";
import { PAYMENT_ATTEMPTS } from "./payments/attempts.ts";
import { DEPOSITS } from "./payments/deposits.ts";
import { PAYMENT_INSTRUCTIONS } from "./payments/instructions.ts";
import { PAYOUT_INTENTS } from "./payouts/table.ts";
import { type Database, statement } from "./postgres/database.ts";
import type { Column } from "./postgres/table.ts";
import { ASSETS, QUOTES } from "./quotes/quotes.ts";
import { SESSIONS } from "./sessions/sessions.ts";
import { WALLETS } from "./wallets/wallets.ts";
import { ENDPOINTS } from "./webhooks/endpoints.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

const READ = statement(
  "test_columns",
  `select column_name as name, udt_name as type, is_nullable = 'YES' as "isNullable"
   from information_schema.columns where table_name = $1`,
);

/** Maps PostgreSQL's internal type names to the types of `table.ts`. */
const TYPES: Readonly<Record<string, string>> = {
  int2: "integer",
  int4: "integer",
  int8: "bigint",
  bool: "boolean",
  _text: "text[]",
};

const TABLES: Readonly<Record<string, Readonly<Record<string, Column<unknown>>>>> = {
  currencies: ASSETS.columns,
  deposits: DEPOSITS.columns,
  merchants: MERCHANTS.columns,
  order_events: ORDER_EVENTS.columns,
  orders: ORDERS.columns,
  payment_attempts: PAYMENT_ATTEMPTS.columns,
  payment_instructions: PAYMENT_INSTRUCTIONS.columns,
  payout_intents: PAYOUT_INTENTS.columns,
  quotes: QUOTES.columns,
  sessions: SESSIONS.columns,
  wallets: WALLETS.columns,
  webhook_endpoints: ENDPOINTS.columns,
};

test.each(Object.entries(TABLES))(
  "the column list of %s has the types and the nullable columns of the database",
  async (table, columns) => {
    const rows = await database.query<{ name: string; type: string; isNullable: boolean }>(READ, [
      table,
    ]);
    const actual = new Map(
      rows.map(({ name, type, isNullable }) => [name, [TYPES[type] ?? type, isNullable]]),
    );
    for (const [name, { type, isNullable = false }] of Object.entries(columns)) {
      expect([name, actual.get(name)]).toEqual([name, [type, isNullable]]);
    }
  },
);
