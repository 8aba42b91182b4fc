import { createHash, randomBytes } from "node:crypto";
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createKeyPairFromPrivateKeyBytes,
  createTransactionMessage,
  getAddressFromPublicKey,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  lamports as lamportsOf,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from "@solana/kit";
import { FailedTransactionMetadata, LiteSVM, Rent } from "litesvm";
import { SYSTEM, type Transfer, transferOf, transferWithSeed } from "./solana-instructions.ts";
import { addMints, type TokenHolding, tokensIn } from "./solana-tokens.ts";

/** A transaction in a block, with the lamports of its accounts before and after it. */
export interface Executed {
  readonly signature: string;
  readonly bytes: Uint8Array;
  readonly error: unknown;
  readonly fee: bigint;
  readonly accounts: readonly string[];
  readonly before: readonly bigint[];
  readonly after: readonly bigint[];
  readonly tokensBefore: readonly TokenHolding[];
  readonly tokensAfter: readonly TokenHolding[];
}

/** An account after a slot. */
interface Snapshot {
  readonly slot: bigint;
  readonly lamports: bigint;
  readonly owner: string;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

export interface Block {
  readonly slot: bigint;
  /** Counts the blocks, without empty slots. */
  readonly number: bigint;
  readonly hash: string;
  readonly parent: string;
  readonly seconds: number;
  readonly transactions: readonly Executed[];
}

/** Somebody with a key. */
export interface Stranger {
  readonly address: string;
  readonly keys: CryptoKeyPair;
}

/** The blocks of Solana in this process. The transactions run in a real virtual machine, which judges each of them. */
export interface SolanaChain {
  readonly genesis: string;
  readonly blocks: readonly Block[];
  head(): Block;
  /** Returns the block of a slot, or the last one before it. */
  upTo(slot: bigint): Block;
  mine(count?: number): void;
  /** The next slots have no block. */
  skip(count: number): void;
  /** Executes a transaction in a block of its own. Undefined where no block would take it. */
  execute(bytes: Uint8Array): Executed | undefined;
  /** Drops the newest blocks, and returns their transactions. */
  drop(depth: number): readonly Uint8Array[];
  /** Returns the lamports of an address after a slot. */
  lamports(address: string, slot?: bigint): bigint;
  /** Returns an account after a slot. Undefined where there is none. */
  account(address: string, slot?: bigint): Snapshot | undefined;
  /** Returns the units of a token in a token account. */
  tokens(account: string): bigint;
  /** The lamports that an account with this number of bytes of data needs. */
  rent(bytes?: number): bigint;
  setRent(units: bigint): void;
  /** Pays from a stranger in one transaction, and returns its signature. */
  pay(transfers: readonly Transfer[], from?: Stranger): Promise<string>;
  /** Moves the lamports of an address that was derived from the account and the seed, as `solana transfer` does. */
  payWithSeed(
    account: Stranger,
    seed: string,
    move: Transfer & { readonly from: string },
  ): Promise<string>;
  /** Executes instructions that somebody signs and pays for, and returns the signature. The faucet does by default. */
  send(instructions: readonly Instruction[], from?: Stranger): Promise<string>;
  readonly faucet: Stranger;
  stranger(units?: bigint): Promise<Stranger>;
}

const VALID_BLOCKS = 150n;
/** An account without data pays two years for 128 bytes. */
const RENT_UNITS = 256n;
export const USUAL_RENT = 890_880n;
const START = 1_000n;

const newHash = (): string => getBase58Decoder().decode(randomBytes(32));

/** Returns somebody with this secret. */
export async function strangerOf(secret: Uint8Array): Promise<Stranger> {
  const keys = await createKeyPairFromPrivateKeyBytes(secret);
  return { keys, address: await getAddressFromPublicKey(keys.publicKey) };
}

export async function makeSolanaChain(): Promise<SolanaChain> {
  let svm = new LiteSVM().withBlockhashCheck(false);
  const blocks: Block[] = [];
  let nextSlot = START;
  const history = new Map<string, Snapshot[]>();
  const genesis = newHash();

  const head = (): Block => {
    const last = blocks.at(-1);
    if (!last) throw new Error("there is no block");
    return last;
  };
  const add = (transactions: readonly Executed[]): void => {
    const last = blocks.at(-1);
    blocks.push({
      slot: nextSlot,
      number: (last?.number ?? 0n) + 1n,
      hash: newHash(),
      parent: last?.hash ?? genesis,
      seconds: Math.floor(Date.now() / 1_000),
      transactions,
    });
    nextSlot += 1n;
  };
  const mine = (count = 1): void => {
    for (let at = 0; at < count; at += 1) add([]);
  };
  const now = (address: string, slot = nextSlot): Snapshot => {
    const found = svm.getAccount(address as Address);
    const none = { slot, lamports: 0n, owner: SYSTEM, executable: false, data: new Uint8Array() };
    if (!found.exists) return none;
    const { lamports: units, programAddress: owner, executable, data } = found;
    return { slot, lamports: units, owner, executable, data: Uint8Array.from(data) };
  };
  /** An address that no transaction named is as it was at the start. */
  const at = (address: string, slot = nextSlot): Snapshot =>
    history.get(address)?.findLast((one) => one.slot <= slot) ?? now(address, 0n);
  const note = (address: string): void => {
    const list = history.get(address) ?? [];
    history.set(address, list);
    list.push(now(address));
  };
  const isKnown = (signature: string): boolean =>
    blocks.some(({ transactions }) => transactions.some((one) => one.signature === signature));
  const execute: SolanaChain["execute"] = (bytes) => {
    const transaction = getTransactionDecoder().decode(bytes);
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    const named = blocks.find(({ hash }) => hash === message.lifetimeToken);
    const [signatureBytes] = Object.values(transaction.signatures);
    const signature = getBase58Decoder().decode(signatureBytes ?? new Uint8Array(64));
    const isValid = named !== undefined && head().number - named.number <= VALID_BLOCKS;
    if (!isValid || isKnown(signature)) return undefined;
    const accounts = message.staticAccounts.map(String);
    const before = accounts.map((one) => svm.getBalance(one as Address) ?? 0n);
    // Programs have lamports from the start.
    for (const one of accounts) {
      if (!history.has(one)) history.set(one, [now(one, 0n)]);
    }
    const tokensBefore = tokensIn(accounts.map((one) => now(one)));
    const result = svm.sendTransaction(transaction as never);
    const after = accounts.map((one) => svm.getBalance(one as Address) ?? 0n);
    const isFailed = result instanceof FailedTransactionMetadata;
    const moved = after.map((units, index) => units - (before[index] ?? 0n));
    // No block has a transaction whose payer cannot pay, or whose signature is wrong.
    if (isFailed && moved.every((units) => units === 0n)) return undefined;
    for (const one of accounts) note(one);
    const executed: Executed = {
      signature,
      bytes,
      error: isFailed ? String(result.err()) : null,
      // Nothing but the fee leaves the transfers of a transaction.
      fee: -moved.reduce((sum, units) => sum + units, 0n),
      accounts,
      before,
      after,
      tokensBefore,
      tokensAfter: tokensIn(accounts.map((one) => now(one))),
    };
    add([executed]);
    return executed;
  };
  const drop: SolanaChain["drop"] = (depth) => {
    const dropped = blocks.splice(blocks.length - depth, depth);
    svm = LiteSVM.fromBytes(start).withBlockhashCheck(false);
    for (const { bytes } of blocks.flatMap((block) => block.transactions)) {
      svm.sendTransaction(getTransactionDecoder().decode(bytes) as never);
    }
    const from = dropped[0]?.slot ?? nextSlot;
    for (const [address, list] of history) {
      const remaining = list.filter(({ slot }) => slot < from);
      history.set(address, remaining);
    }
    // Another leader makes the blocks of the same slots.
    nextSlot = from;
    return dropped.flatMap(({ transactions }) => transactions.map(({ bytes }) => bytes));
  };
  const faucet = await strangerOf(createHash("sha256").update("faucet").digest());
  svm.setAccount({
    address: faucet.address as Address,
    lamports: lamportsOf(10n ** 17n),
    programAddress: SYSTEM as Address,
    data: new Uint8Array(),
    executable: false,
    space: 0n,
  });
  addMints(svm, faucet.address);
  const start = svm.toBytes();
  mine(40);
  const send = async (from: Stranger, instructions: readonly Instruction[]): Promise<string> => {
    const lifetime = {
      blockhash: head().hash as Blockhash,
      lastValidBlockHeight: head().number + VALID_BLOCKS,
    };
    const message = pipe(
      createTransactionMessage({ version: "legacy" }),
      (one) => setTransactionMessageFeePayer(from.address as Address, one),
      (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
      (one) => appendTransactionMessageInstructions(instructions, one),
    );
    const signed = await signTransaction([from.keys], compileTransaction(message));
    const executed = execute(Uint8Array.from(getTransactionEncoder().encode(signed)));
    if (!executed) throw new Error("no block takes the payment");
    return executed.signature;
  };
  const pay: SolanaChain["pay"] = (transfers, from = faucet) =>
    send(
      from,
      transfers.map((transfer) => transferOf(from.address, transfer)),
    );
  return {
    genesis,
    blocks,
    head,
    upTo: (slot) => blocks.findLast((block) => block.slot <= slot) ?? head(),
    mine,
    skip: (count) => {
      nextSlot += BigInt(count);
    },
    execute,
    drop,
    lamports: (address, slot) => at(address, slot).lamports,
    account: (address, slot) => {
      const found = at(address, slot);
      return found.lamports === 0n ? undefined : found;
    },
    tokens: (account) => tokensIn([now(account)])[0]?.units ?? 0n,
    setRent: (units) => {
      svm.setRent(new Rent(units / RENT_UNITS, 2, 50));
    },
    rent: (bytes = 0) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    pay,
    send: (instructions, from = faucet) => send(from, instructions),
    faucet,
    payWithSeed: (account, seed, move) =>
      send(account, [transferWithSeed(account.address, seed, move)]),
    stranger: async (units = 0n) => {
      const one = await strangerOf(randomBytes(32));
      if (units > 0n) await pay([{ to: one.address, units }]);
      return one;
    },
  };
}
