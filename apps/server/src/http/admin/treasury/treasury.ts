import type { Outgoing } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type TreasuryAsset } from "@exchange/contract/admin";
import type { Catalogue } from "../../../domain/catalogue/catalogue.ts";
import { exactAmount } from "../../../domain/catalogue/exact-amount.ts";
import { floatAmounts, type Holding, readHoldings } from "../../../flows/treasury/holdings.ts";
import { ok } from "../../wire.ts";
import { presentBreak } from "../overview.ts";
import type { AdminDeps, RegisterAdmin } from "../registrar.ts";

/** The coins and money that there are. */
export function registerTreasury(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.readTreasury, async () => {
    const { holdings, breaks } = await readHoldings(deps);
    const catalogue = deps.catalogue();
    return ok({
      assets: holdings.map((holding) => presentHolding(catalogue, holding)),
      breaks: breaks.map(presentBreak),
    });
  });
}

const NO_FLOAT = {
  hot: null,
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
