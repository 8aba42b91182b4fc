import { type Outgoing, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type LedgerEntry, type StatementSum } from "@exchange/contract/admin";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import { readListedMerchant } from "../../flows/merchants/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import { type FoundEntry, readStatementSums, searchLedger } from "../../flows/reports/read.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { list, ok, toUnixSeconds } from "../wire.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";
import { spanFor } from "./reports.ts";

const LIST = "admin_entries";

/** The ledger's entries, and statements of merchants. */
export function registerLedger(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.listEntries, async ({ caller, query }) => {
    const { orderId, from, to, account, currency, cursor, limit = PAGE_LIMIT_DEFAULT } = query;
    if (orderId === undefined && (from === undefined || to === undefined)) throw spanMissing();
    const page = await searchLedger(deps, {
      of:
        orderId === undefined
          ? spanFor(caller, { from: from ?? "", to: to ?? "" })
          : { orderId: BigInt(orderId) },
      merchantId: caller.merchantId ?? query.merchantId ?? null,
      account: account ?? null,
      currency: currency ?? null,
      olderThan: cursor === undefined ? null : decodeCursor(LIST, cursor)[0],
      limit,
    });
    const catalogue = deps.catalogue();
    const next = page.last && encodeCursor(LIST, [BigInt(page.last.id)]);
    return list(
      page.items.map((entry) => presentEntry(catalogue, entry)),
      next,
    );
  });
  register(ADMIN_ENDPOINTS.readStatement, async ({ caller, query }) => {
    const span = spanFor(caller, query);
    const { merchantId } = span;
    if (merchantId === null) throw merchantMissing();
    const { name } = await readListedMerchant(deps, merchantId);
    const sums = await readStatementSums(deps, span);
    return ok({
      merchantId,
      merchantName: name,
      from: span.fromDay,
      to: span.toDay,
      sums: sums.map((row) => ({
        account: row["account"] as StatementSum["account"],
        currency: row["currency"] ?? "",
        opening: row["opening"] ?? "",
        debits: row["debits"] ?? "",
        credits: row["credits"] ?? "",
        closing: row["balance"] ?? "",
      })),
    });
  });
}

const presentEntry = (catalogue: Catalogue, entry: FoundEntry): Outgoing<LedgerEntry> => ({
  entryId: Number(entry.id),
  at: toUnixSeconds(entry.at),
  merchantId: entry.merchantId,
  orderId: entry.orderId === null ? null : Number(entry.orderId),
  key: entry.key,
  kind: entry.kind,
  reverses: entry.reverses,
  postings: entry.postings.map(({ purpose, units }) => ({
    account: purpose,
    amount: exactAmount(catalogue, entry.assetId, BigInt(units)),
  })),
});

const spanMissing = (): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: "Name an order with orderId, or the first and the last day with from and to.",
  });

const merchantMissing = (): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: "A statement covers one merchant. Name it with merchantId, its client id.",
  });
