import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import { exactAmount } from "../domain/catalogue/exact-amount.ts";
import type { ChainChoices } from "../start/rails/chain-choices.ts";
import { gasFloorOf, hasLogs } from "../start/rails/open-chains.ts";
import { topUpsDayMaxOf } from "../start/rails/open-sweeps.ts";
import type { Database } from "../storage/postgres/database.ts";
import { readToppedUp } from "../storage/treasury/sweeps.ts";
import { listWallets, openWalletOf } from "../storage/treasury/wallets.ts";
import { amountWords } from "./order-words.ts";

/** The coins of a live network that pay for its transactions. Units are of the network's own coin. */
export interface NetworkGas {
  readonly networkCode: string;
  readonly assetId: number;
  /** Of the hot wallet, after the final block. */
  readonly hotUnits: bigint;
  /** The units that payouts of the coin leave in the wallet for the fees of tokens. */
  readonly floorUnits: bigint;
  readonly tank:
    | { readonly units: bigint; readonly usedUnits: bigint; readonly capUnits: bigint }
    | undefined;
}

/** Reads the gas of each live network that has a floor or a gas tank. */
export async function readGas(
  database: Database,
  catalogue: Catalogue,
  chains: ChainChoices,
): Promise<readonly NetworkGas[]> {
  const wallets = await listWallets(database);
  const all: NetworkGas[] = [];
  for (const [networkCode, choices] of Object.entries(chains)) {
    if (!hasLogs(choices) && choices.kind !== "solana") continue;
    const floorUnits = gasFloorOf(choices);
    const hasTank = choices.kind === "evm" && choices.gasTank !== undefined;
    if (floorUnits === 0n && !hasTank) continue;
    const coin = catalogue.currencies.find(
      (one) => one.networkCode === networkCode && one.contractAddress === null,
    );
    if (!coin) continue;
    const unitsOf = (role: "hot" | "gas"): bigint => {
      const rows = openWalletOf(wallets, networkCode, role);
      return BigInt(rows.find(({ assetId }) => assetId === coin.id)?.units ?? "0");
    };
    const tank = hasTank
      ? {
          units: unitsOf("gas"),
          usedUnits: await readToppedUp(database, networkCode),
          capUnits: topUpsDayMaxOf(choices),
        }
      : undefined;
    all.push({ networkCode, assetId: coin.id, hotUnits: unitsOf("hot"), floorUnits, tank });
  }
  return all;
}

/** The gas of a network in words, and what to do. Without a fix nothing is low. */
export function describeGas(
  catalogue: Catalogue,
  { assetId, hotUnits, floorUnits, tank }: NetworkGas,
): { readonly found: string; readonly fix?: string } {
  const amount = (units: bigint): string => amountWords(exactAmount(catalogue, assetId, units));
  const hot = `the hot wallet has ${amount(hotUnits)}`;
  const fixes: string[] = [];
  const words = [
    hotUnits < floorUnits
      ? `${hot}, below its gas floor of ${amount(floorUnits)}: payouts of the coin wait`
      : hot,
  ];
  if (hotUnits < floorUnits) fixes.push("Refill the hot wallet before tokens run out of gas.");
  if (tank) {
    const used = `top-ups of the last day brought ${amount(tank.usedUnits)} of ${amount(tank.capUnits)}`;
    words.push(`the gas tank has ${amount(tank.units)}, ${used}`);
    if (tank.units < tank.capUnits) {
      fixes.push(
        `Refill the gas tank: it has less than the cap of a day, and tokens wait without it.`,
      );
    }
  }
  const found = words.join("; ");
  return fixes.length === 0 ? { found } : { found, fix: fixes.join(" ") };
}
