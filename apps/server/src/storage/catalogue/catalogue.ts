import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { APPROVED_CHANGES } from "../prices/approved-changes.ts";
import { contentsFromRows } from "./from-rows.ts";
import type { StoredCatalogueRows } from "./rows.ts";

export { loadCatalogue } from "./load.ts";
export { CatalogueError } from "./read-files.ts";

/**
 * Returns SQL that selects a table as a JSON array. Exact numbers are text, because JSON numbers become
 * doubles.
 */
function listOf(table: string, exactColumns: readonly string[]): string {
  const exact = exactColumns.map((column) => `'${column}', item.${column}::text`).join(", ");
  return `(select coalesce(jsonb_agg(to_jsonb(item) || jsonb_build_object(${exact})
             order by item.position), '[]') from ${table} item)`;
}

// One statement reads all lists and the version, so that they are of one moment.
const READ = statement(
  "catalogue_read",
  `select (select version::text from config_version) as version,
     ${listOf("networks", ["large_above_euro"])} as networks,
     ${listOf("currencies", ["per_euro", "min_euro", "max_euro"])} as currencies,
     ${listOf("payment_methods", ["min_euro", "max_euro"])} as payment_methods,
     ${listOf("delivery_methods", ["fixed_fee_euro", "min_euro", "max_euro"])} as delivery_methods,
     ${listOf("countries", ["min_euro", "max_euro"])} as countries,
     ${listOf("pricing_rules", ["fixed_fee_euro", "min_euro", "max_euro"])} as pricing_rules,
     ${APPROVED_CHANGES} as price_changes`,
);

interface ReadRow {
  readonly version: string;
  readonly networks: StoredCatalogueRows["networks"];
  readonly currencies: StoredCatalogueRows["currencies"];
  readonly payment_methods: StoredCatalogueRows["paymentMethods"];
  readonly delivery_methods: StoredCatalogueRows["deliveryMethods"];
  readonly countries: StoredCatalogueRows["countries"];
  readonly pricing_rules: StoredCatalogueRows["pricingRules"];
  readonly price_changes: NonNullable<StoredCatalogueRows["priceChanges"]>;
}

/** Reads a snapshot of the whole catalogue with its version. */
export async function readCatalogue(queryable: Queryable): Promise<Catalogue> {
  const [row] = await queryable.query<ReadRow>(READ);
  if (!row) throw new Error("the query of the catalogue returned no row");
  const rows: StoredCatalogueRows = {
    networks: row.networks,
    currencies: row.currencies,
    paymentMethods: row.payment_methods,
    deliveryMethods: row.delivery_methods,
    countries: row.countries,
    pricingRules: row.pricing_rules,
    priceChanges: row.price_changes,
  };
  return buildCatalogue(contentsFromRows(rows, BigInt(row.version)));
}
