import { type Outgoing, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type TreasuryAsset, type TreasuryMove } from "@exchange/contract/admin";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import {
  floatAmounts,
  type Holding,
  listTreasuryMoves,
  readHoldings,
} from "../../flows/treasury/holdings.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { list, ok, toUnixSeconds } from "../wire.ts";
import { presentBreak } from "./overview.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

const MOVES = "admin_moves";

/** The coins and money that there are, and coins that move between accounts of ours. */
export function registerTreasury(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.readTreasury, async () => {
    const { holdings, breaks } = await readHoldings(deps);
    const catalogue = deps.catalogue();
    return ok({
      assets: holdings.map((holding) => presentHolding(catalogue, holding)),
      breaks: breaks.map(presentBreak),
    });
  });
  register(ADMIN_ENDPOINTS.listTreasuryMoves, async ({ query }) => {
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = query;
    const before = cursor === undefined ? null : decodeCursor(MOVES, cursor)[0];
    const { items, next } = await listTreasuryMoves(deps, { before, limit });
    const catalogue = deps.catalogue();
    return list(
      items.map((move) => presentMove(catalogue, move)),
      next === undefined ? undefined : encodeCursor(MOVES, [next]),
    );
  });
}

type ListedMove = Awaited<ReturnType<typeof listTreasuryMoves>>["items"][number];

const presentMove = (catalogue: Catalogue, move: ListedMove): Outgoing<TreasuryMove> => ({
  moveId: move.id,
  kind: move.purpose,
  state: move.state,
  network: move.networkCode,
  amount: exactAmount(catalogue, move.assetId, move.units),
  from: move.from,
  to: move.to,
  transactionHash: move.transactionHash,
  createdAt: toUnixSeconds(move.createdAt),
  updatedAt: toUnixSeconds(move.updatedAt),
});

const NO_FLOAT = {
  hot: null,
  frozen: null,
  promised: null,
  free: null,
  floor: null,
  low: null,
  target: null,
  ceiling: null,
  outPerDay: null,
  float: null,
  advice: null,
  adviceAmount: null,
} as const;

function presentHolding(
  catalogue: Catalogue,
  { assetId, books, node, float }: Holding,
): Outgoing<TreasuryAsset> {
  const amount = (units: bigint | null): string | null =>
    units === null ? null : exactAmount(catalogue, assetId, units).amount;
  return {
    currency: catalogue.requireCurrency(assetId).reference,
    wallets: amount(books.chain_wallet),
    banks: amount(books.bank_account),
    processors: amount(books.card_processor),
    node: amount(node?.units ?? null),
    nodeBlock: node?.height ?? null,
    ...(float === null ? NO_FLOAT : presentFloat(floatAmounts(catalogue, float))),
  };
}

const presentFloat = ({
  onHand,
  advice,
  adviceUnits,
  ...float
}: ReturnType<typeof floatAmounts>) => ({
  ...float,
  hot: onHand,
  advice: advice === "nothing" ? null : advice,
  adviceAmount: adviceUnits,
});
