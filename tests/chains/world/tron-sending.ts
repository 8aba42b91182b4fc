import { createHash } from "node:crypto";
import { toEvmForm } from "../../../apps/server/src/adapters/chains/tron/addresses.ts";
import { readSignedTransfer } from "../../../apps/server/src/adapters/chains/tron/transaction.ts";
import { bytesAt, numberAt, readFields } from "../../../apps/server/src/domain/wallets/protobuf.ts";
import { broadcasts, type TronQuestion } from "./tron-transactions.ts";

type Ask = <Result>(method: string, ...params: readonly unknown[]) => Promise<Result>;

/** A chain of anvil that the questions of a sender are answered from. */
export interface SendingChain {
  readonly ask: Ask;
  /** Ids of Tron, and the hashes of anvil that they stand for. */
  readonly ids: Map<string, string>;
  /** Whether it carries out what is broadcast. */
  readonly takes: boolean;
  /** Whether staked TRX pay for energy and bandwidth. */
  readonly stakes: boolean;
}

/** Sun for each unit of energy, which anvil counts as gas. */
export const ENERGY_PRICE = 10n;
/** An address that was never used costs 1 TRX and the bandwidth for it. */
export const NEW_ACCOUNT_SUN = 1_100_000n;
const PARAMETERS = {
  getEnergyFee: ENERGY_PRICE,
  getTransactionFee: 1_000n,
  getCreateAccountFee: 100_000n,
  getCreateNewAccountFeeInSystemContract: 1_000_000n,
};
const SELECTORS: Readonly<Record<string, string>> = {
  "balanceOf(address)": "70a08231",
  "transfer(address,uint256)": "a9059cbb",
};
const TRANSFER_GAS = 21_000n;
const NOTHING = "0".repeat(64);
const STAKED = { EnergyLimit: 10_000_000, freeNetUsed: 0 };

/**
 * The access lists by which anvil takes the fee of a payment to an address that was never used: with and without a fee
 * of `TRANSFER_GAS`. A change of the wallet's balance instead would be in the block before.
 */
const NEW_ACCOUNT = {
  price: 25n,
  burning: { gas: 52_400n, addresses: 2, keys: 14 },
  staking: { gas: 44_000n, addresses: 8, keys: 2 },
};
/** The ids of transactions whose blocks were dropped, and that no node takes a second time. */
export const remembered = new Set<string>();

const hex = (value: bigint): string => `0x${value.toString(16)}`;

let last: Promise<unknown> = Promise.resolve();

/** Runs the works one after the other. No block may be made before its transactions have their ids. */
export function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
  const next = last.then(work, work);
  last = next;
  return next;
}
const evmForm = (nodeForm: unknown): string => `0x${String(nodeForm).slice(2)}`;

/** Answers what a sender asks of java-tron's own interface. Undefined for other questions. */
export async function sendingAnswer(
  chain: SendingChain,
  { method, params }: TronQuestion,
): Promise<object | undefined> {
  const { ask } = chain;
  const body = params[0] as Readonly<Record<string, string>>;
  switch (method) {
    case "/wallet/broadcasthex":
      return oneAtATime(() => broadcast(chain, Buffer.from(String(body["transaction"]), "hex")));
    case "/wallet/gettransactioninfobyid":
      return infoOf(chain, String(body["value"]), await heightOf(ask, "latest"));
    case "/walletsolidity/gettransactioninfobyid":
      return infoOf(chain, String(body["value"]), await heightOf(ask, "finalized"));
    case "/walletsolidity/gettransactionbyid": {
      const hash = String(chain.ids.get(`0x${body["value"]}`));
      return { txID: body["value"], raw_data_hex: broadcasts.get(hash)?.rawData };
    }
    case "/walletsolidity/getnowblock": {
      const { number, timestamp } = await blockAt(ask, "finalized");
      const raw_data = { number: Number(number), timestamp: Number(timestamp) * 1_000 };
      return { block_header: { raw_data } };
    }
    case "/wallet/getchainparameters":
      return {
        chainParameter: Object.entries(PARAMETERS).map(([key, value]) => ({
          key,
          value: Number(value),
        })),
      };
    case "/wallet/getaccount":
      return accountOf(ask, body["address"]);
    case "/wallet/getaccountresource":
      return { freeNetLimit: 600, freeNetUsed: 600, ...(chain.stakes && STAKED) };
    case "/wallet/triggerconstantcontract":
      return tryCall(ask, body);
    default:
      return undefined;
  }
}

