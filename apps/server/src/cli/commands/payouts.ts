import { readFileSync } from "node:fs";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { describeCents } from "../../domain/payouts/limits.ts";
import { approvePayout } from "../../flows/payouts/approve.ts";
import { writePaymentText } from "../../flows/payouts/payment-text.ts";
import { requirePayout } from "../../flows/payouts/require-payout.ts";
import { resolvePayout } from "../../flows/payouts/resolve.ts";
import { resolveSweep } from "../../flows/payouts/resolve-sweep.ts";
import { NAME_PATTERN, SIGNATURE_PATTERN } from "../../signer/protocol.ts";
import { payingWalletOf } from "../../start/rails/open-gateway.ts";
import type { ApprovalSignature } from "../../storage/payouts/approvals.ts";
import {
  listOperatorPayouts,
  type OperatorPayout,
} from "../../storage/payouts/operator-payouts.ts";
import { type Command, type CommandOption, UsageError } from "../command.ts";
import {
  ANY_CLIENT,
  AS,
  amountOrNone,
  LIMIT,
  limitOf,
  operatorOf,
  requireClient,
} from "../operator-options.ts";
import { amountWords, showIntent } from "../order-words.ts";
import { fields, listing } from "../table.ts";
import { withFlows } from "../with-flows.ts";

const PAYOUT: CommandOption = {
  value: "ID",
  required: true,
  description: "The payout's id, as printed by payouts list and orders show.",
};

const showPayout = (payout: OperatorPayout, catalogue: Catalogue) => ({
  ...showIntent(payout.intent, catalogue),
  orderId: Number(payout.intent.orderId),
  orderStatus: payout.orderStatus,
  clientId: payout.intent.merchantId,
  rail: payout.rail,
  address: payout.intent.address,
  memo: payout.intent.memo,
  countsAs: describeCents(payout.intent.euroCents),
  approvedBy: payout.approvedBy,
  waitsFor: payout.waitsFor,
  createdAt: payout.intent.createdAt.toISOString(),
});

/** The sentences of empty lists. */
const NONE = {
  waiting: "No payout waits for a person.",
  under_way: "No payout is under way.",
} as const;

export const payoutsList: Command = {
  name: "payouts list",
  summary: "List payouts and refunds under way, and the reason why each waits.",
  options: {
    waiting: { description: "Only those that wait for a stop, a limit or an approval." },
    client: ANY_CLIENT,
    limit: LIMIT,
  },
  example: "payouts list --waiting",
  run: (context, input) => {
    const filter = {
      which: input.hasFlag("waiting") ? ("waiting" as const) : ("under_way" as const),
      merchantId: input.one("client"),
      limit: limitOf(input),
    };
    return withFlows(context, async ({ database, catalogue }) => {
      await requireClient(database, input);
      const payouts = await listOperatorPayouts(database, filter);
      const shown = payouts.map((payout) => showPayout(payout, catalogue()));
      const rows = shown.map((one) => [
        one.payoutId,
        String(one.orderId),
        one.purpose,
        one.state,
        amountWords(one.amount),
        one.rail,
        one.waitsFor ?? "",
      ]);
      const head = ["PAYOUT", "ORDER", "PURPOSE", "STATE", "AMOUNT", "RAIL", "WAITS FOR"];
      return { json: shown, text: listing(head, rows, NONE[filter.which]) };
    });
  },
};

export const payoutsShow: Command = {
  name: "payouts show",
  summary: "Show a payout: its destination, its value in euro and its approvals.",
  options: { payout: PAYOUT },
  argument: "payout",
  example: "payouts show --payout 6f1c2a34-0000-4000-8000-000000000000",
  run: (context, input) =>
    withFlows(context, async (deps) => {
      const payout = showPayout(
        await requirePayout(deps, input.required("payout")),
        deps.catalogue(),
      );
      const text = fields({
        Payout: payout.payoutId,
        Order: `${payout.orderId}, ${payout.orderStatus}`,
        Purpose: payout.purpose,
        State: payout.state,
        Amount: `${amountWords(payout.amount)}, counts as ${payout.countsAs}`,
        Rail: payout.rail,
        To: payout.address ?? "",
        "Approved by": payout.approvedBy.join(", ") || "nobody",
        "Waits for": payout.waitsFor ?? "nothing",
        Released: payout.releasedAt ?? "no",
        Transaction: payout.transactionHash ?? "",
      });
      return { json: payout, text };
    }),
};

const isOfForm = (value: unknown, pattern: string): boolean =>
  typeof value === "string" && new RegExp(pattern).test(value);

