import { type Outgoing, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type ListedMerchant } from "@exchange/contract/admin";
import { createMerchant } from "../../flows/merchants/create.ts";
import {
  type ListedMerchantRecord,
  listMerchantsPage,
  readListedMerchant,
} from "../../flows/merchants/read.ts";
import { requireMerchantCountry } from "../../flows/merchants/settings.ts";
import { disableMerchant, enableMerchant } from "../../flows/merchants/update.ts";
import { decodeCursor, encodeCursor, timeOfCursor } from "../cursor.ts";
import { created, list, ok, toUnixSeconds, unixSecondsOrNull } from "../wire.ts";
import { type ExportColumns, exportList, timeText } from "./export-list.ts";
import type { AdminDeps, AdminHandler, RegisterAdmin } from "./registrar.ts";

const LIST = "admin_merchants";

/** All merchants, for the operator's people. */
export function registerMerchants(register: RegisterAdmin, deps: AdminDeps): void {
  const read = async (merchantId: string) => present(await readListedMerchant(deps, merchantId));
  const listMerchants: AdminHandler<typeof ADMIN_ENDPOINTS.listMerchants> = async ({ query }) => {
    const { cursor, limit = PAGE_LIMIT_DEFAULT, name } = query;
    const [offset, untilMs] = cursor === undefined ? [0n] : decodeCursor(LIST, cursor);
    const { items, next } = await listMerchantsPage(deps, {
      ...{ text: name?.trim() || null, limit, offset: Number(offset) },
      until: untilMs === undefined ? null : timeOfCursor(untilMs),
    });
    const place = next && [BigInt(next.offset), BigInt(next.until.getTime())];
    return list(items.map(present), place && encodeCursor(LIST, place));
  };
  register(ADMIN_ENDPOINTS.listMerchants, listMerchants);
  register(ADMIN_ENDPOINTS.exportMerchants, (call) =>
    exportList("merchants", MERCHANT_COLUMNS, (pages) =>
      listMerchants({ ...call, query: { ...call.query, ...pages } }),
    ),
  );
  register(ADMIN_ENDPOINTS.createMerchant, async ({ caller, body }) => {
    const { merchant, key } = await createMerchant(deps, {
      name: body.name,
      allowedOrigins: body.origins ?? [],
      countryCode: requireMerchantCountry(deps.catalogue(), body.countryCode),
      by: caller.by,
    });
    const made = { merchant: await read(merchant.id), apiKey: key.apiKey };
    return created(made, "The merchant is ready.");
  });
  register(ADMIN_ENDPOINTS.readMerchant, async ({ params }) => ok(await read(params.merchantId)));
  register(ADMIN_ENDPOINTS.disableMerchant, async ({ caller, params, body }) => {
    await disableMerchant(deps, { ...params, ...body, by: caller.by });
    return ok(await read(params.merchantId));
  });
  register(ADMIN_ENDPOINTS.enableMerchant, async ({ caller, params }) => {
    await enableMerchant(deps, { ...params, by: caller.by });
    return ok(await read(params.merchantId));
  });
}

const MERCHANT_COLUMNS: ExportColumns<Outgoing<ListedMerchant>> = {
  merchant: ({ merchantId }) => merchantId,
  name: ({ name }) => name,
  created: ({ createdAt }) => timeText(createdAt),
  disabled: ({ disabledAt }) => disabledAt && timeText(disabledAt),
  keys: ({ keys }) => keys,
  people: ({ people }) => people,
};

const present = (merchant: ListedMerchantRecord): Outgoing<ListedMerchant> => ({
  merchantId: merchant.id,
  name: merchant.name,
  createdAt: toUnixSeconds(merchant.createdAt),
  disabledAt: unixSecondsOrNull(merchant.disabledAt),
  keys: merchant.keys,
  people: merchant.people,
});
