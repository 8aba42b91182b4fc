import { randomBytes } from "node:crypto";
import { expect, vi } from "vitest";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import type { PolicyFile } from "../../../apps/server/src/signer/policy.ts";
import { hurryJobs } from "../../../apps/server/src/storage/jobs/jobs.ts";
import { type Anvil, CHAIN_ID, startAnvil } from "./anvil.ts";
import { CODES, XPUB } from "./chain-world.ts";
import { makeLiveSigner } from "./live-signer.ts";
import { type LyingProxy, startProxy } from "./lying-proxy.ts";
import { INSTALLATION, makePayingService, type PayingService } from "./paying-service.ts";

/** The hot wallet: the first account of anvil's own words, which are also those of the test signer. */
export const HOT = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
/** The contracts of the catalogue. The tests put code of their own there. */
export const CONTRACTS = {
  usdt: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
  usdc: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
} as const;
const FLOAT = 10n ** 12n;

export const hex = (number: bigint | number): string => `0x${number.toString(16)}`;
const word = (value: bigint | string): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0");

/** The whole service with a real signer, and a real node behind endpoints that may lie. */
export interface PayingWorld extends PayingService {
  readonly node: Anvil;
  readonly proxies: readonly LyingProxy[];
  /** Starts the service with the rails file, or with changes to its network. */
  start(changes?: object): Promise<void>;
  /** Places an order for coins to the address, and pays it at the sandbox's bank. */
  buy(asset: "eth" | "usdt" | "usdc", address: string, euro?: string): Promise<OrderView>;
  mine(blocks?: number): Promise<void>;
  /** Returns the balance of an address that the chain itself reports, in its newest block. */
  holds(address: string, asset: "eth" | "usdt" | "usdc"): Promise<bigint>;
  /** Calls a contract or pays, from a stranger's account. */
  send(transaction: { to?: string; data?: string; value?: bigint }): Promise<string>;
  /** Puts code at a token's address. Without code it is an honest token again. */
  setToken(asset: "usdt" | "usdc", code?: string): Promise<void>;
  /** The number of transactions that the hot wallet made. */
  nonce(): Promise<number>;
  /** Ends the stop of the network's payouts, by two people. */
  resume(): Promise<void>;
  /** Makes the jobs of an order due now. */
  hurry(view: OrderView): Promise<void>;
  close(): Promise<void>;
}

/** Returns an address that nobody has used. */
export const newAddress = (): string => `0x${randomBytes(20).toString("hex")}`;

export interface PayingWorldOptions {
  /** Changes of the signer's policy. */
  readonly policy?: (policy: PolicyFile) => PolicyFile;
  readonly network?: object;
  readonly variables?: NodeJS.ProcessEnv;
}

export async function makePayingWorld(options: PayingWorldOptions = {}): Promise<PayingWorld> {
  const node = await startAnvil();
  const [, stranger = ""] = await node.call<string[]>("eth_accounts");
  const send: PayingWorld["send"] = async ({ to, data, value = 0n }) => {
    const hash = await node.call("eth_sendTransaction", {
      from: stranger,
      gas: hex(3_000_000),
      value: hex(value),
      ...(to && { to }),
      ...(data && { data }),
    });
    return hash;
  };
  const creation = await send({ data: CODES.Token });
  // anvil answers before it has mined the transaction.
  const receipt = await vi.waitUntil(
    () => node.call<{ contractAddress: string } | null>("eth_getTransactionReceipt", creation),
    { timeout: 60_000 },
  );
  const honest = await node.call("eth_getCode", receipt.contractAddress, "latest");
  const setToken: PayingWorld["setToken"] = async (asset, code = honest) => {
    await node.call("anvil_setCode", CONTRACTS[asset], code);
  };
  for (const asset of ["usdt", "usdc"] as const) {
    await setToken(asset);
    // The slot of an address in a mapping that is the contract's first variable.
    const slot = await node.call("web3_sha3", `0x${word(HOT)}${word(0n)}`);
    await node.call("anvil_setStorageAt", CONTRACTS[asset], slot, `0x${word(FLOAT)}`);
  }
  const mine: PayingWorld["mine"] = async (blocks = 12) => {
    await node.call("anvil_mine", hex(blocks));
  };
  await mine(20);
  const proxies = await Promise.all([0, 1, 2].map(() => startProxy(node.url)));
  const signer = await makeLiveSigner({
    installation: INSTALLATION,
    chainId: CHAIN_ID,
    contracts: CONTRACTS,
    ...(options.policy && { change: options.policy }),
  });
  const paying = await makePayingService(signer);
  const { common } = paying;
  const { world, line } = common;
  const configure = (changes: object): void => {
    const ethereum = {
      kind: "evm",
      chainId: CHAIN_ID,
      endpoints: proxies.map(({ url }, index) => ({ name: `node-${index}`, url })),
      finality: { atLeast: 1 },
      scan: { pollMs: 50, balancesSeconds: 0 },
      deposits: { xpub: XPUB },
      hot: { wallet: "ethereum-hot", address: HOT },
      // Payouts wait until they are final, if a test does not say otherwise.
      payoutDepth: 10_000,
      ...options.network,
      ...changes,
    };
    paying.configure({ ethereum });
  };
  Object.assign(line.variables, {
    EXCHANGE_FILL_PLACES_AFTER_SECONDS: "1",
    ...options.variables,
  });
  return {
    node,
    proxies,
    ...common,
    start: async (changes = {}) => {
      configure(changes);
      await paying.run();
    },
    buy: (asset, address, euro = "100") =>
      paying.buy(asset === "eth" ? "eth" : `${asset}-ethereum`, address, euro),
    mine,
    holds: async (address, asset) => {
      if (asset === "eth") return BigInt(await node.call("eth_getBalance", address, "latest"));
      const data = `0x70a08231${word(address)}`;
      const answer = await node.call("eth_call", { to: CONTRACTS[asset], data }, "latest");
      return answer === "0x" ? 0n : BigInt(answer);
    },
    send,
    setToken,
    nonce: async () => Number(await node.call("eth_getTransactionCount", HOT, "latest")),
    resume: async () => {
      for (const person of ["anna", "ben"]) {
        const words = ["payouts", "resume", "--rail", "chain:ethereum", "--as", person];
        expect(await line.run(...words)).toMatchObject({ status: 0 });
      }
    },
    hurry: ({ order }) => world.database.transaction((tx) => hurryJobs(tx, order.id)),
    close: async () => {
      await paying.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await node.kill();
    },
  };
}