interface AnvilBlock {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
}

const blockAt = (ask: Ask, tag: string): Promise<AnvilBlock> =>
  ask<AnvilBlock>("eth_getBlockByNumber", tag, false);
const heightOf = async (ask: Ask, tag: string): Promise<bigint> =>
  BigInt((await blockAt(ask, tag)).number);

async function accountOf(ask: Ask, address: unknown): Promise<object> {
  const balance = BigInt(await ask<string>("eth_getBalance", evmForm(address), "latest"));
  const code = await ask<string>("eth_getCode", evmForm(address), "latest");
  if (balance === 0n && code === "0x") return {};
  return { address, balance: Number(balance), ...(code !== "0x" && { type: "Contract" }) };
}

async function tryCall(ask: Ask, body: Readonly<Record<string, string>>): Promise<object> {
  const selector = SELECTORS[String(body["function_selector"])] ?? "";
  const call = {
    from: evmForm(body["owner_address"]),
    to: evmForm(body["contract_address"]),
    data: `0x${selector}${body["parameter"]}`,
  };
  if ((await ask<string>("eth_getCode", call.to, "latest")) === "0x") {
    return { result: { code: "CONTRACT_VALIDATE_ERROR", message: "No contract" } };
  }
  try {
    const word = await ask<string>("eth_call", call, "latest");
    const energy = await ask<string>("eth_estimateGas", call);
    const result = { result: true };
    // Tether's contract on Tron answers false to each transfer, and moves the coins.
    const said = body["function_selector"] === "balanceOf(address)" ? word.slice(2) : NOTHING;
    return { result, constant_result: [said], energy_used: Number(energy) };
  } catch {
    const result = { result: true, message: "REVERT opcode executed" };
    return { result, constant_result: [""], energy_used: 500 };
  }
}

interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly logs: readonly { address: string; topics: readonly string[]; data: string }[];
}

/** Returns what a node reports of a transaction in a block up to the height. */
async function infoOf({ ask, ids }: SendingChain, id: string, upTo: bigint): Promise<object> {
  const hash = ids.get(`0x${id}`);
  const receipt = hash && (await ask<Receipt | null>("eth_getTransactionReceipt", hash));
  if (!receipt || BigInt(receipt.blockNumber) > upTo) return {};
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  const { gas, input } = await ask<{ gas: string; input: string }>(
    "eth_getTransactionByHash",
    hash,
  );
  const isGood = receipt.status === "0x1";
  const why = gas === receipt.gasUsed ? "OUT_OF_ENERGY" : "REVERT";
  const log = receipt.logs.map(({ address, topics, data }) => ({
    address: address.slice(2),
    topics: topics.map((topic) => topic.slice(2)),
    data: data.slice(2),
  }));
  return {
    id,
    // A node leaves out the number 0.
    ...(fee > 0n && { fee: Number(fee) }),
    blockNumber: Number(receipt.blockNumber),
    receipt: input === "0x" ? {} : { result: isGood ? "SUCCESS" : why },
    ...(!isGood && { result: "FAILED" }),
    ...(log.length > 0 && { log }),
  };
}

const refused = (code: string, message: string): object => ({ result: false, code, message });

