import { type Database, type Statement, statement, type Tx } from "../postgres/database.ts";
import { runExclusively } from "../postgres/exclusive.ts";
import { crossCheck } from "./check-files.ts";
import { CatalogueError, type CatalogueProblem, readCatalogueFiles } from "./read-files.ts";
import type { CatalogueRows } from "./rows.ts";
import { rowsFromFiles } from "./to-rows.ts";

export interface LoadResult {
  /** The number of rows that were inserted, updated, or disabled because they left the files. */
  readonly changed: number;
}

/** A table that is loaded from a file. `key` never changes, and other rows may refer to it. */
interface Table {
  readonly name: string;
  readonly file: string;
  readonly rows: keyof CatalogueRows;
  readonly key: "id" | "code" | "reference";
  readonly columns: readonly string[];
}

const LIMITS = ["min_euro", "max_euro"];
const SHOWN = ["position", "enabled"];
const AVAILABILITY = ["operations", "country_codes", "currency_codes"];

// Referenced tables come first.
const TABLES: readonly Table[] = [
  {
    name: "networks",
    file: "networks.json",
    rows: "networks",
    key: "code",
    columns: [
      "name",
      "address_format",
      "memo",
      "confirmations",
      "large_above_euro",
      "large_confirmations",
      "explorer_transaction_url",
      ...SHOWN,
    ],
  },
  {
    name: "currencies",
    file: "crypto-currencies.json, fiat-currencies.json",
    rows: "currencies",
    key: "id",
    columns: [
      ...["reference", "code", "kind", "name", "short_name", "symbol", "decimals"],
      ...["published_decimals", "network_code", "is_default_network", "contract_address"],
      ...["per_euro", ...LIMITS, ...SHOWN],
    ],
  },
  {
    name: "payment_methods",
    file: "payment-methods.json",
    rows: "paymentMethods",
    key: "id",
    columns: [
      ...["reference", "name", "type", ...AVAILABILITY],
      ...["min_days", "max_days", ...LIMITS, ...SHOWN],
    ],
  },
  {
    name: "delivery_methods",
    file: "delivery-methods.json",
    rows: "deliveryMethods",
    key: "id",
    columns: [
      ...["reference", "name", "type", "rail_id", ...AVAILABILITY, "fee_basis_points"],
      ...["fixed_fee_euro", "min_days", "max_days", "required_fields", ...LIMITS, ...SHOWN],
    ],
  },
  {
    name: "countries",
    file: "countries.json",
    rows: "countries",
    key: "code",
    columns: ["name", "currency_code", ...LIMITS, ...SHOWN],
  },
  {
    name: "pricing_rules",
    file: "pricing.json",
    rows: "pricingRules",
    key: "reference",
    columns: [
      ...["merchant_id", "operation", "payment_method_reference", "currency"],
      ...["spread_basis_points", "fee_basis_points", "fixed_fee_euro", ...LIMITS, ...SHOWN],
    ],
  },
];

/**
 * Brings the catalogue's tables in line with the files of a folder, in one database transaction.
 * Writes only what differs; an item that left the files is disabled, never deleted. Throws
 * CatalogueError, having written nothing, with everything that is wrong.
 */
export async function loadCatalogue(database: Database, directory: string): Promise<LoadResult> {
  const files = await readCatalogueFiles(directory);
  const problems = crossCheck(files);
  if (problems.length > 0) throw new CatalogueError(problems);
  const rows = rowsFromFiles(files);
  const lock = { lock: "catalogue", doing: "loading the catalogue" } as const;
  return runExclusively(database, lock, async (tx) => {
    await refuseMovedItems(tx, rows);
    let changed = 0;
    for (const table of TABLES) changed += await writeTable(tx, table, rows);
    return { changed };
  });
}

async function refuseMovedItems(tx: Tx, rows: CatalogueRows): Promise<void> {
  const problems: CatalogueProblem[] = [];
  for (const table of TABLES.filter(({ key }) => key === "id")) {
    const items = rows[table.rows] as readonly { id: number; reference: string }[];
    const stored = await tx.query<{ id: number; reference: string }>(
      statement(`catalogue_ids_${table.name}`, `select id, reference from ${table.name}`),
    );
    problems.push(...movedItems(table.file, items, stored));
  }
  if (problems.length > 0) throw new CatalogueError(problems);
}

interface Identity {
  readonly id: number;
  readonly reference: string;
}

function movedItems(
  file: string,
  items: readonly Identity[],
  stored: readonly Identity[],
): CatalogueProblem[] {
  const referenceOf = new Map(stored.map(({ id, reference }) => [id, reference]));
  const idOf = new Map(stored.map(({ id, reference }) => [reference, id]));
  const problems: CatalogueProblem[] = [];
  for (const { id, reference } of items) {
    const storedReference = referenceOf.get(id);
    if (storedReference !== undefined && storedReference !== reference) {
      problems.push({
        path: file,
        sentence: `Id ${id} is "${storedReference}" in the database and "${reference}" here. An id never changes its item, so give the new item a new id.`,
      });
    }
    const storedId = idOf.get(reference);
    if (storedId !== undefined && storedId !== id) {
      problems.push({
        path: file,
        sentence: `"${reference}" has id ${storedId} in the database and ${id} here. A reference never changes its id, so use ${storedId}.`,
      });
    }
  }
  return problems;
}

async function writeTable(tx: Tx, table: Table, rows: CatalogueRows): Promise<number> {
  const items = rows[table.rows] as readonly object[];
  const keys = items.map((item) => String(Reflect.get(item, table.key)));
  const written = await tx.query(upsert(table), [JSON.stringify(items)]);
  const disabled = await tx.query(disableOthers(table), [keys]);
  return written.length + disabled.length;
}

function upsert({ name, key, columns }: Table): Statement {
  const values = columns.map((column) => `${column} = excluded.${column}`);
  const columnsOf = (row: string): string => columns.map((column) => `${row}.${column}`).join(", ");
  return statement(
    `catalogue_write_${name}`,
    `insert into ${name} as stored (${[key, ...columns].join(", ")})
     select ${[key, ...columns].join(", ")} from jsonb_populate_recordset(null::${name}, $1::jsonb)
     on conflict (${key}) do update set ${values.join(", ")}
       where (${columnsOf("stored")}) is distinct from (${columnsOf("excluded")})
     returning 1`,
  );
}

const disableOthers = ({ name, key }: Table): Statement =>
  statement(
    `catalogue_disable_${name}`,
    `update ${name} set enabled = false
     where enabled and ${key}::text <> all ($1::text[]) returning 1`,
  );
