import type { XrpEndpointsOptions } from "../../adapters/chains/xrp/endpoints.ts";
import { makeXrpSender } from "../../adapters/chains/xrp/sender.ts";
import { BOOKED_WITHIN_SECONDS, type ScanSettings } from "../../chains/scan.ts";
import type { ChainSender } from "../../domain/ports/chain-sender.ts";
import { openEndpoints } from "./endpoint-choices.ts";
import type { XrpChoices } from "./xrp-choices.ts";

/** Times, ledgers and drops where the file states none. */
const DEFAULTS = {
  pollMs: 4_000,
  timeoutMs: 10_000,
  spanMax: 100,
  keepBlocks: 512,
  balancesSeconds: 60,
  feeMax: "10000",
  ledgers: 20,
} as const;

/** The pace of the scanner. */
export const xrpScanSettings = ({ scan = {} }: XrpChoices): ScanSettings => ({
  pollMs: scan.pollMs ?? DEFAULTS.pollMs,
  spanMax: scan.spanMax ?? DEFAULTS.spanMax,
  keepBlocks: scan.keepBlocks ?? DEFAULTS.keepBlocks,
  balancesEveryMs: (scan.balancesSeconds ?? DEFAULTS.balancesSeconds) * 1_000,
  bookedWithinSeconds: BOOKED_WITHIN_SECONDS,
});

interface XrpParts {
  readonly choices: XrpChoices;
  readonly suspect: (endpoint: string, what: string) => void;
}

/** Returns the endpoints of the network, and the rules by which they agree. */
export const xrpEndpointsOf = (
  code: string,
  { choices, suspect }: XrpParts,
): XrpEndpointsOptions => ({
  ...openEndpoints(choices, code),
  networkCode: code,
  networkId: choices.networkId,
  timeoutMs: choices.timeoutMs ?? DEFAULTS.timeoutMs,
  suspect,
});

/** Returns the most drops that a transaction may cost. */
export const xrpFeeMaxOf = ({ payouts = {} }: XrpChoices): bigint =>
  BigInt(payouts.feeMaxUnits ?? DEFAULTS.feeMax);

/** Opens the sender of the network's account. Close it at the end. */
export function openXrpSender(
  code: string,
  { choices, suspect, signerSocket }: XrpParts & { readonly signerSocket: string },
): ChainSender {
  const { hot, payouts = {}, scan = {} } = choices;
  return makeXrpSender({
    endpoints: xrpEndpointsOf(code, { choices, suspect }),
    wallet: { name: hot.wallet, address: hot.address },
    signerSocket,
    feeMax: xrpFeeMaxOf(choices),
    floor: BigInt(payouts.floorUnits ?? 0),
    ledgers: payouts.ledgers ?? DEFAULTS.ledgers,
    pollMs: scan.pollMs ?? DEFAULTS.pollMs,
  });
}
