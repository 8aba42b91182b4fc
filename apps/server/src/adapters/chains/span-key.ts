import type { ReadSpan } from "../../domain/ports/chain-reader.ts";

/**
 * Returns the key of a span on a network with accounts: spans with the same blocks and movements have the same one.
 * Undefined for an endpoint that does not have all of the blocks.
 */
export function spanKey(span: ReadSpan | undefined): string | undefined {
  if (!span) return undefined;
  const all = [...span.movements, ...(span.walletMovements ?? [])];
  const movements = all
    .map(({ id, address, units, blockHash }) => `${id} ${address} ${units} ${blockHash}`)
    .sort();
  return [...span.blocks.map(({ hash }) => hash), ...movements].join("\n");
}
