import { randomBytes } from "node:crypto";
import { toEvmForm } from "../../../apps/server/src/adapters/chains/tron/addresses.ts";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import { toTronForm } from "../../../apps/server/src/domain/wallets/tron.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import { type Anvil, CHAIN_ID, startAnvil } from "./anvil.ts";
import { callData, creationData } from "./chain-world.ts";
import { makeLiveSigner } from "./live-signer.ts";
import { INSTALLATION, makePayingService, type PayingService } from "./paying-service.ts";
import { dropTransactions, startTronNode, type TronNode } from "./tron-node.ts";
import { ENERGY_PRICE, oneAtATime } from "./tron-sending.ts";
import { TRON_XPUB } from "./tron-world.ts";

/** The hot wallet: the path m/44'/195'/0'/0/0 of the words of the test signer. */
export const TRON_HOT = "TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6";
/** Tether's contract, as the catalogue has it. The tests put code of their own there. */
const USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
export const TRON_TOKEN = toEvmForm(USDT);
const FLOAT = 10n ** 12n;
export const EXPIRATION_SECONDS = 8;
/** The block eight below anvil's head is final. */
export const FINAL_BELOW = 8;

export type TronAsset = "trx" | "usdt-tron";
const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

/** Returns an address of Tron that nobody has used. */
export const newTronAddress = (): string => toTronForm(`0x${randomBytes(20).toString("hex")}`);

interface AnvilBlock {
  readonly transactions: readonly { readonly from: string; readonly hash: string }[];
}

/** Returns the newest blocks, at most this number, or all. */
async function newestBlocks(node: Anvil, count = Number.POSITIVE_INFINITY) {
  const blocks: AnvilBlock[] = [];
  const head = Number(await node.call("eth_blockNumber"));
  for (let height = Math.max(1, head - count + 1); height <= head; height += 1) {
    blocks.push(await node.call<AnvilBlock>("eth_getBlockByNumber", hex(height), true));
  }
  return blocks;
}

/** The whole service with a real signer, and servers of Tron in front of anvil, whose balances judge. */
export interface TronPayingWorld extends PayingService {
  readonly node: Anvil;
  readonly servers: readonly TronNode[];
  start(changes?: object): Promise<void>;
  /** Places an order for coins to the address, and pays it at the sandbox's bank. */
  buy(asset: TronAsset, address: string, euro?: string): Promise<OrderView>;
  mine(blocks?: number): Promise<void>;
  /** Mines, unless the scanner has final blocks to read. By default the newest block becomes final. */
  grow(blocks?: number): Promise<void>;
  /** Mines, never further than the scanner follows, until the order has the status. */
  until(view: OrderView, status: string): Promise<void>;
  /** Returns the balance of an address that the chain itself reports, in its newest block. */
  holds(address: string, asset: TronAsset): Promise<bigint>;
  /** Drops the newest blocks for as many others without transactions. */
  reorganise(depth: number, nodes: "forget them" | "remember them"): Promise<void>;
  /** Sends one unit from the hot wallet, as somebody with its key may. */
  payBehindOurBack(asset: TronAsset): Promise<void>;
  /** Returns what the wallet's transactions cost: the fees of ours, and what went behind our back. */
  spentByHot(): Promise<{ readonly fees: bigint; readonly foreign: Record<TronAsset, bigint> }>;
  setCoins(units: bigint): Promise<void>;
  /** Puts code at the token's address. Without code it is an honest token again. */
  setToken(code?: string): Promise<void>;
  /** The number of transactions that the hot wallet made. */
  made(): Promise<number>;
  close(): Promise<void>;
}

