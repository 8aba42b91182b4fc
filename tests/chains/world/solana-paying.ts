import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import {
  isOnCurve,
  tokenAccountOf,
  toSolanaForm,
} from "../../../apps/server/src/domain/wallets/solana.ts";
import { readBooks } from "../../../apps/server/src/storage/chains/books.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import { makeLiveSigner } from "./live-signer.ts";
import { INSTALLATION, makePayingService, type PayingService } from "./paying-service.ts";
import { makeSolanaChain, type SolanaChain } from "./solana-chain.ts";
import { mintTokens, openTokens } from "./solana-instructions.ts";
import { type SolanaNode, startSolanaNode } from "./solana-node.ts";
import { USDC, USDT } from "./solana-tokens.ts";
import { SOLANA_ACCOUNT } from "./solana-world.ts";

/** The hot wallet: the path m/44'/501'/0'/0' of the words of the test signer. */
export const SOLANA_HOT = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";
const FLOAT = 10n ** 14n;
export const TOKEN_FLOAT = 10n ** 11n;
const STEP = 16;

/** Returns an address of Solana that nobody has used. */
export const newSolanaAddress = (): string => toSolanaForm(randomBytes(32));

/** Returns an address of Solana whose key somebody may have, as those of wallets are. */
export function newSolanaWallet(): string {
  const address = newSolanaAddress();
  return isOnCurve(address) ? address : newSolanaWallet();
}

/** Makes USDC in the token account of a wallet, which is opened before. */
export async function fillTokens(chain: SolanaChain, to: string, units: bigint): Promise<void> {
  const { address } = chain.faucet;
  await chain.send([openTokens(address, to, USDC), mintTokens(address, { to, units }, USDC)]);
}

/** Makes blocks until the ledger, the scanner's rows and the chain have the same SOL and USDC in the hot wallet. */
export const expectExactBooks = ({ chain, grow, world: { database } }: SolanaPayingWorld) =>
  expect
    .poll(
      async () => {
        await grow();
        const books = await readBooks(database, "solana");
        return books.map((one) => [
          one.assetReference,
          one.chainUnits,
          one.difference,
          one.unbookedUnits,
        ]);
      },
      { timeout: 60_000, interval: 100 },
    )
    .toEqual(
      expect.arrayContaining([
        ["sol", chain.lamports(SOLANA_HOT), 0n, 0n],
        ["usdc-solana", chain.tokens(tokenAccountOf(SOLANA_HOT, USDC)), 0n, 0n],
      ]),
    );

/** The whole service with a real signer, and servers of Solana in front of a chain, whose balances judge. */
export interface SolanaPayingWorld extends PayingService {
  readonly chain: SolanaChain;
  readonly servers: readonly SolanaNode[];
  start(changes?: object): Promise<void>;
  /** Places an order for SOL, or another coin, to the address, and pays it at the sandbox's bank. */
  buy(address: string, euro?: string, receive?: string): Promise<OrderView>;
  /** Makes some blocks, unless the scanner has earlier ones to read, or a transaction is on its way. */
  grow(count?: number): Promise<void>;
  /** Makes blocks, never further than the scanner follows, until the order has the status. */
  until(view: OrderView, status: string): Promise<void>;
  /** The number of transactions of the hot wallet in blocks. */
  made(): number;
  /** The fees of those. */
  paidFees(): bigint;
  close(): Promise<void>;
}

export async function makeSolanaPayingWorld(
  options: {
    readonly variables?: NodeJS.ProcessEnv;
    /** The references of the tokens that are paid out. The hot wallet has USDC then. */
    readonly tokens?: readonly string[];
  } = {},
): Promise<SolanaPayingWorld> {
  const chain = await makeSolanaChain();
  await chain.pay([{ to: SOLANA_HOT, units: FLOAT }]);
  if (options.tokens) await fillTokens(chain, SOLANA_HOT, TOKEN_FLOAT);
  chain.mine(40);
  const servers = await Promise.all([0, 1, 2].map(() => startSolanaNode(chain)));
  const token = { network: "solana", decimals: 6, centsPerCoin: 100 };
  const limits = { paymentCents: 200_000, hourCents: 3_000_000, approvalAboveCents: 100_000 };
  const signer = await makeLiveSigner({
    installation: INSTALLATION,
    chainId: 1,
    contracts: { usdt: "", usdc: "" },
    change: (policy) => ({
      ...policy,
      networks: {
        solana: {
          kind: "solana",
          genesis: chain.genesis,
          expirationSecondsMax: 600,
          feeMax: "100000",
          feeMaxPerDay: "500000000",
          dayCents: 5_000_000,
        },
      },
      wallets: {
        "solana-hot": { network: "solana", keystore: "hot", path: "m/44'/501'/0'/0'" },
        "solana-deposits": { network: "solana", keystore: "deposits", path: "m/44'/501'/0'/0'" },
      },
      assets: {
        sol: { network: "solana", decimals: 9, centsPerCoin: 15_000, ...limits },
        "usdc-solana": { ...token, ...limits, contract: USDC },
        "usdt-solana": { ...token, ...limits, contract: USDT },
      },
      denied: [],
    }),
  });
  const paying = await makePayingService(signer);
  const { common } = paying;
  const { world, line } = common;
  Object.assign(line.variables, options.variables);
  const configure = (changes: object): void => {
    const solana = {
      kind: "solana",
      genesis: chain.genesis,
      endpoints: servers.map(({ url }, index) => ({ name: `node-${index}`, url })),
      scan: { pollMs: 50, balancesSeconds: 0 },
      deposits: { account: SOLANA_ACCOUNT },
      hot: { wallet: "solana-hot", address: SOLANA_HOT },
      payouts: { expirationSeconds: 3, graceBlocks: 4 },
      ...(options.tokens && { tokens: options.tokens }),
      ...changes,
    };
    paying.configure({ solana });
  };
  // A node says the balances of its own final block only. One that is far beyond the scanner's is of no use.
  const grow = async (count = STEP): Promise<void> => {
    const cursor = await findCursor(world.database, "solana");
    const isRead = cursor !== undefined && cursor.height >= chain.head().slot;
    if (isRead && !(await common.isOnItsWay())) chain.mine(count);
  };
  const ownOnes = () =>
    chain.blocks
      .flatMap(({ transactions }) => transactions)
      .filter(({ accounts }) => accounts[0] === SOLANA_HOT);
  return {
    chain,
    servers,
    ...common,
    start: async (changes = {}) => {
      configure(changes);
      await paying.run();
    },
    buy: (address, euro = "50", receive = "sol") => paying.buy(receive, address, euro),
    grow,
    until: (view, wanted) => common.growToStatus(view, wanted, grow),
    made: () => ownOnes().length,
    paidFees: () => ownOnes().reduce((sum, { fee }) => sum + fee, 0n),
    close: async () => {
      await paying.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
