import { buildCatalogue, type Catalogue } from "../domain/catalogue/catalogue.ts";
import { contentsFromRows } from "../storage/catalogue/from-rows.ts";
import { readCatalogueFiles } from "../storage/catalogue/read-files.ts";
import { rowsFromFiles } from "../storage/catalogue/to-rows.ts";

export const CATALOGUE_DIRECTORY = new URL("../../catalogue/", import.meta.url).pathname;

/** The shipped catalogue, read from its files without a database. */
export async function shippedCatalogue(): Promise<Catalogue> {
  const files = await readCatalogueFiles(CATALOGUE_DIRECTORY);
  return buildCatalogue(contentsFromRows(rowsFromFiles(files), 1n));
}

/** Returns the item, or throws when it is missing. */
export function found<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error("the catalogue lacks an item that the test needs");
  return item;
}