export async function makeTronPayingWorld(
  options: { readonly variables?: NodeJS.ProcessEnv } = {},
): Promise<TronPayingWorld> {
  const node = await startAnvil(CHAIN_ID, { "base-fee": 0 });
  const [from = ""] = await node.call<string[]>("eth_accounts");
  const made = await node.call("eth_sendTransaction", { from, data: creationData("Token") });
  const { contractAddress } = await node.call<{ contractAddress: string }>(
    "eth_getTransactionReceipt",
    made,
  );
  const honest = await node.call("eth_getCode", contractAddress, "latest");
  const [token, hot] = [TRON_TOKEN, toEvmForm(TRON_HOT)];
  const foreign = new Map<string, TronAsset>();
  const setToken: TronPayingWorld["setToken"] = async (code = honest) => {
    await node.call("anvil_setCode", token, code);
  };
  const setCoins: TronPayingWorld["setCoins"] = async (units) => {
    await node.call("anvil_setBalance", hot, hex(units));
  };
  await setToken();
  await node.call("anvil_dealERC20", hot, token, hex(FLOAT));
  await setCoins(FLOAT);
  const mine: TronPayingWorld["mine"] = async (blocks = 12) => {
    // Without the interval each block is a second later than the one before, and the chain ahead of the clock.
    await oneAtATime(() => node.call("anvil_mine", hex(blocks), "0x0"));
  };
  await mine(20);
  const servers = await Promise.all([0, 1, 2].map(() => startTronNode(node.url)));
  const limits = { paymentCents: 200_000, hourCents: 3_000_000, approvalAboveCents: 100_000 };
  const signer = await makeLiveSigner({
    installation: INSTALLATION,
    chainId: CHAIN_ID,
    contracts: { usdt: "", usdc: "" },
    change: (policy) => ({
      ...policy,
      networks: {
        tron: {
          kind: "tron",
          chainId: CHAIN_ID,
          expirationSecondsMax: 600,
          feeMax: "50000000",
          feeMaxPerDay: "1000000000",
          dayCents: 5_000_000,
        },
      },
      wallets: {
        "tron-hot": { network: "tron", keystore: "hot", path: "m/44'/195'/0'/0/0" },
        "tron-deposits": { network: "tron", keystore: "deposits", path: "m/44'/195'/1'/0" },
      },
      assets: {
        trx: { network: "tron", decimals: 6, centsPerCoin: 25, ...limits },
        "usdt-tron": {
          network: "tron",
          contract: USDT,
          decimals: 6,
          centsPerCoin: 100,
          ...limits,
        },
      },
      denied: [],
    }),
  });
  const paying = await makePayingService(signer);
  const { common } = paying;
  const { world, line } = common;
  Object.assign(line.variables, options.variables);
  const configure = (changes: object): void => {
    const tron = {
      kind: "tron",
      chainId: CHAIN_ID,
      endpoints: servers.map(({ url }, index) => ({ name: `node-${index}`, url })),
      finality: { atLeast: 9 },
      scan: { pollMs: 50, balancesSeconds: 0 },
      deposits: { xpub: TRON_XPUB },
      hot: { wallet: "tron-hot", address: TRON_HOT },
      payouts: { expirationSeconds: EXPIRATION_SECONDS, graceSeconds: 1 },
      ...changes,
    };
    paying.configure({ tron });
  };
  // A node says the balances of its own final block only. One that is far beyond the scanner's is of no use.
  const grow: TronPayingWorld["grow"] = async (blocks = FINAL_BELOW) => {
    const head = BigInt(await node.call("eth_blockNumber"));
    const cursor = await findCursor(world.database, "tron");
    if (cursor && cursor.finalHeight >= head - BigInt(FINAL_BELOW)) await mine(blocks);
  };
  return {
    node,
    servers,
    ...common,
    start: async (changes = {}) => {
      configure(changes);
      await paying.run();
    },
    buy: (asset, address, euro = "50") => paying.buy(asset, address, euro),
    mine,
    grow,
    until: (view, wanted) => common.growToStatus(view, wanted, () => grow()),
    holds: async (address, asset) => {
      const owner = toEvmForm(address);
      if (asset === "trx") return BigInt(await node.call("eth_getBalance", owner, "latest"));
      const data = callData("balanceOf(address)", owner);
      const answer = await node.call("eth_call", { to: token, data }, "latest");
      return answer === "0x" ? 0n : BigInt(answer);
    },
    setCoins,
    setToken,
    reorganise: (depth, nodes) =>
      oneAtATime(async () => {
        const blocks = await newestBlocks(node, depth);
        await node.call("anvil_reorg", depth, []);
        // anvil's clock goes back with its blocks.
        await node.call("evm_setTime", Date.now());
        const dropped = blocks.flatMap(({ transactions }) => transactions);
        dropTransactions(new Set(dropped.map(({ hash }) => hash)), nodes);
      }),
    payBehindOurBack: (asset) =>
      oneAtATime(async () => {
        await node.call("anvil_impersonateAccount", hot);
        const to = toEvmForm(newTronAddress());
        const payment =
          asset === "trx"
            ? { to, value: "0x1" }
            : { to: token, data: callData("transfer(address,uint256)", to, 1n) };
        const fee = { gas: "0x186a0", gasPrice: hex(ENERGY_PRICE) };
        const hash = await node.call("eth_sendTransaction", { from: hot, ...payment, ...fee });
        foreign.set(hash, asset);
      }),
    spentByHot: async () => {
      const spent = { fees: 0n, foreign: { trx: 0n, "usdt-tron": 0n } };
      for (const { transactions } of await newestBlocks(node)) {
        for (const { from: payer, hash } of transactions) {
          if (payer.toLowerCase() !== hot.toLowerCase()) continue;
          const receipt = await node.call<{ gasUsed: string; effectiveGasPrice: string }>(
            "eth_getTransactionReceipt",
            hash,
          );
          const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
          const asset = foreign.get(hash);
          if (asset === undefined) spent.fees += fee;
          else spent.foreign.trx += fee;
          if (asset !== undefined) spent.foreign[asset] += 1n;
        }
      }
      return spent;
    },
    made: async () => Number(await node.call("eth_getTransactionCount", hot, "latest")),
    close: async () => {
      await paying.close();
      await Promise.all(servers.map((server) => server.close()));
      await node.kill();
    },
  };
}
