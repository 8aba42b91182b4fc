import { type Chain, type Coin, coinsOf, parseAmount, printAmount } from "./coins.ts";
import { type BlockLine, History, type Payment } from "./history.ts";
import { type Block, type CallNode, callsTo, hex, withChecksum, word } from "./node.ts";

/** The wallet on one chain, as its page shows it: every value is the node's own word. */
export interface WalletView {
  readonly chain: Chain;
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

/** The wallet on one chain. */
export interface ChainWallet {
  read(): Promise<WalletView>;
  /** Sends coins in a transaction of the chain. Returns its hash. */
  pay(request: PaymentRequest): Promise<string>;
}

/** Returns the units of a payment, and throws for an amount that the coin cannot have. */
export function requireAmount(amount: string, coin: Coin): bigint {
  const units = parseAmount(amount, coin);
  if (units !== undefined && units > 0n) return units;
  throw new PaymentRefused(
    `Write an amount such as 0.05, with ${coin.decimals} digits after the point at most.`,
  );
}

/** Throws when the wallet has less than the payment. */
export function requireBalance(balance: bigint, units: bigint, coin: Coin): void {
  if (balance >= units) return;
  throw new PaymentRefused(`The wallet has ${printAmount(balance, coin)} ${coin.code}.`);
}

const COINS = coinsOf("ethereum");
const GAS = { transfer: 21_000n, token: 100_000n };

/**
 * The wallet of somebody who tries the shop: the one account whose key the node of the test chain holds.
 * A real shop has no such thing.
 */
export class EtherWallet implements ChainWallet {
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
      chain: "ethereum",
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

  async pay(request: PaymentRequest): Promise<string> {
    const coin = COINS.find(({ code }) => code === request.coin);
    if (coin === undefined) throw new PaymentRefused("Choose a coin.");
    const units = requireAmount(request.amount, coin);
    const to = await this.#checkAddress(request.to.trim());
    const { address: from } = await this.#open();
    requireBalance(await this.#balanceOf(from, coin), units, coin);
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
