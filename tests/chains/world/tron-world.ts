import { randomUUID } from "node:crypto";
import {
  readTronDepositAccount,
  toEvmForm,
} from "../../../apps/server/src/adapters/chains/tron/addresses.ts";
import { makeTronReader } from "../../../apps/server/src/adapters/chains/tron/reader.ts";
import { newScan, type Scan } from "../../../apps/server/src/chains/scan.ts";
import { scanStep } from "../../../apps/server/src/chains/scan-step.ts";
import { scanOnce } from "../../../apps/server/src/chains/scanner.ts";
import type { ChainReader } from "../../../apps/server/src/domain/ports/chain-reader.ts";
import { toTronForm } from "../../../apps/server/src/domain/wallets/tron.ts";
import { insertAddress } from "../../../apps/server/src/storage/chains/addresses.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import {
  type ChainMovement,
  listMovementsTo,
} from "../../../apps/server/src/storage/chains/movements.ts";
import type { Database } from "../../../apps/server/src/storage/postgres/database.ts";
import { type Anvil, CHAIN_ID, startAnvil } from "./anvil.ts";
import { type Balances, callData, creationData } from "./chain-world.ts";
import { takeDatabase } from "./file-databases.ts";
import { startTronNode, type TronNode } from "./tron-node.ts";
import { type AnvilTransaction, TRC10, tronTransaction } from "./tron-transactions.ts";

export const TRON = "tron";
/** The account m/44'/195'/1' of the mnemonic "abandon … about", which everybody knows. */
export const TRON_XPUB =
  "xpub6D1AabNHCupeoA3sb15rvtDPuaeZSRWg39QsynNZQETJfbuy3fFsEqY44mJEP2j4XxLgZUbZZxuFWf67Srqf6Ucu9spE8AmbWZu5ZET1ELw";
/** Ids of the catalogue. The contract of the token is that of the test. */
export const TRON_ASSETS = { trx: 1044, usdt: 1021 } as const;
export type TronAsset = keyof typeof TRON_ASSETS;
const NAMES = Object.keys(TRON_ASSETS) as TronAsset[];
const ADDRESSES = 6;