/** Carries a signed transaction out, with the checks of java-tron in their order. */
async function broadcast(
  { ask, ids, takes, stakes }: SendingChain,
  bytes: Buffer,
): Promise<object> {
  const fields = readFields(bytes);
  const rawData = bytesAt(fields, 1);
  const raw = readFields(rawData);
  const digest = createHash("sha256").update(rawData).digest();
  const txid = digest.toString("hex");
  const head = await blockAt(ask, "latest");
  if (!(await isOnChain(ask, BigInt(head.number), raw))) {
    return refused("TAPOS_ERROR", "Tapos check error");
  }
  const headMs = BigInt(head.timestamp) * 1_000n;
  const expiration = numberAt(raw, 8);
  if (expiration <= headMs || expiration > headMs + 86_400_000n) {
    return refused("TRANSACTION_EXPIRATION_ERROR", "Transaction expired");
  }
  if (ids.has(`0x${txid}`) || remembered.has(`0x${txid}`)) {
    return refused("DUP_TRANSACTION_ERROR", "Dup transaction");
  }
  const parameter = readFields(bytesAt(readFields(bytesAt(raw, 11)), 2));
  const url = Buffer.from(bytesAt(parameter, 1)).toString();
  const instruction = readFields(bytesAt(parameter, 2));
  const addressAt = (number: number): string =>
    evmForm(Buffer.from(bytesAt(instruction, number)).toString("hex"));
  const from = addressAt(1);
  if (signerOf(bytes) !== from) {
    return refused("SIGERROR", "Validate signature error");
  }
  if (!takes) return { result: true, code: "SUCCESS", txid };
  const isCall = url.endsWith("TriggerSmartContract");
  const transaction = isCall
    ? {
        to: addressAt(2),
        data: `0x${Buffer.from(bytesAt(instruction, 4)).toString("hex")}`,
        gas: hex(numberAt(raw, 18) / ENERGY_PRICE),
      }
    : { to: addressAt(2), value: hex(numberAt(instruction, 3)) };
  const fee = isCall
    ? { gas: "0x0", gasPrice: hex(stakes ? 0n : ENERGY_PRICE) }
    : await transferFee(ask, transaction.to, stakes);
  const sent = { ...fee, from, ...transaction };
  const balance = BigInt(await ask<string>("eth_getBalance", from, "latest"));
  const needed = BigInt(sent.value ?? 0) + BigInt(fee.gas) * BigInt(fee.gasPrice);
  if (!isCall && balance < needed) {
    return refused("CONTRACT_VALIDATE_ERROR", "balance is not sufficient");
  }
  await ask("anvil_impersonateAccount", from);
  await ask("evm_setAutomine", false);
  const hash = await ask<string>("eth_sendTransaction", sent);
  ids.set(`0x${txid}`, hash);
  broadcasts.set(hash, { id: txid, rawData: Buffer.from(rawData).toString("hex") });
  await ask("evm_mine");
  await ask("evm_setAutomine", true);
  return { result: true, code: "SUCCESS", txid };
}

/** A signature may be of no key at all. */
function signerOf(bytes: Buffer): string | undefined {
  try {
    return toEvmForm(readSignedTransfer(bytes).signer);
  } catch {
    return undefined;
  }
}

/** Returns the members of a transfer of TRX that set its fee. */
async function transferFee(ask: Ask, to: string, stakes: boolean) {
  const gasPrice = stakes ? 0n : ENERGY_PRICE;
  if (BigInt(await ask<string>("eth_getBalance", to, "latest")) > 0n) {
    return { gas: hex(TRANSFER_GAS), gasPrice: hex(gasPrice) };
  }
  const { price } = NEW_ACCOUNT;
  const { gas, addresses, keys } = stakes ? NEW_ACCOUNT.staking : NEW_ACCOUNT.burning;
  const word = (value: number, bytes: number): string =>
    `0x${value.toString(16).padStart(2 * bytes, "0")}`;
  const storageKeys = Array.from({ length: keys }, (_, key) => word(key, 32));
  const accessList = Array.from({ length: addresses }, (_, at) => ({
    address: word(0x1_0000 + at, 20),
    storageKeys: at === 0 ? storageKeys : [],
  }));
  return { gas: hex(gas), gasPrice: hex(price), accessList };
}

/** Whether the block that a transaction builds on is one of the newest 65,536. */
async function isOnChain(
  ask: Ask,
  head: bigint,
  raw: ReturnType<typeof readFields>,
): Promise<boolean> {
  const low = BigInt(`0x${Buffer.from(bytesAt(raw, 1)).toString("hex")}`);
  const height = head - ((((head - low) % 65_536n) + 65_536n) % 65_536n);
  if (height < 0n) return false;
  const { hash } = await blockAt(ask, hex(height));
  return Buffer.from(bytesAt(raw, 4)).toString("hex") === hash.slice(18, 34);
}
