import { setTimeout as sleep } from "node:timers/promises";
import type { ChainReader } from "../../domain/ports/chain-reader.ts";
import type { StatementLine } from "../../domain/ports/rail-statement.ts";
import type { Deps } from "../../flows/deps.ts";
import { findCursor } from "../../storage/chains/cursors.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { StartError } from "../start-error.ts";
import type { NetworkChoices } from "./chain-choices.ts";
import { openReader } from "./open-chains.ts";

interface Place extends Pick<Deps, "catalogue"> {
  readonly database: Database;
}

/** A running scanner looks for new blocks several times in it. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 250;

/**
 * Asks the nodes of every live network for its head, and waits a moment until the scanner has read up to it. Returns a
 * line for each network that was not read so far. Throws when too few endpoints answer.
 */
export async function listUnread(
  place: Place,
  networks: readonly (readonly [code: string, choices: NetworkChoices])[],
): Promise<readonly StatementLine[]> {
  const lines = await Promise.all(
    networks.map(async ([code, choices]) => {
      const head = await readHead(code, openReader(place.catalogue(), code, choices));
      const height = await waitForHeight(place.database, code, head);
      return height !== undefined && height >= head ? [] : [toLine(place, code, { height, head })];
    }),
  );
  return lines.flat();
}

async function readHead(code: string, reader: ChainReader): Promise<bigint> {
  try {
    return (await reader.heads()).believed;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `The endpoints of ${code} do not agree on its last block (${words}). A network that cannot be asked is not reconciled: run exchange doctor, and try again.`,
      { cause: error },
    );
  } finally {
    await reader.close();
  }
}

/** Returns the height that the network was read up to. Undefined where no block of it was read. */
async function waitForHeight(
  database: Database,
  code: string,
  head: bigint,
): Promise<bigint | undefined> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const height = (await findCursor(database, code))?.height;
    const isRead = height !== undefined && height >= head;
    if (isRead || performance.now() >= endsAt) return height;
    await sleep(LOOK_MS);
  }
}

function toLine(
  { catalogue }: Place,
  code: string,
  { height, head }: { readonly height: bigint | undefined; readonly head: bigint },
): StatementLine {
  const coin = catalogue().currencies.find(
    ({ networkCode, contractAddress }) => networkCode === code && contractAddress === null,
  );
  const reference =
    height === undefined
      ? `${code} is not read yet, and has block ${head}`
      : `${code} is read up to block ${height} of ${head}`;
  return {
    ...{ kind: "foreign", reference, source: code, railReference: reference },
    assetReference: coin?.reference ?? code,
    amount: { units: 0n },
    state: "pending",
  };
}