/** Servers of Tron in front of anvil, deposit addresses, a scanner on a real database, and a judge. */
export interface TronWorld {
  readonly node: Anvil;
  readonly servers: readonly TronNode[];
  readonly database: Database;
  readonly usdt: string;
  readonly suspects: string[];
  address(index: number): string;
  /** Pays from a stranger's account, and returns the transaction's id. */
  pay(index: number, asset: TronAsset, units: bigint): Promise<string>;
  /** Pays a worthless TRC-10 token. */
  payTrc10(index: number, units: bigint): Promise<string>;
  /** A contract pays TRX. */
  payByContract(index: number, units: bigint): Promise<string>;
  /** Sends from a deposit address, as its owner may with a wallet. */
  sendFrom(index: number, asset: TronAsset, units: bigint): Promise<string>;
  mine(blocks: number): Promise<void>;
  /** Drops the newest blocks for as many others. The transactions are mined in the first of them. */
  reorganise(depth: number, ids?: readonly string[]): Promise<void>;
  reader(): ChainReader;
  scan(): Promise<void>;
  /** Makes the last block final and scans. */
  settle(): Promise<void>;
  /** Makes one step as the service does, and returns its outcome. */
  step(): Promise<"more" | "done" | "failed">;
  movements(index: number): Promise<readonly ChainMovement[]>;
  /** Returns what the service credits: its final movements. */
  credited(): Promise<Balances>;
  /** Returns what the chain itself says that the addresses have at our final block. Never our rows. */
  holds(): Promise<Balances>;
  problem(): Promise<string | null | undefined>;
  close(): Promise<void>;
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;

export async function makeTronWorld(): Promise<TronWorld> {
  const node = await startAnvil();
  const [from = ""] = await node.call<string[]>("eth_accounts");
  const { database, giveBack } = await takeDatabase();
  const servers = await Promise.all([0, 1, 2].map(() => startTronNode(node.url)));
  const account = readTronDepositAccount(TRON_XPUB);
  const indexes = Array.from({ length: ADDRESSES }, (_, index) => index);
  const addressOf = (index: number): string => account.addressAt(index);
  for (const index of indexes) {
    await insertAddress(database, {
      networkCode: TRON,
      reference: String(1_000 + index),
      accountFingerprint: account.fingerprint,
      keyIndex: index,
      address: addressOf(index),
    });
  }
  const sent = new Map<string, string>();
  const idOf = async (hash: string): Promise<string> => {
    const { id } = tronTransaction(
      await node.call<AnvilTransaction>("eth_getTransactionByHash", hash),
    );
    sent.set(id, hash);
    return id;
  };
  const send = async (transaction: object): Promise<string> =>
    node.call("eth_sendTransaction", { from, gas: "0x2dc6c0", ...transaction });
  const deploy = async (name: "Token" | "Splitter"): Promise<string> => {
    const receipt = await node.call<{ contractAddress: string }>(
      "eth_getTransactionReceipt",
      await send({ data: creationData(name) }),
    );
    return receipt.contractAddress;
  };
  const [token, splitter] = [await deploy("Token"), await deploy("Splitter")];
  const mine = async (blocks: number): Promise<void> => {
    await node.call("anvil_mine", hex(BigInt(blocks)));
  };
  // A network begins at its final block, which is after the contracts were made.
  await mine(12);
  const usdt = toTronForm(token);
  const suspects: string[] = [];
  const reader = makeTronReader({
    networkCode: TRON,
    chainId: CHAIN_ID,
    genesis: undefined,
    endpoints: servers.map(({ url }, index) => ({ name: `server ${index}`, url, isOwn: false })),
    quorum: 2,
    timeoutMs: 20_000,
    // The block eight below anvil's head is final.
    finality: { tag: "finalized", atLeast: 9 },
    addressesAtOnce: 4,
    suspect: (endpoint) => suspects.push(endpoint),
  });
  const scan: Scan = newScan({
    database,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    networkCode: TRON,
    reader,
    settings: {
      pollMs: 10,
      spanMax: 500,
      keepBlocks: 64,
      balancesEveryMs: 0,
      balancesAtOnce: 2,
      bookedWithinSeconds: 600,
    },
    assets: () =>
      NAMES.map((name) => ({
        assetId: TRON_ASSETS[name],
        contract: name === "trx" ? null : usdt,
      })),
    token: randomUUID(),
  });
  const scanAll = async (): Promise<void> => {
    while (await scanStep(scan));
  };
  const movements: TronWorld["movements"] = (index) =>
    listMovementsTo(database, { networkCode: TRON, address: addressOf(index) });
  const transferTo = (to: string, asset: TronAsset, units: bigint): object =>
    asset === "trx"
      ? { to, value: hex(units) }
      : { to: token, data: callData("transfer(address,uint256)", to, units) };
  const balanceOf = async (index: number, asset: TronAsset, at: string): Promise<bigint> => {
    const address = toEvmForm(addressOf(index));
    if (asset === "trx") return BigInt(await node.call("eth_getBalance", address, at));
    const data = callData("balanceOf(address)", address);
    return BigInt(await node.call("eth_call", { to: token, data }, at));
  };
  const sums = (rows: readonly (readonly [string, bigint])[]): Balances => {
    const sum: Record<string, bigint> = {};
    for (const [key, units] of rows) if (units > 0n) sum[key] = (sum[key] ?? 0n) + units;
    return sum;
  };
  const world: TronWorld = {
    node,
    servers,
    database,
    usdt,
    suspects,
    address: addressOf,
    pay: async (index, asset, units) =>
      idOf(await send(transferTo(toEvmForm(addressOf(index)), asset, units))),
    payTrc10: async (index, units) =>
      idOf(await send({ to: toEvmForm(addressOf(index)), data: `${TRC10}${hex(units).slice(2)}` })),
    payByContract: async (index, units) => {
      const data = callData("pay(address)", toEvmForm(addressOf(index)));
      return idOf(await send({ to: splitter, data, value: hex(units) }));
    },
    sendFrom: async (index, asset, units) => {
      const owner = toEvmForm(addressOf(index));
      await node.call("anvil_impersonateAccount", owner);
      const transaction = { from: owner, gas: "0x186a0", ...transferTo(from, asset, units) };
      return idOf(await node.call("eth_sendTransaction", transaction));
    },
    mine,
    reorganise: async (depth, ids = []) => {
      const raw = await Promise.all(
        ids.map((id) => node.call("eth_getRawTransactionByHash", sent.get(id))),
      );
      await node.call(
        "anvil_reorg",
        depth,
        raw.map((bytes) => [bytes, 0]),
      );
    },
    reader: () => reader,
    scan: scanAll,
    settle: async () => {
      await mine(12);
      await scanAll();
    },
    step: () => scanOnce(scan),
    movements,
    credited: async () => {
      const rows = await Promise.all(
        indexes.map(async (index) =>
          (await movements(index))
            .filter(({ state }) => state === "final")
            .map(({ assetId, units }) => {
              const name = NAMES.find((one) => TRON_ASSETS[one] === assetId);
              return [`${index}:${name}`, units] as const;
            }),
        ),
      );
      return sums(rows.flat());
    },
    holds: async () => {
      const at = hex((await findCursor(database, TRON))?.finalHeight ?? 0n);
      const places = indexes.flatMap((index) => NAMES.map((name) => [index, name] as const));
      return sums(
        await Promise.all(
          places.map(async ([index, name]) => {
            return [`${index}:${name}`, await balanceOf(index, name, at)] as const;
          }),
        ),
      );
    },
    problem: async () => (await findCursor(database, TRON))?.problem,
    close: async () => {
      await reader.close();
      await Promise.all(servers.map((server) => server.close()));
      await node.kill();
      giveBack();
    },
  };
  await scanAll();
  return world;
}
