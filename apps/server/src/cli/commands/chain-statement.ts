import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { readBooks } from "../../storage/chains/books.ts";
import { findCursor } from "../../storage/chains/cursors.ts";
import {
  listFinalMovements,
  type NetworkMovement,
  readOpeningUnits,
} from "../../storage/chains/statement.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";

const BLOCK = /^\d{1,18}$/;

export const chainsStatement: Command = {
  name: "chains statement",
  summary: "List the movements at our addresses on a live network, between recorded balances.",
  options: {
    network: { value: "CODE", required: true, description: "The network, such as ethereum." },
    after: {
      value: "BLOCK",
      description: "Only blocks above this one. Default: from the beginning.",
    },
    "up-to": { value: "BLOCK", description: "The last block. Default: the last final one." },
  },
  example: "chains statement --network ethereum --after 21000000",
  run: (context, input) =>
    withDatabase(context, async ({ database }) => {
      const networkCode = input.required("network");
      const cursor = await findCursor(database, networkCode);
      if (!cursor) {
        throw new UsageError(
          `${networkCode} was never read. exchange chains show lists the networks that were.`,
        );
      }
      const { finalHeight } = cursor;
      const to = blockOf(input, "up-to") ?? finalHeight;
      const from = blockOf(input, "after") ?? -1n;
      if (to > finalHeight || from >= to) {
        throw new UsageError(
          `The statement of ${networkCode} ends at its final block ${finalHeight}. Give --after below --up-to, and --up-to of at most that.`,
        );
      }
      const catalogue = await readCatalogue(database);
      const movements = await listFinalMovements(database, { networkCode, from, to });
      const opening = await readOpeningUnits(database, networkCode, from);
      const closing = await readOpeningUnits(database, networkCode, to);
      const books = await readBooks(database, networkCode);
      const chain = books.map(
        ({ assetReference, chainUnits }) => [assetReference, chainUnits] as const,
      );
      const lines = movements.map((movement) => toLine(catalogue, movement));
      const json = {
        network: networkCode,
        from: String(from + 1n),
        to: String(to),
        opening: inUnits(opening),
        lines,
        closing: inUnits(closing),
        // The balances that the chain itself had at its final block.
        chain: to === finalHeight ? inUnits(chain) : null,
      };
      const head = ["BLOCK", "KIND", "AMOUNT", "CURRENCY", "TRANSACTION", "OURS"];
      const rows = lines.map((line) => [
        line.block,
        line.kind,
        line.amount,
        line.assetReference,
        line.transaction ?? "-",
        line.reference,
      ]);
      const text = [
        `Opening: ${inWords(catalogue, opening)}`,
        table([head, ...rows]),
        `Closing at block ${to}: ${inWords(catalogue, closing)}`,
      ].join("\n");
      return { json, text };
    }),
};

function blockOf(input: CommandInput, name: string): bigint | undefined {
  const text = input.one(name);
  if (text === undefined) return undefined;
  if (BLOCK.test(text)) return BigInt(text);
  throw new UsageError(`--${name} must be the height of a block such as 21000000, not "${text}".`);
}

const coinsOf = (catalogue: Catalogue, reference: string, units: bigint): string => {
  const currency = catalogue.currencyByCodeOrReference(reference);
  return currency ? unitsText(currency, units) : `${units} units`;
};

const toLine = (catalogue: Catalogue, movement: NetworkMovement) => {
  const { kind, assetReference, units, address, height, transactionHash, intentId, id } = movement;
  return {
    block: String(height),
    kind,
    assetReference,
    units: String(units),
    amount: coinsOf(catalogue, assetReference, units),
    address,
    transaction: transactionHash,
    reference: intentId ?? id,
  };
};

type Holdings = Iterable<readonly [reference: string, units: bigint]>;

const inUnits = (holdings: Holdings): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...holdings].filter(([, units]) => units !== 0n).map(([name, units]) => [name, String(units)]),
  );

const inWords = (catalogue: Catalogue, holdings: Holdings): string =>
  [...holdings]
    .filter(([, units]) => units !== 0n)
    .map(([reference, units]) => `${coinsOf(catalogue, reference, units)} ${reference}`)
    .join(", ") || "nothing";