/** Reads the line that `signer approve` prints. */
function readApproval(file: string): ApprovalSignature {
  try {
    const { name, signature } = JSON.parse(readFileSync(file, "utf8")) as ApprovalSignature;
    if (isOfForm(name, NAME_PATTERN) && isOfForm(signature, SIGNATURE_PATTERN))
      return { name, signature };
  } catch {
    // A file that cannot be read, or has no JSON, holds no approval either.
  }
  throw new UsageError(
    `${file} holds no approval. Write the output of signer approve --json into it: {"name":"anna","signature":"…"}.`,
  );
}

export const payoutsReleaseText: Command = {
  name: "payouts release-text",
  summary: "Print the text of a payout on a live network, which operators approve with their keys.",
  options: { payout: PAYOUT },
  argument: "payout",
  example: "payouts release-text --payout 6f1c2a34-0000-4000-8000-000000000000 > release.txt",
  run: (context, input) =>
    withFlows(context, async (deps) => {
      const { intent } = await requirePayout(deps, input.required("payout"));
      const { networkCode, address } = intent;
      const names = payingWalletOf(context.config(), deps, networkCode ?? "");
      if (networkCode === null || address === null || !names) {
        throw new UsageError(
          `Payout ${intent.id} is not on a live network with a hot wallet, so no signer asks for its approval.`,
        );
      }
      const { reference } = deps.catalogue().requireCurrency(intent.assetId);
      const payment = { ...intent, networkCode, address, assetReference: reference };
      const release = writePaymentText({ ...payment, ...names, intentId: intent.id });
      return { json: { release }, text: release.trimEnd() };
    }),
};

export const payoutsApprove: Command = {
  name: "payouts approve",
  summary: "Approve a held payout. It is sent after the second person's approval.",
  options: {
    payout: PAYOUT,
    "approval-file": {
      value: "FILE",
      description:
        "Your signed approval for the signer, as signer approve --json prints it. Needed above the signer's limit.",
    },
    as: AS,
  },
  argument: "payout",
  example: "payouts approve --payout 6f1c2a34-0000-4000-8000-000000000000 --as anna",
  run: (context, input) =>
    withFlows(context, async (deps) => {
      const intentId = input.required("payout");
      const file = input.one("approval-file");
      const signed = file === undefined ? undefined : readApproval(file);
      const by = operatorOf(context, input);
      const state = await approvePayout(deps, { intentId, by, signed });
      const missing = state.approvalsMissing;
      const then = state.released
        ? "Its order goes on."
        : missing > 0
          ? `${missing} more ${missing === 1 ? "person has" : "people have"} to approve it.`
          : "It has enough approvals.";
      const text = `Payout ${intentId} is approved by ${state.approvedBy.join(" and ")}. ${then}`;
      return { json: { payoutId: intentId, ...state }, text };
    }),
};

export const payoutsResolve: Command = {
  name: "payouts resolve",
  summary: "Record how a payout or sweep ended whose transaction moved another amount or asset.",
  options: {
    payout: { ...PAYOUT, description: "The id of the payout or sweep, as its break names it." },
    outcome: {
      value: "OUTCOME",
      description:
        "paid: it counts as paid. unpaid: the customer has nothing, and the order waits in review. A sweep has no outcome.",
    },
    left: {
      value: "AMOUNT",
      required: true,
      description: "How many whole coins left our wallet by the transaction, as the chain shows.",
    },
    as: AS,
  },
  argument: "payout",
  example:
    "payouts resolve --payout 6f1c2a34-0000-4000-8000-000000000000 --outcome paid --left 99.5 --as anna",
  run: (context, input) => {
    const outcome = input.one("outcome");
    if (outcome !== undefined && outcome !== "paid" && outcome !== "unpaid") {
      throw new UsageError(`--outcome must be paid or unpaid, not "${outcome}".`);
    }
    const left = amountOrNone(input, "left");
    if (!left) throw new UsageError("--left must be an amount of whole coins such as 99.5, or 0.");
    return withFlows(context, async (deps) => {
      const id = input.required("payout");
      const by = operatorOf(context, input);
      const state =
        outcome === undefined
          ? await resolveSweep(deps, { sendId: id, left, by })
          : await resolvePayout(deps, { intentId: id, outcome, left, by });
      const then =
        state.peopleMissing > 0
          ? "One more person has to say the same, from their own account."
          : "The service books its end.";
      const said =
        outcome === undefined
          ? `The loss of sweep ${id} is confirmed by`
          : `Payout ${id} is ${outcome}, says`;
      const text = `${said} ${state.agreedBy.join(" and ")}. ${then}`;
      return { json: { payoutId: id, outcome: outcome ?? "moved", ...state }, text };
    });
  },
};
