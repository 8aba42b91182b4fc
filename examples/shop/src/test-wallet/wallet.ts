import { COINS, type Coin, parseAmount, printAmount } from "./coins.ts";
import { type BlockLine, History, type Payment } from "./history.ts";
import { type Block, type CallNode, callsTo, hex, withChecksum, word } from "./node.ts";

/** The wallet as its page shows it: every value is the node's own word. */
export interface WalletView {
  readonly address: string;
  readonly head: number;
  readonly final: number;
  readonly coins: readonly {
    readonly code: Coin["code"];
    readonly name: string;
    readonly amount: string;
  }[];
  /** Transactions that no block has yet. */
  readonly waiting: number;
  readonly payments: readonly Payment[];
  readonly blocks: readonly BlockLine[];
}

/** A payment that cannot be made, with a sentence for the person who asked for it. */
export class PaymentRefused extends Error {}

export interface PaymentRequest {
  readonly coin: string;
  readonly amount: string;
  readonly to: string;
}

const GAS = { transfer: 21_000n, token: 100_000n };

/**
 * The wallet of somebody who tries the shop: the one account whose key the node of the test chain holds.
 * A real shop has no such thing.
 */
export class TestWallet {
  readonly #call: CallNode;
  #opened: Promise<{ readonly address: string; readonly history: History }> | undefined;

  constructor(nodeUrl: string) {
    this.#call = callsTo(nodeUrl);
  }

  async read(): Promise<WalletView> {
    const { address, history } = await this.#open();
    const [head, final, pool, ...balances] = await Promise.all([
      this.#call<string>("eth_blockNumber"),
      this.#call<Block>("eth_getBlockByNumber", "finalized", false),
      this.#call<{ readonly pending: string }>("txpool_status"),
      ...COINS.map((coin) => this.#balanceOf(address, coin)),
    ]);
    await history.readTo(Number(head));
    return {
      address,
      head: Number(head),
      final: Number(final.number),
      coins: COINS.map((coin, index) => ({
        code: coin.code,
        name: coin.name,
        amount: printAmount(balances[index] ?? 0n, coin),
      })),
      waiting: Number(pool.pending),
      payments: history.payments,
      blocks: history.blocks,
    };
  }

  /** Sends coins in a transaction of the test chain. Returns its hash. */
  async pay(request: PaymentRequest): Promise<string> {
    const coin = COINS.find(({ code }) => code === request.coin);
    if (coin === undefined) throw new PaymentRefused("Choose a coin.");
    const units = parseAmount(request.amount, coin);
    if (units === undefined || units === 0n) {
      throw new PaymentRefused(
        `Write an amount such as 0.05, with ${coin.decimals} digits after the point at most.`,
      );
    }
    const to = await this.#checkAddress(request.to.trim());
    const { address: from } = await this.#open();
    const balance = await this.#balanceOf(from, coin);
    if (balance < units) {
      throw new PaymentRefused(`The wallet has ${printAmount(balance, coin)} ${coin.code}.`);
    }
    const transaction =
      coin.contract === undefined
        ? { to, value: hex(units), gas: hex(GAS.transfer) }
        : {
            to: coin.contract,
            data: `0xa9059cbb${word(to)}${word(units)}`,
            gas: hex(GAS.token),
          };
    return this.#call("eth_sendTransaction", { from, ...transaction });
  }

  /** Letters in both cases are a checksum, which finds most typing errors. */
  async #checkAddress(address: string): Promise<string> {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
      throw new PaymentRefused(
        "That is not an Ethereum address. Copy the one that the checkout shows: it begins with 0x.",
      );
    }
    const isMixed = /[a-f]/.test(address) && /[A-F]/.test(address);
    if (isMixed && (await withChecksum(this.#call, address)) !== address) {
      throw new PaymentRefused("The address has a typing error. Copy it from the checkout again.");
    }
    return address;
  }

  async #balanceOf(address: string, { contract }: Coin): Promise<bigint> {
    if (contract === undefined)
      return BigInt(await this.#call("eth_getBalance", address, "latest"));
    const question = { to: contract, data: `0x70a08231${word(address)}` };
    return BigInt(await this.#call("eth_call", question, "latest"));
  }

  async #open() {
    this.#opened ??= this.#find().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #find() {
    const [account = ""] = await this.#call<readonly string[]>("eth_accounts");
    const address = await withChecksum(this.#call, account);
    return { address, history: new History(this.#call, address) };
  }
}
