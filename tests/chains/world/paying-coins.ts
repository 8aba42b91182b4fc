import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { readCoinAccount } from "../../../apps/server/src/adapters/chains/utxo/deposit-addresses.ts";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import type { Failpoint } from "../../../apps/server/src/failpoints.ts";
import type { PolicyFile } from "../../../apps/server/src/signer/policy.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import { endLeases } from "../../../apps/server/src/storage/jobs/leases.ts";
import { statement } from "../../../apps/server/src/storage/postgres/database.ts";
import { testCoinWallet } from "../../../apps/server/src/testing/coin-wallet.ts";
import { COIN_NETWORK, COIN_XPUB, coinsText, LTC, unitsOf, unspentAt } from "./coin-world.ts";
import { type Litecoind, startLitecoind } from "./litecoind.ts";
import { makeLiveSigner } from "./live-signer.ts";
import { type LyingProxy, startProxy } from "./lying-proxy.ts";
import { INSTALLATION, makePayingService, type PayingService } from "./paying-service.ts";

const PATH = "m/84'/2'/0'";
/** The coins of one size that the hot wallet begins with. */
export const COINS = 5;
export const COIN_UNITS = 1_000_000_000n;
export const FLOAT = BigInt(COINS) * COIN_UNITS;
/** The blocks with which a transaction is final. */
export const DEPTH = 4;

/** Takes back all that a payout under way has since it was owed, as a backup of that moment has it. */
export const LOSE_SIGNATURES = `
  set local session_replication_role = replica;
  create temporary table lost on commit drop as
    select o.send_id, o.intent_id from chain_send_outputs o
      join payout_intents i on i.id = o.intent_id and i.state in ('signed', 'broadcast');
  delete from payout_releases where send_id in (select send_id from lost);
  delete from chain_transactions where send_id in (select send_id from lost);
  delete from chain_fee_terms where send_id in (select send_id from lost);
  delete from chain_send_outputs where send_id in (select send_id from lost);
  update chain_coins set send_id = null where send_id in (select send_id from lost);
  delete from chain_sends where id in (select send_id from lost);
  update payout_intents set state = 'created', signed_bytes = null, transaction_hash = null, released_at = null
    where id in (select intent_id from lost)`;

const SERVICE = fileURLToPath(new URL("../../../apps/server/dist/main.js", import.meta.url));
export const API = { EXCHANGE_ROLE: "api" } as const;
const WORKER = { EXCHANGE_ROLE: "worker" } as const;

/** A worker that is alive after this time will not die. */
const DIES_MS = 120_000;
const OUTPUT_MAX = 4_000;

const END_SCANNER_LEASE = statement(
  "test_end_scanner_lease",
  "update chain_cursors set leased_until = null, lease_token = null",
);

/** The sum of the network fees in the books. */
const FEES = statement(
  "test_coin_fees",
  `select coalesce(sum(posting.units), 0)::text as units from ledger_postings posting
   join ledger_accounts account on account.id = posting.account_id
   where account.purpose = 'network_fees' and account.asset_id = $1`,
);

/** The whole service with a real signer and a real node. */
export interface PayingCoins extends PayingService {
  readonly node: Litecoind;
  start(variables?: NodeJS.ProcessEnv): Promise<void>;
  /** Runs a worker in a process that kills itself at the failpoint. Returns the signal. */
  dieAt(failpoint: Failpoint): Promise<NodeJS.Signals | null>;
  /** Spends a coin of the wallet with its own key, as somebody who stole it would. Returns the bytes. */
  spendBehindOurBack(outpoint: string): Promise<string>;
  /** Pays the float to the hot wallet, and waits until it is final. */
  fund(coins?: number, units?: bigint): Promise<void>;
  /** Sets the rate that the node estimates, in units for each virtual byte. */
  setRate(rate: number): void;
  /** The endpoint in front of the node. */
  readonly endpoint: LyingProxy;
  /** Mines a block of these transactions and no others, by their bytes. */
  mineOnly(transactions: readonly string[]): Promise<void>;
  newAddress(): Promise<string>;
  /** Places an order for coins to the address, and pays it at the sandbox's bank. */
  buy(address: string, euro?: string): Promise<OrderView>;
  mine(blocks: number): Promise<void>;
  /** Waits until the scanner has read all blocks. */
  scanned(): Promise<void>;
  /** Returns the number of transactions that no block has. */
  inMempool(): Promise<number>;
  /** Returns the units of an address, by the node's own set of coins. */
  holds(address: string): Promise<bigint>;
  /** Returns the units of all addresses of the hot wallet, by the node's own set of coins. */
  walletHolds(): Promise<bigint>;
  /** Returns the network fees in the books. */
  feesPaid(): Promise<bigint>;
  close(): Promise<void>;
}

export interface PayingCoinsOptions {
  /** Arguments of the node. */
  readonly node?: readonly string[];
  /** The member `payouts` of the network in the rails file. */
  readonly payouts?: object;
  /** The member `consolidate` of the network in the rails file. */
  readonly consolidate?: object;
  /** The member `fees` of the network in the rails file. */
  readonly fees?: object;
  /** The blocks after which a payout is paid. It is final with `DEPTH` of them. */
  readonly payoutDepth?: number;
}

