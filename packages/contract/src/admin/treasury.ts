import { type Static, Type } from "@sinclair/typebox";
import { listEnvelope, okEnvelope } from "../envelopes.ts";
import { PAGE_QUERY } from "../pages.ts";
import { literals, named, nullable, Uuid } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import { ExactAmount } from "./order-story.ts";
import { OpenBreak } from "./overview.ts";

const Coins = (description: string) =>
  nullable(Type.String({ description: `${description}, exact and in whole coins` }));

/** An asset that our books have, or whose stock is bounded. */
export const TreasuryAsset = named(
  "TreasuryAsset",
  Type.Object({
    currency: Type.String({ description: "the currency's reference, such as btc" }),
    wallets: Coins("what our books have in wallets"),
    banks: Coins("what our books have at banks"),
    processors: Coins("what card processors owe us by our books"),
    node: Coins("what the network's nodes say that our wallets have"),
    nodeBlock: nullable(Type.String({ description: "the final block of that balance" })),
    hot: Coins("what the hot wallets can pay with; null where the stock has no bound"),
    frozen: Coins(
      "the part of the hot wallet that its issuer froze, beside what it can pay with; null where nothing is frozen",
    ),
    promised: Coins(
      "the part of it that is promised to orders that are not sent, and to payouts under way",
    ),
    free: Coins("the rest"),
    floor: Coins("below it nobody is quoted the asset"),
    low: Coins("below it the log warns"),
    target: Coins("the amount to refill to"),
    ceiling: Coins("above it coins belong into cold storage"),
    outPerDay: Coins("paid out a day, on average of the last week"),
    float: nullable(literals(["below_floor", "low", "enough", "above_ceiling"])),
    advice: nullable(literals(["refill", "take_to_cold"])),
    adviceAmount: Coins("how much"),
  }),
);
export type TreasuryAsset = Static<typeof TreasuryAsset>;

export const Treasury = named(
  "Treasury",
  Type.Object({
    assets: Type.Array(TreasuryAsset),
    breaks: Type.Array(OpenBreak, {
      description: "an audit that does not find one again closes it",
    }),
  }),
);
export type Treasury = Static<typeof Treasury>;

/** Coins that move between accounts of ours. */
export const TreasuryMove = named(
  "TreasuryMove",
  Type.Object({
    moveId: Uuid("the move's id"),
    kind: literals(["sweep", "top_up"], {
      description:
        "a sweep collects a deposit address; a top-up brings it the coins for the fee of its sweep",
    }),
    state: literals(["bound", "signed", "sent", "final", "failed", "dead", "vacated"], {
      description:
        "dead: no block can have its transaction, because its deadline passed or a transaction that is not ours has its place; vacated: given up before it was signed",
    }),
    network: Type.String({ description: "the network's code" }),
    amount: ExactAmount,
    from: Type.String(),
    to: Type.String(),
    transactionHash: nullable(Type.String({ description: "null before it was signed" })),
    createdAt: Type.Integer({ description: "Unix seconds; when it began" }),
    updatedAt: Type.Integer({ description: "Unix seconds; when its state changed last" }),
  }),
);
export type TreasuryMove = Static<typeof TreasuryMove>;

const read = {
  caller: "person",
  kind: "operator",
  tag: "Treasury",
  permission: "treasury.read",
  errors: PERSON_ERRORS,
} as const;

export const TREASURY_ENDPOINTS = {
  readTreasury: {
    ...read,
    operationId: "readTreasury",
    method: "GET",
    path: "/admin/treasury",
    summary: "Read balances by asset, and the open breaks",
    description:
      "The same figures as `exchange treasury show`, `exchange wallets list` and `exchange ledger breaks`.",
    success: { status: 200, schema: okEnvelope(Treasury) },
  },
  listTreasuryMoves: {
    ...read,
    operationId: "listTreasuryMoves",
    method: "GET",
    path: "/admin/treasury/moves",
    summary: "List sweeps and top-ups",
    description:
      "Those under way and those that ended, the newest first. Moves that began at the same moment are on one page, so a page may have more than its limit.",
    query: Type.Object(PAGE_QUERY),
    success: { status: 200, schema: listEnvelope(TreasuryMove) },
  },
} as const satisfies Record<string, AdminEndpoint>;
