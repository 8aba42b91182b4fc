import type { Outgoing } from "@exchange/contract";
import {
  ADMIN_ENDPOINTS,
  type AdminPayout,
  EXPORT_ROWS_MAX,
  type PayoutTotal,
} from "@exchange/contract/admin";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import { readMerchantNames } from "../../flows/orders/list-for-console.ts";
import { approvePayout } from "../../flows/payouts/approve.ts";
import {
  listPayoutsForConsole,
  listStopsForConsole,
  readPayoutForConsole,
  readPayoutTotalsForConsole,
} from "../../flows/payouts/list-for-console.ts";
import { resumePayouts } from "../../flows/payouts/resume.ts";
import { stopPayouts } from "../../flows/payouts/stop.ts";
import { list, ok } from "../wire.ts";
import type { AdminCaller } from "./callers.ts";
import { type ExportColumns, exportList, timeText } from "./export-list.ts";
import { presentPayout, presentStop } from "./present-order.ts";
import type { AdminCall, AdminDeps, RegisterAdmin } from "./registrar.ts";

const PAYOUT_COLUMNS: ExportColumns<Outgoing<AdminPayout>> = {
  payout: ({ payoutId }) => payoutId,
  owed: ({ createdAt }) => timeText(createdAt),
  released: ({ releasedAt }) => (releasedAt === null ? null : timeText(releasedAt)),
  order: ({ orderId }) => orderId,
  merchant: ({ merchantId }) => merchantId,
  purpose: ({ purpose }) => purpose,
  state: ({ state }) => state,
  amount: ({ amount }) => amount.amount,
  currency: ({ amount }) => amount.currency,
  euroCents: ({ countsAsEuroCents }) => countsAsEuroCents,
  rail: ({ rail }) => rail,
  address: ({ address }) => address,
  waitsFor: ({ waitsFor }) => waitsFor,
  approvedBy: ({ approvedBy }) => approvedBy.join(" "),
  transaction: ({ transactionHash }) => transactionHash,
};

/** The payouts that the screen shows. */
const LISTED_MAX = 200;

/** Payouts that wait, their approvals, and stops. */
export function registerAdminPayouts(register: RegisterAdmin, deps: AdminDeps): void {
  const shownTo = async (caller: AdminCaller) => ({
    catalogue: deps.catalogue(),
    names: await readMerchantNames(deps),
    mayApprove: caller.may("payouts.approve"),
  });
  const read = async (caller: AdminCaller, payoutId: string) =>
    presentPayout(
      await readPayoutForConsole(deps, { payoutId, reader: caller.by }),
      await shownTo(caller),
    );
  const listUpTo = async (
    { caller, query }: Pick<AdminCall<typeof ADMIN_ENDPOINTS.listPayouts>, "caller" | "query">,
    limit: number,
  ) => {
    const payouts = await listPayoutsForConsole(deps, {
      which: query.which ?? "waiting",
      orderId: orderIdOf(query),
      currency: query.currency,
      reader: caller.by,
      limit,
    });
    const shown = await shownTo(caller);
    return list(
      payouts.map((payout) => presentPayout(payout, shown)),
      undefined,
    );
  };
  register(ADMIN_ENDPOINTS.listPayouts, (call) => listUpTo(call, LISTED_MAX));
  register(ADMIN_ENDPOINTS.readPayoutTotals, async ({ query }) => {
    const filter = { which: query.which ?? "waiting", orderId: orderIdOf(query) } as const;
    const totals = await readPayoutTotalsForConsole(deps, filter);
    const catalogue = deps.catalogue();
    return list(
      totals.map((total) => presentTotal(catalogue, total)),
      undefined,
    );
  });
  // One row more than a file may have is refused, as in lists with pages.
  register(ADMIN_ENDPOINTS.exportPayouts, (call) =>
    exportList("payouts", PAYOUT_COLUMNS, () => listUpTo(call, EXPORT_ROWS_MAX + 1)),
  );
  register(ADMIN_ENDPOINTS.readPayout, async ({ caller, params }) =>
    ok(await read(caller, params.payoutId)),
  );
  register(ADMIN_ENDPOINTS.approvePayout, async ({ caller, params, body }) => {
    await approvePayout(deps, {
      intentId: params.payoutId,
      by: caller.by,
      reason: body.reason,
      waitCode: body.waitCode,
      waitsFor: body.waitsFor,
    });
    return ok(await read(caller, params.payoutId));
  });
  registerStops(register, deps);
}

/** The stops in force, and the calls that set and end one. */
function registerStops(register: RegisterAdmin, deps: AdminDeps): void {
  const stops = async () => list((await listStopsForConsole(deps)).map(presentStop), undefined);
  register(ADMIN_ENDPOINTS.listStops, stops);
  register(ADMIN_ENDPOINTS.stopPayouts, async ({ caller, body }) => {
    await stopPayouts(deps, { ...body, by: caller.by });
    return stops();
  });
  register(ADMIN_ENDPOINTS.resumePayouts, async ({ caller, body }) => {
    await resumePayouts(deps, { ...body, by: caller.by });
    return stops();
  });
}

const orderIdOf = ({ orderId }: { readonly orderId?: number | undefined }): bigint | undefined =>
  orderId === undefined ? undefined : BigInt(orderId);

const presentTotal = (
  catalogue: Catalogue,
  total: Awaited<ReturnType<typeof readPayoutTotalsForConsole>>[number],
): Outgoing<PayoutTotal> => ({
  amount: exactAmount(catalogue, total.assetId, total.units),
  count: total.count,
  countsAsEuroCents: Number(total.euroCents),
});
