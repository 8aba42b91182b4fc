import { SignRefusal } from "./signer-error.ts";

interface MovingAccount {
  readonly name: string;
  /** Whether it is one of the addresses that customers pay to. */
  readonly isDeposit: boolean;
}

/** The account that pays for a move, with its network's cap of one fee. */
interface Payer extends MovingAccount {
  readonly network: { readonly feeMax: string };
}

/**
 * Throws unless the move brings a deposit address the network's own coin, and at most what one transaction may cost.
 * Anything more there would be out of reach of payouts.
 */
export function requireTopUp(
  { from, to }: { readonly from: Payer; readonly to: MovingAccount },
  { contract, units }: { readonly contract: string | null; readonly units: bigint },
): void {
  const { feeMax } = from.network;
  const isCoinFromWallet = !from.isDeposit && to.isDeposit && contract === null;
  if (isCoinFromWallet && units <= BigInt(feeMax)) return;
  throw new SignRefusal(
    "purpose",
    `${from.name} may bring ${to.name} nothing but a top-up: the network's own coin, to a deposit address, at most the policy's feeMax of ${feeMax} units. Deposit addresses are swept to wallets of one address.`,
  );
}
