import { AnswerTooLong, type Rpc, type RpcCall } from "../rpc.ts";
import { askReached, listOf, wholeOf } from "./endpoints.ts";

interface NodeSignature {
  readonly signature?: unknown;
  readonly slot?: unknown;
}

/** The slots above one up to another. */
export interface SlotRange {
  readonly after: bigint;
  readonly to: bigint;
  /** The most transactions of one address in one answer. */
  readonly pageSize: number;
}

/**
 * The list begins at the newest transaction, so a shorter span does not shorten it. Strangers pay for every transaction
 * that names our address, and a million of them cost more than the delay is worth.
 */
const PAGES_MAX = 1_000;

/**
 * Lists the transactions of the addresses in the blocks of the range, each once. Failed ones are among them. Returns
 * undefined where the endpoint has not reached the end of the range.
 */
export async function listSignatures(
  rpc: Rpc,
  addresses: readonly string[],
  { after, to, pageSize }: SlotRange,
): Promise<readonly string[] | undefined> {
  const found = new Map<string, bigint>();
  let open = addresses.map((address) => ({ address, before: undefined as string | undefined }));
  for (let page = 0; open.length > 0; page += 1) {
    if (page === PAGES_MAX) {
      throw new AnswerTooLong(
        `${rpc.name}: an address has more than ${pageSize * PAGES_MAX} transactions`,
      );
    }
    const answers = await askReached(
      rpc,
      open.map((one) => questionAboutSignatures(one, to, pageSize)),
    );
    if (!answers) return undefined;
    open = open.flatMap(({ address }, at) => {
      const list = listOf<NodeSignature>(rpc, answers[at], `transactions of ${address}`);
      let isEnd = list.length < pageSize;
      for (const { signature, slot } of list) {
        const height = wholeOf(rpc, slot, "slot");
        if (height <= after) isEnd = true;
        else if (height <= to) found.set(String(signature), height);
      }
      return isEnd ? [] : [{ address, before: String(list.at(-1)?.signature) }];
    });
  }
  return [...found.keys()].sort();
}

/** The newest come first. A node that has not reached the slot refuses. */
export const questionAboutSignatures = (
  { address, before }: { readonly address: string; readonly before?: string | undefined },
  to: bigint,
  limit: number,
): RpcCall => [
  "getSignaturesForAddress",
  address,
  {
    commitment: "confirmed",
    limit,
    minContextSlot: Number(to),
    ...(before !== undefined && { before }),
  },
];
