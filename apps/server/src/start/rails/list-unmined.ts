import { readUnminedPlaces } from "../../adapters/chains/evm/places.ts";
import { readUnminedSpends } from "../../adapters/chains/utxo/unmined.ts";
import type { StatementLine } from "../../domain/ports/rail-statement.ts";
import type { Deps } from "../../flows/deps.ts";
import { findUnsignedPlaces, listUnsignedCoins } from "../../storage/chains/unmined.ts";
import type { Database } from "../../storage/postgres/database.ts";
import type { NetworkChoices } from "./chain-choices.ts";
import { networkOf } from "./open-chains.ts";
import { coinEndpointsOf } from "./open-coins.ts";

interface Place extends Pick<Deps, "catalogue"> {
  readonly database: Database;
}

const suspect = (): void => {};

/**
 * Asks the nodes of every live network with a hot wallet for transactions of it that no block has and the database does
 * not know. Tron, Solana and the XRP Ledger are not asked: a transaction there expires within minutes.
 */
export async function listUnmined(
  place: Place,
  networks: readonly (readonly [code: string, choices: NetworkChoices])[],
): Promise<readonly StatementLine[]> {
  const lists = await Promise.all(
    networks.map(async ([code, choices]) => {
      const spends = await spendsOf(place, code, choices);
      return spends.map(({ name, units }) => toLine(place, code, { name, units }));
    }),
  );
  return lists.flat();
}

/** A coin or a place of the hot wallet. */
interface Spend {
  readonly name: string;
  readonly units: bigint;
}

async function spendsOf(
  { database, catalogue }: Place,
  code: string,
  choices: NetworkChoices,
): Promise<readonly Spend[]> {
  if (choices.kind === "utxo" && choices.hot !== undefined) {
    const endpoints = coinEndpointsOf(catalogue(), code, { choices, suspect });
    const spent = await readUnminedSpends(endpoints, await listUnsignedCoins(database, code));
    return spent.map(({ outpoint, units }) => ({ name: outpoint, units }));
  }
  if (choices.kind === "evm" && choices.hot !== undefined) {
    const endpoints = networkOf(catalogue(), code, { choices, suspect });
    const places = await readUnminedPlaces(endpoints, choices.hot.address);
    const unknown = await findUnsignedPlaces(database, code, places);
    return unknown.map((number) => ({ name: `nonce ${number}`, units: 0n }));
  }
  return [];
}

function toLine({ catalogue }: Place, code: string, { name, units }: Spend): StatementLine {
  const coin = catalogue().currencies.find(
    ({ networkCode, contractAddress }) => networkCode === code && contractAddress === null,
  );
  const reference = `${code}:unconfirmed:${name}`;
  return {
    ...{ kind: "foreign", reference, source: code, railReference: reference },
    assetReference: coin?.reference ?? code,
    amount: { units },
    state: "pending",
  };
}
