import type { Logger } from "pino";
import type { ChainSender, DeadlineSender } from "../domain/ports/chain-sender.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import {
  isWalletOpen,
  type NewWallet,
  noteAccount,
  openWallet,
  type SendingWallet,
} from "../storage/payouts/wallets.ts";
import type { Database } from "../storage/postgres/database.ts";

export interface HotWallets {
  /** Whether payouts of the network may take places. */
  isReady(networkCode: string | null): boolean;
  stop(): Promise<void>;
}

interface Waiting {
  readonly sender: Registrant;
  readonly role: SendingWallet["role"];
}

const RETRY_MS = 5_000;
const WORDS = { hot: "hot wallet", gas: "gas tank" } as const;
const WAITS = {
  hot: "payouts wait until the hot wallet is registered",
  gas: "top-ups wait until the gas tank is registered",
} as const;

/** A wallet that sends. Without `places` it has coins, or its transactions have deadlines. */
export type Registrant = Pick<ChainSender, "networkCode"> & {
  readonly wallet: ChainSender["wallet"] & Partial<CoinSender["wallet"]>;
} & Partial<Pick<ChainSender, "places"> & Pick<DeadlineSender, "deadlineOf">>;

export interface Registrants {
  readonly hot: readonly Registrant[];
  /** The gas tanks. Sweeps that need one wait until it is registered, and payouts do not. */
  readonly gas: readonly Registrant[];
}

/**
 * Registers the hot wallets and gas tanks of the live networks. The places of a new wallet begin at its number of final
 * transactions. Until a wallet is registered its network's payouts wait.
 */
export async function registerHotWallets(
  { database, log }: { readonly database: Database; readonly log: Pick<Logger, "info" | "warn"> },
  { hot, gas }: Registrants,
): Promise<HotWallets> {
  const waiting = new Map<string, Waiting>([
    ...gas.map((sender) => [`gas ${sender.networkCode}`, { sender, role: "gas" }] as const),
    ...hot.map((sender) => [`hot ${sender.networkCode}`, { sender, role: "hot" }] as const),
  ]);
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const pass = async (): Promise<void> => {
    for (const [name, { sender, role }] of waiting) {
      try {
        await register(database, sender, role);
        waiting.delete(name);
      } catch (error) {
        if (isStopping) return;
        log.warn({ err: error, networkCode: sender.networkCode }, WAITS[role]);
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
    isReady: (networkCode) => networkCode === null || !waiting.has(`hot ${networkCode}`),
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Throws while the wallet cannot be registered. A wallet that is registered is not asked about again. */
async function register(
  database: Database,
  sender: Registrant,
  role: SendingWallet["role"],
): Promise<void> {
  const { networkCode, wallet } = sender;
  const { address } = wallet;
  const own = { networkCode, address, role };
  const isOpen = await database.transaction(async (tx) => {
    // A wallet of an earlier release has no account yet.
    if (wallet.account !== undefined) await noteAccount(tx, own, wallet.account);
    return isWalletOpen(tx, own);
  });
  if (isOpen) return;
  const next = await nextOf(sender);
  const result = await database.transaction(async (tx) => {
    const opened = await openWallet(tx, { ...own, kind: kindOf(sender), next });
    if (wallet.account !== undefined) await noteAccount(tx, own, wallet.account);
    if (opened.state !== "of_other_role") return opened;
    throw new Error(
      `${address} was registered on ${networkCode} in another role. Hot wallet and gas tank never change their roles: name another address`,
    );
  });
  if (result.state !== "busy") return;
  throw new Error(
    `the earlier ${WORDS[role]} of ${networkCode}, ${result.address ?? "the sandbox's"}, has ${result.sends} transactions that are not final. Name it in the rails file until they are`,
  );
}

const kindOf = ({ places, deadlineOf }: Registrant): NewWallet["kind"] =>
  deadlineOf ? "expiring" : places ? "account" : "coins";

async function nextOf({ networkCode, wallet, places }: Registrant): Promise<bigint | null> {
  if (!places) return null;
  const { final, next } = await places();
  if (next === final) return next;
  throw new Error(
    `${wallet.address} has ${next - final} transactions on ${networkCode} that are not final, or are in the signer's log alone. Nobody else may send from it`,
  );
}
