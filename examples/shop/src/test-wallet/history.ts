import { type Coin, coinsOf, printAmount } from "./coins.ts";
import { type Block, type CallNode, hex, type Log, word } from "./node.ts";

/** A payment to or from the wallet, as the chain has it. */
export interface Payment {
  readonly id: string;
  readonly hash: string;
  readonly direction: "in" | "out";
  readonly code: Coin["code"];
  readonly amount: string;
  readonly counterparty: string;
  readonly block: number;
}

export interface BlockLine {
  readonly number: number;
  readonly hash: string;
  /** Unix seconds. */
  readonly time: number;
  readonly transactions: number;
}

const COINS = coinsOf("ethereum");
/** The hash of `Transfer(address,address,uint256)`. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const BLOCKS_BACK = 500;
const BLOCKS_SHOWN = 7;
const PAYMENTS_SHOWN = 20;

/** The newest blocks, and the wallet's payments in them. Each block is read once. */
export class History {
  readonly #call: CallNode;
  readonly #address: string;
  #nextBlock: number | undefined;
  #reading: Promise<void> = Promise.resolve();
  payments: readonly Payment[] = [];
  blocks: readonly BlockLine[] = [];

  constructor(call: CallNode, address: string) {
    this.#call = call;
    this.#address = address.toLowerCase();
  }

  /** Reads the blocks up to this one. Two visitors read one after the other. */
  async readTo(head: number): Promise<void> {
    const reading = this.#reading.then(() => this.#read(head));
    this.#reading = reading.catch(() => {});
    await reading;
  }

  async #read(head: number): Promise<void> {
    const first = this.#nextBlock ?? Math.max(0, head - BLOCKS_BACK);
    if (first > head) return;
    const numbers = Array.from({ length: head - first + 1 }, (_, index) => first + index);
    const [blocks, logs] = await Promise.all([
      Promise.all(
        numbers.map((number) => this.#call<Block>("eth_getBlockByNumber", hex(number), true)),
      ),
      this.#transferLogs(first, head),
    ]);
    const found = [...blocks.flatMap((block) => this.#etherIn(block)), ...logs];
    const newest = found.toSorted((a, b) => b.block - a.block);
    this.payments = [...newest, ...this.payments].slice(0, PAYMENTS_SHOWN);
    const lines = blocks.toReversed().map(blockLine);
    this.blocks = [...lines, ...this.blocks].slice(0, BLOCKS_SHOWN);
    this.#nextBlock = head + 1;
  }

  #etherIn({ number, transactions }: Block): readonly Payment[] {
    const [ether] = COINS;
    if (ether === undefined) return [];
    return transactions.flatMap(({ hash, from, to, value }) => {
      const counterparty = from === this.#address ? to : from;
      const isOurs = from === this.#address || to === this.#address;
      if (!isOurs || counterparty === null || BigInt(value) === 0n) return [];
      return {
        id: hash,
        hash,
        direction: from === this.#address ? ("out" as const) : ("in" as const),
        code: ether.code,
        amount: printAmount(BigInt(value), ether),
        counterparty,
        block: Number(number),
      };
    });
  }

  async #transferLogs(first: number, last: number): Promise<readonly Payment[]> {
    const us = `0x${word(this.#address)}`;
    const range = {
      fromBlock: hex(first),
      toBlock: hex(last),
      address: COINS.flatMap(({ contract }) => contract ?? []),
    };
    const topics = [
      [TRANSFER, us],
      [TRANSFER, null, us],
    ];
    const logs = await Promise.all(
      topics.map((one) => this.#call<readonly Log[]>("eth_getLogs", { ...range, topics: one })),
    );
    return logs.flat().flatMap((log) => this.#transferOf(log));
  }

  #transferOf({ address, topics, data, ...place }: Log): readonly Payment[] {
    const coin = COINS.find(({ contract }) => contract?.toLowerCase() === address.toLowerCase());
    if (coin === undefined) return [];
    const [from = "", to = ""] = topics.slice(1).map((topic) => `0x${topic.slice(26)}`);
    const isOut = from === this.#address;
    return [
      {
        id: `${place.transactionHash}:${place.logIndex}`,
        hash: place.transactionHash,
        direction: isOut ? "out" : "in",
        code: coin.code,
        amount: printAmount(BigInt(data), coin),
        counterparty: isOut ? to : from,
        block: Number(place.blockNumber),
      },
    ];
  }
}

const blockLine = ({ number, hash, timestamp, transactions }: Block): BlockLine => ({
  number: Number(number),
  hash,
  time: Number(timestamp),
  transactions: transactions.length,
});