export async function makePayingCoins({
  node: nodeArguments = [],
  payouts,
  consolidate,
  fees,
  payoutDepth = DEPTH,
}: PayingCoinsOptions = {}): Promise<PayingCoins> {
  const node = await startLitecoind(nodeArguments);
  const market = await startProxy(node.openUrl);
  const { username, password } = new URL(node.url);
  const url = Object.assign(new URL(market.url), { username, password }).href;
  await node.call("createwallet", "stranger");
  await node.call("generatetoaddress", 10, await node.call("getnewaddress"));
  const hot = testCoinWallet(PATH, "rltc");
  const { xpub } = hot;
  const miner = readCoinAccount({ xpub: COIN_XPUB, chain: "regtest", prefix: "rltc" });
  const mine: PayingCoins["mine"] = async (blocks) => {
    await node.call("generatetoaddress", blocks, miner.addressAt(9_998));
  };
  await mine(110);
  const signer = await makeLiveSigner({
    installation: INSTALLATION,
    chainId: 31_337,
    contracts: {
      usdt: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      usdc: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    },
    change: (policy) => withLitecoin(policy, "regtest"),
  });
  const paying = await makePayingService(signer);
  const { common } = paying;
  const { world, line } = common;
  const litecoin = {
    kind: "utxo",
    coin: "litecoin",
    chain: "regtest",
    endpoints: [{ name: "node", url, trust: "own" }],
    finality: { atLeast: DEPTH },
    scan: { pollMs: 50 },
    deposits: { xpub: COIN_XPUB },
    hot: { wallet: "litecoin-hot", xpub },
    payoutDepth,
    payouts,
    consolidate,
    fees,
  };
  paying.configure({ litecoin });
  let ownBlocks = 0;
  const holds = async (address: string): Promise<bigint> =>
    (await unspentAt(node, address)).reduce((sum, { units }) => sum + units, 0n);
  const scanned = async (): Promise<void> => {
    const height = BigInt(await node.call("getblockcount"));
    for (let tries = 0; tries < 3_000; tries += 1) {
      const cursor = await findCursor(world.database, COIN_NETWORK);
      if (cursor && cursor.height >= height && cursor.finalHeight >= height - BigInt(DEPTH) + 1n) {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error("the scanner did not read the blocks");
  };
  return {
    node,
    endpoint: market,
    ...common,
    start: (variables = {}) =>
      paying.run({ EXCHANGE_FILL_PLACES_AFTER_SECONDS: "1", ...variables }),
    dieAt: async (failpoint) => {
      const own = { ...WORKER, EXCHANGE_FILL_PLACES_AFTER_SECONDS: "1" };
      const env = { ...process.env, ...line.variables, ...own, EXCHANGE_FAILPOINT: failpoint };
      const child = spawn(process.execPath, [SERVICE], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-OUTPUT_MAX);
      });
      const timeout = setTimeout(() => child.kill("SIGTERM"), DIES_MS);
      const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
      clearTimeout(timeout);
      if (signal !== "SIGKILL")
        throw new Error(`The worker did not reach ${failpoint}. Its last output:\n${output}`);
      // Otherwise the leases of the dead worker last for up to a minute.
      await endLeases(world.database);
      await world.database.query(END_SCANNER_LEASE);
      return signal;
    },
    spendBehindOurBack: async (outpoint) => {
      const [txid, output] = outpoint.split(":");
      const coin = await node.call<{ value: string; scriptPubKey: { hex: string } }>(
        "gettxout",
        txid,
        Number(output),
        false,
      );
      return hot.steal({ outpoint, script: coin.scriptPubKey.hex, units: unitsOf(coin.value) });
    },
    setRate: (rate) => {
      const feerate = `${(rate * 1_000) / 1e8}`;
      market.behaviour = {
        rewrite: ({ method }, result) => (method === "estimatesmartfee" ? { feerate } : result),
      };
    },
    mineOnly: async (transactions) => {
      // With one address for all, a block of another branch could be the same block.
      ownBlocks += 1;
      await node.call("generateblock", miner.addressAt(10_000 + ownBlocks), transactions);
    },
    fund: async (coins = COINS, units = COIN_UNITS) => {
      await scanned();
      for (let coin = 0; coin < coins; coin += 1) {
        await node.call("sendtoaddress", hot.addressAt(coin % 2), coinsText(units));
      }
      await mine(DEPTH);
      await scanned();
    },
    newAddress: () => node.call("getnewaddress"),
    buy: (address, euro = "100") => paying.buy("ltc", address, euro),
    mine,
    scanned,
    inMempool: async () => (await node.call<string[]>("getrawmempool")).length,
    holds,
    walletHolds: async () => {
      const descriptor = (branch: number) => ({
        desc: `wpkh(${hot.testXpub}/${branch}/*)`,
        range: 200,
      });
      const ranges = [descriptor(0), descriptor(1)];
      const set = await node.call<{ total_amount: string }>("scantxoutset", "start", ranges);
      return BigInt(set.total_amount.replace(".", ""));
    },
    feesPaid: async () => {
      const [row] = await world.database.query<{ units: string }>(FEES, [LTC]);
      return BigInt(row?.units ?? 0);
    },
    close: async () => {
      await paying.close();
      await market.close();
      await node.remove();
    },
  };
}

/** Adds the hot wallet to a signer's policy. */
export function withLitecoin(policy: PolicyFile, environment: "mainnet" | "regtest"): PolicyFile {
  const network = {
    kind: "coins",
    chain: "litecoin",
    environment,
    feeRateMax: 500,
    feeMax: "1000000",
    feeMaxPerDay: "100000000",
    dayCents: 5_000_000,
  } as const;
  const limits = { paymentCents: 200_000, hourCents: 3_000_000, approvalAboveCents: 100_000 };
  return {
    ...policy,
    networks: { ...policy.networks, litecoin: network },
    wallets: {
      ...policy.wallets,
      "litecoin-hot": { network: "litecoin", keystore: "hot", path: PATH },
    },
    assets: {
      ...policy.assets,
      ltc: { network: "litecoin", decimals: 8, centsPerCoin: 7_800, ...limits },
    },
  };
}
