import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { LOADING_SETTINGS, loadBooks } from "./load.mjs";
import { makeService } from "./service.mjs";

/** The endpoint of the loaded webhooks was removed, so that no new webhook goes there. */
const ENDPOINT = `insert into webhook_endpoints (merchant_id, id, url, event_types, state)
  values ($1, gen_random_uuid(), 'https://shop.example/hooks',
    array['OrderCreated', 'OrderFulfillment', 'OrderRefunded'], 'removed')`;

const SIZES = `select relname as table, pg_table_size(oid)::float8 as rows, pg_indexes_size(oid)::float8 as indexes
  from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
  order by pg_total_relation_size(oid) desc limit 12`;

/**
 * Opens the databases of a run, each with its loaded orders. They stay in the folder for the next run; a
 * temporary folder is removed at the end.
 */
export async function openShelf({ folder, days, print }) {
  const place = folder ?? (await mkdtemp(path.join(tmpdir(), "exchange-scale-")));
  await mkdir(place, { recursive: true, mode: 0o755 });
  const books = new Map();
  const open = async (name) => {
    if (!books.has(name))
      books.set(name, await openBooks({ dataDir: path.join(place, name), print }));
    return books.get(name);
  };
  return {
    folder: place,
    loaded: async (name) => (await open(name)).state.loaded,
    booksOf: async (name, count) => load(await open(name), { count, days, print }),
    sizes: async (name) => describeSizes(await open(name)),
    close: async () => {
      for (const { service } of books.values()) await service.stop();
      if (folder === undefined) await rm(place, { recursive: true, force: true });
    },
  };
}

async function openBooks({ dataDir, print }) {
  const service = makeService({ dataDir, print });
  const file = path.join(dataDir, "scale.json");
  const stored = await readFile(file, "utf8").then(JSON.parse, () => undefined);
  if (stored && !stored.isLoading) return { service, file, state: stored };
  if (stored) {
    print(`the load of ${dataDir} was interrupted: it starts again from nothing`);
    await rm(dataDir, { recursive: true });
  }
  const merchant = await service.makeMerchant();
  await service.withDatabase((database) =>
    database.query({ name: "scale_endpoint", text: ENDPOINT }, [merchant.clientId]),
  );
  const books = { service, file, state: { merchant, loaded: 0 } };
  await save(books);
  return books;
}

const save = ({ file, state }) => writeFile(file, JSON.stringify(state), { mode: 0o600 });

/** Loads the orders that are missing up to the count. */
async function load(books, { count, days, print }) {
  const { service, state } = books;
  if (state.loaded >= count) return books;
  const { merchant, loaded } = state;
  await save({ ...books, state: { ...state, isLoading: true } });
  const job = { merchant, first: loaded + 1, last: count, days, print };
  await service.withDatabase((database) => loadBooks(database, job), LOADING_SETTINGS);
  books.state = { merchant, loaded: count, days };
  await save(books);
  return books;
}

async function describeSizes({ service, state }) {
  const rows = await service.withDatabase((database) =>
    database.query({ name: "scale_sizes", text: SIZES }),
  );
  return rows.map(({ table, rows: heap, indexes }) => {
    const [own, index] = [heap, indexes].map((bytes) => Math.round(bytes / state.loaded));
    return `${table}: ${own} bytes an order, and ${index} of indexes`;
  });
}
