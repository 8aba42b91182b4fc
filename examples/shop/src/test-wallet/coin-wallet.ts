import { type Coin, coinsOf, printAmount } from "./coins.ts";
import type { BlockLine, Payment } from "./history.ts";
import { type CallNode, callsTo } from "./node.ts";
import {
  type ChainWallet,
  PaymentRefused,
  type PaymentRequest,
  requireAmount,
  requireBalance,
  type WalletView,
} from "./wallet.ts";

/** The wallet in the node that is the customer's. */
const WALLET = "customer";
/** The label of the one address that the page shows. */
const LABEL = "test-wallet";
/** The blocks with which the service calls a block final, its own included. */
const DEPTH = 5;
const BLOCKS_SHOWN = 7;
const PAYMENTS_SHOWN = 20;

interface NodeBlock {
  readonly hash: string;
  readonly height: number;
  readonly time: number;
  readonly nTx: number;
}

interface NodePayment {
  readonly category: string;
  readonly address?: string;
  readonly amount: number;
  readonly txid: string;
  readonly vout: number;
  /** Absent while no block has it. */
  readonly blockheight?: number;
}

/** The Litecoin of somebody who tries the shop, in a wallet of the node itself. A real shop has no such thing. */
export class CoinWallet implements ChainWallet {
  readonly #call: CallNode;
  readonly #ask: CallNode;
  readonly #coin: Coin;
  #address: Promise<string> | undefined;
  #blocks: readonly BlockLine[] = [];

  constructor(nodeUrl: string) {
    this.#call = callsTo(nodeUrl);
    this.#ask = callsTo(`${nodeUrl.replace(/\/$/, "")}/wallet/${WALLET}`);
    const [coin] = coinsOf("litecoin");
    if (coin === undefined) throw new Error("there is no coin of Litecoin");
    this.#coin = coin;
  }

  async read(): Promise<WalletView> {
    const [address, head, listed, balance] = await Promise.all([
      this.#findAddress(),
      this.#call<number>("getblockcount"),
      this.#ask<readonly NodePayment[]>("listtransactions", "*", PAYMENTS_SHOWN * 5),
      this.#balance(),
    ]);
    const payments = listed.filter(({ category }) => ["send", "receive"].includes(category));
    const mined = payments.flatMap((one) => this.#paymentOf(one)).toReversed();
    return {
      chain: "litecoin",
      address,
      head,
      final: head - DEPTH + 1,
      coins: [
        { code: this.#coin.code, name: this.#coin.name, amount: printAmount(balance, this.#coin) },
      ],
      waiting: new Set(
        payments.filter(({ blockheight }) => blockheight === undefined).map(({ txid }) => txid),
      ).size,
      payments: mined.slice(0, PAYMENTS_SHOWN),
      blocks: await this.#readBlocks(head),
    };
  }

  async pay({ amount, to }: PaymentRequest): Promise<string> {
    const units = requireAmount(amount, this.#coin);
    const address = to.trim();
    const { isvalid } = await this.#call<{ readonly isvalid: boolean }>("validateaddress", address);
    if (!isvalid) {
      throw new PaymentRefused(
        "That is not an address of this Litecoin chain. Copy the one that the checkout shows: it begins with rltc1.",
      );
    }
    requireBalance(await this.#balance(), units, this.#coin);
    return this.#ask("sendtoaddress", address, printAmount(units, this.#coin));
  }

  async #balance(): Promise<bigint> {
    const { mine } = await this.#ask<{ mine: { trusted: number; untrusted_pending: number } }>(
      "getbalances",
    );
    return unitsOf(mine.trusted) + unitsOf(mine.untrusted_pending);
  }

  #paymentOf({ category, address = "", ...one }: NodePayment): readonly Payment[] {
    if (one.blockheight === undefined) return [];
    const units = unitsOf(Math.abs(one.amount));
    return [
      {
        id: `${one.txid}:${one.vout}:${category}`,
        hash: one.txid,
        direction: category === "send" ? "out" : "in",
        code: this.#coin.code,
        amount: printAmount(units, this.#coin),
        counterparty: address,
        block: one.blockheight,
      },
    ];
  }

  /** Reads the blocks above the newest that was read. */
  async #readBlocks(head: number): Promise<readonly BlockLine[]> {
    const count = Math.min(BLOCKS_SHOWN, head - (this.#blocks[0]?.number ?? -1));
    const heights = Array.from({ length: Math.max(0, count) }, (_, index) => head - index);
    const read = await Promise.all(
      heights.map(async (height) => {
        const hash = await this.#call<string>("getblockhash", height);
        return this.#call<NodeBlock>("getblockheader", hash);
      }),
    );
    const lines = read.map(
      ({ height, hash, time, nTx }): BlockLine => ({
        number: height,
        hash,
        time,
        // The first transaction of a block pays its miner.
        transactions: nTx - 1,
      }),
    );
    this.#blocks = [...lines, ...this.#blocks.filter(({ number }) => number <= head - count)].slice(
      0,
      BLOCKS_SHOWN,
    );
    return this.#blocks;
  }

  #findAddress(): Promise<string> {
    this.#address ??= this.#askForAddress().catch((error: unknown) => {
      this.#address = undefined;
      throw error;
    });
    return this.#address;
  }

  /** The same address at each start. */
  async #askForAddress(): Promise<string> {
    const labels = await this.#ask<readonly string[]>("listlabels");
    if (!labels.includes(LABEL)) return this.#ask("getnewaddress", LABEL);
    const [address = ""] = Object.keys(await this.#ask<object>("getaddressesbylabel", LABEL));
    return address;
  }
}

/** Eight decimals of fewer than 90 million coins survive a double. */
const unitsOf = (coins: number): bigint => BigInt(Math.round(coins * 1e8));
