import type { Logger } from "pino";
import type { ChainSender } from "../domain/ports/chain-sender.ts";
import { isWalletOpen, openWallet } from "../storage/payouts/wallets.ts";
import type { Database } from "../storage/postgres/database.ts";

export interface HotWallets {
  /** Whether payouts of the network may take places. */
  isReady(networkCode: string | null): boolean;
  stop(): Promise<void>;
}

const RETRY_MS = 5_000;

/** A hot wallet. Without `places` it is one of coins. */
export type Registrant = Pick<ChainSender, "networkCode" | "wallet"> &
  Partial<Pick<ChainSender, "places">>;

/**
 * Registers the hot wallets of the live networks. The places of a new wallet begin at its number of final
 * transactions. Until a wallet is registered its network's payouts wait.
 */
export async function registerHotWallets(
  { database, log }: { readonly database: Database; readonly log: Pick<Logger, "info" | "warn"> },
  senders: readonly Registrant[],
): Promise<HotWallets> {
  const waiting = new Map(senders.map((sender) => [sender.networkCode, sender]));
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const pass = async (): Promise<void> => {
    for (const [networkCode, sender] of waiting) {
      try {
        await register(database, sender);
        waiting.delete(networkCode);
      } catch (error) {
        if (isStopping) return;
        log.warn({ err: error, networkCode }, "payouts wait until the hot wallet is registered");
      }
    }
    if (waiting.size === 0 || isStopping) return;
    timer = setTimeout(() => {
      running = pass();
    }, RETRY_MS);
    timer.unref();
  };
  running = pass();
  await running;
  return {
    isReady: (networkCode) => networkCode === null || !waiting.has(networkCode),
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Throws while the wallet cannot be registered. A wallet that is registered is not asked about again. */
async function register(database: Database, sender: Registrant): Promise<void> {
  const { networkCode, wallet } = sender;
  const { address } = wallet;
  if (await database.transaction((tx) => isWalletOpen(tx, { networkCode, address }))) return;
  const next = await nextOf(sender);
  const result = await database.transaction((tx) => openWallet(tx, { networkCode, address, next }));
  if (result.state !== "busy") return;
  throw new Error(
    `the earlier hot wallet of ${networkCode}, ${result.address ?? "the sandbox's"}, has ${result.sends} transactions that are not final. Name it in the rails file until they are`,
  );
}

async function nextOf({ networkCode, wallet, places }: Registrant): Promise<bigint | null> {
  if (!places) return null;
  const { final, next } = await places();
  if (next === final) return next;
  throw new Error(
    `${wallet.address} has ${next - final} transactions on ${networkCode} that are not final, or are in the signer's log alone. Nobody else may send from it`,
  );
}
