import { PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import { ADMIN_ENDPOINTS } from "@exchange/contract/admin";
import type { RuleDraft } from "../../domain/prices/check-rule.ts";
import { approvePrice, rejectPrice } from "../../flows/prices/decide.ts";
import { type PreviewedChange, previewPrice } from "../../flows/prices/preview.ts";
import { proposePrice, undoPrice } from "../../flows/prices/propose.ts";
import { listPrices, readPricesInForce } from "../../flows/prices/read-prices.ts";
import { findExchange } from "../../flows/quotes/name-exchange.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { created, list, ok } from "../wire.ts";
import { presentBook, presentPreview, presentPriceChange } from "./present-price.ts";
import type { AdminCall, AdminDeps, RegisterAdmin } from "./registrar.ts";

const LIST = "price_changes";

/** Price rules in force, changes of them, and previews. */
export function registerPrices(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.readPrices, async () => {
    const rules = readPricesInForce(deps);
    return ok(presentBook(deps.catalogue(), { rules, now: deps.clock.now() }));
  });
  register(ADMIN_ENDPOINTS.previewPrice, async ({ query }) => {
    const { of: operation, spend, receive, amount, method, country } = query;
    const wish = findExchange(deps.catalogue(), {
      ...{ operation, spend, receive, amount, method, side: "spend" },
      merchantId: query.merchantId ?? "",
      countryCode: country === "" ? undefined : country,
    });
    return ok(presentPreview(await previewPrice(deps, { previewed: previewedOf(query), wish })));
  });
  register(ADMIN_ENDPOINTS.listPriceChanges, async ({ caller, query }) => {
    const { which = "proposed", cursor, limit = PAGE_LIMIT_DEFAULT } = query;
    const olderThan = cursor === undefined ? null : decodeCursor(LIST, cursor)[0];
    const { items, last } = await listPrices(deps, { which, olderThan, limit });
    const next = last && encodeCursor(LIST, [BigInt(last.id)]);
    return list(
      items.map((change) => presentPriceChange(change, caller)),
      next,
    );
  });
  register(ADMIN_ENDPOINTS.proposePrice, async ({ caller, body }) => {
    const { reason } = body;
    const draft = draftOf(body);
    const effectiveFrom = timeOf(body.effectiveFrom);
    const change = await proposePrice(deps, { draft, effectiveFrom, reason, by: caller.by });
    return created(presentPriceChange(change, caller), "Another person decides about the change.");
  });
  register(ADMIN_ENDPOINTS.approvePrice, async ({ caller, params, body }) => {
    const change = await approvePrice(deps, { ...params, ...body, by: caller.by });
    return ok(presentPriceChange(change, caller));
  });
  register(ADMIN_ENDPOINTS.rejectPrice, async ({ caller, params, body }) => {
    const change = await rejectPrice(deps, { ...params, ...body, by: caller.by });
    return ok(presentPriceChange(change, caller));
  });
  register(ADMIN_ENDPOINTS.undoPrice, async ({ caller, params, body }) => {
    const change = await undoPrice(deps, { ...params, ...body, by: caller.by });
    return created(presentPriceChange(change, caller), "Another person decides about the change.");
  });
}

type PreviewQuery = AdminCall<typeof ADMIN_ENDPOINTS.previewPrice>["query"];

const previewedOf = (query: PreviewQuery): PreviewedChange =>
  query.changeId === undefined
    ? { draft: draftOf(query), effectiveFrom: timeOf(query.effectiveFrom) }
    : { changeId: query.changeId };

/** A figure that is missing is refused with the others, in words. */
const draftOf = (rule: Partial<PreviewQuery>): RuleDraft => ({
  reference: rule.reference ?? "",
  merchantId: rule.merchantId ?? null,
  operation: rule.operation ?? null,
  paymentMethod: rule.paymentMethod ?? null,
  currency: rule.currency ?? null,
  spreadBasisPoints: rule.spreadBasisPoints ?? Number.NaN,
  feeBasisPoints: rule.feeBasisPoints ?? Number.NaN,
  fixedFeeEuro: rule.fixedFeeEuro ?? "",
  minEuro: rule.minEuro ?? "",
  maxEuro: rule.maxEuro ?? "",
  enabled: rule.enabled ?? true,
});

const timeOf = (seconds: number | undefined): Date | null =>
  seconds === undefined ? null : new Date(seconds * 1_000);
