import type { SolanaChain } from "./solana-chain.ts";
import { Refused, type SolanaNode } from "./solana-node.ts";

/** Slots of which a node has nothing, both ends included. */
export interface Gap {
  readonly from: bigint;
  readonly to: bigint;
}

interface Slotted {
  readonly slot: bigint;
}

/** The node began again from a snapshot. It has no blocks of the slots, and none of their transactions. */
export function loseSlots(node: SolanaNode, chain: SolanaChain, { from, to }: Gap): void {
  const isLost = (slot: unknown): boolean => Number(slot) >= from && Number(slot) <= to;
  const lacks = (one: Slotted | null): boolean => one !== null && isLost(one.slot);
  node.before = ({ method, params: [slot] }) => {
    if (method !== "getBlock" || !isLost(slot)) return;
    const message = `Slot ${String(slot)} was skipped, or missing due to ledger jump to recent snapshot`;
    throw new Refused(-32_007, message);
  };
  node.rewrite = ({ method, params: [first, count] }, answer) => {
    switch (method) {
      case "getBlocks":
        return (answer as readonly bigint[]).filter((slot) => !isLost(slot));
      case "getBlocksWithLimit":
        return chain.blocks
          .map(({ slot }) => slot)
          .filter((slot) => slot >= Number(first) && !isLost(slot))
          .slice(0, Number(count));
      case "getSignaturesForAddress":
        return (answer as readonly Slotted[]).filter((one) => !lacks(one));
      case "getTransaction":
        return lacks(answer as Slotted | null) ? null : answer;
      case "getSignatureStatuses": {
        const { value, ...rest } = answer as { readonly value: readonly (Slotted | null)[] };
        return { ...rest, value: value.map((one) => (lacks(one) ? null : one)) };
      }
      default:
        return answer;
    }
  };
}
