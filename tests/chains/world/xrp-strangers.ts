import { encode, encodeForSigning } from "ripple-binary-codec";
import { deriveAddress, deriveKeypair, sign } from "ripple-keypairs";
import { BASE_FEE, type XrpChain } from "./xrp-ledger.ts";
import { type LedgerAccount, MARKET } from "./xrp-payments.ts";

/** Somebody with an account, who signs with the ledger's own library. */
export interface Stranger {
  readonly address: string;
  /** Signs a transaction of the account's next sequence and submits it. Returns its hash and result. */
  send(transaction: object): { readonly hash: string; readonly result: string };
}

export interface StrangerPayment {
  readonly to: string;
  readonly tag?: string | null | undefined;
  readonly units: bigint;
}

const RICH = 10n ** 15n;

/** Puts an account into the ledger, as a payment before the tests did. */
export function fund(chain: XrpChain, address: string, changes: Partial<LedgerAccount> = {}): void {
  const account = { balance: RICH, sequence: 700, flags: 0n, ownerCount: 0n, ...changes };
  for (const state of [chain.open, ...chain.ledgers.slice(-1).map((ledger) => ledger.state)]) {
    state.set(address, { ...account });
  }
}

export function makeStranger(chain: XrpChain, seed: string): Stranger {
  const keys = deriveKeypair(seed);
  return withKeys(chain, { ...keys, address: deriveAddress(keys.publicKey) });
}

/** Signs with the key of an account, as a thief who has it. */
export function withKeys(
  chain: XrpChain,
  {
    address,
    publicKey,
    privateKey,
  }: { readonly address: string; readonly publicKey: string; readonly privateKey: string },
): Stranger {
  if (!chain.open.has(address)) fund(chain, address);
  fund(chain, MARKET);
  return {
    address,
    send: (transaction) => {
      const whole = {
        Account: address,
        Sequence: chain.open.get(address)?.sequence ?? 0,
        Fee: String(BASE_FEE),
        Flags: 0,
        SigningPubKey: publicKey,
        ...(chain.networkId > 1_024 && { NetworkID: chain.networkId }),
        ...transaction,
      };
      const signature = sign(encodeForSigning(whole as never), privateKey);
      const blob = encode({ ...whole, TxnSignature: signature } as never);
      const { engine_result: result, tx_json } = chain.submit(blob);
      const { hash = "" } = (tx_json ?? {}) as { readonly hash?: string };
      return { hash, result };
    },
  };
}

const tagOf = (tag: string | null | undefined): object =>
  tag === null || tag === undefined ? {} : { DestinationTag: Number(tag) };

/** A payment of XRP. */
export const payment = ({ to, tag, units }: StrangerPayment): object => ({
  TransactionType: "Payment",
  Destination: to,
  Amount: String(units),
  ...tagOf(tag),
});

/** A payment that says it brings `units`, and brings what the market gives for another asset. */
export const partialPayment = (wanted: StrangerPayment): object => ({
  ...payment(wanted),
  Flags: 0x0002_0000,
  SendMax: { currency: "USD", issuer: "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B", value: "1" },
});
