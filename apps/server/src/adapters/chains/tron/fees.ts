import type { FeeMarket } from "../../../domain/ports/network-fees.ts";
import { middleOf, type Quorum } from "../agree.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "../evm/endpoints.ts";
import { makeFeeMarket, requirePaid } from "../fee-market.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { makeTronRpc, unitsOf } from "./rpc.ts";

/** The prices of a network, in sun. */
export interface TronPrices {
  readonly energy: bigint;
  readonly bandwidth: bigint;
  /** Of the first payment to an address that was never used. */
  readonly newAccount: bigint;
}

const PARAMETERS = {
  energy: ["getEnergyFee"],
  bandwidth: ["getTransactionFee"],
  newAccount: ["getCreateNewAccountFeeInSystemContract", "getCreateAccountFee"],
} as const;

interface ChainParameters {
  readonly chainParameter?: unknown;
}

type ChainParameter = { readonly key?: unknown; readonly value?: unknown } | null;

/** Reads the prices. Of the endpoints' answers the middle one counts, so that one endpoint sets no price. */
export async function readPrices(quorum: Quorum): Promise<TronPrices> {
  const answers = await quorum.collect({ what: "prices", ask: readEndpointPrices });
  const middle = (name: keyof TronPrices): bigint =>
    middleOf(answers.map(({ value }) => value[name]));
  return {
    energy: middle("energy"),
    bandwidth: middle("bandwidth"),
    newAccount: middle("newAccount"),
  };
}

/** Reads one endpoint's prices. */
async function readEndpointPrices(rpc: Rpc): Promise<TronPrices> {
  const [answer] = await rpc.ask([["/wallet/getchainparameters", {}]]);
  const { chainParameter = [] } = answer as ChainParameters;
  if (!Array.isArray(chainParameter)) {
    throw new EndpointFault(rpc.name, "the answer has a bad list of prices");
  }
  const parameters = chainParameter as readonly ChainParameter[];
  const priceOf = (names: readonly string[]): bigint =>
    names.reduce((sum, name) => {
      const value = parameters.find((one) => one?.key === name)?.value;
      return sum + unitsOf(rpc, value, `price ${name}`);
    }, 0n);
  return {
    energy: priceOf(PARAMETERS.energy),
    bandwidth: priceOf(PARAMETERS.bandwidth),
    newAccount: priceOf(PARAMETERS.newAccount),
  };
}

/** The most bytes that a transfer has, and its result in a block. */
export const TRANSFER_BYTES = 400n;
/** The first payment of TRX to a new address burns 1.1 TRX more: the price of 1,100 bytes. */
const NEW_ACCOUNT_BYTES = 1_100n;
/** USDT to an address without any takes 130,285 energy. To another one it takes half. */
const TOKEN_ENERGY = 131_000n;
const ENERGY_MARGIN = { numerator: 5n, denominator: 4n };

/** The most that the call of a token burns where no energy is staked for it. The estimate has room for a busier contract. */
export const feeLimitOf = (energy: bigint, { energy: price }: Pick<TronPrices, "energy">): bigint =>
  ((energy * ENERGY_MARGIN.numerator) / ENERGY_MARGIN.denominator) * price;

/** Returns the highest price of energy at which a payout of a token is signed. */
export const energyPriceMaxOf = (feeMax: bigint): bigint =>
  feeMax / feeLimitOf(TOKEN_ENERGY, { energy: 1n });

/**
 * Returns the energy and the bytes of a transfer to a new address. All of them count as burnt, because the wallet's
 * staked TRX may be used up when the payout is sent. The numbers are fixed, because a token can make its own estimate
 * lie.
 */
export const workOfTransfer = ({ contractAddress }: { readonly contractAddress: string | null }) =>
  contractAddress === null
    ? { work: 0n, bytes: TRANSFER_BYTES + NEW_ACCOUNT_BYTES }
    : { work: TOKEN_ENERGY, bytes: TRANSFER_BYTES };

/** Measures the fee market of Tron: the sun for one unit of energy, and for a byte. */
export const makeTronFeeMarket = (options: EvmEndpointsOptions): FeeMarket =>
  makeFeeMarket({
    quorum: openEvmQuorum(options, makeTronRpc),
    needed: options.quorum,
    suspect: options.suspect,
    ratesOf: async (rpc) => {
      const { energy, bandwidth } = await readEndpointPrices(rpc);
      return { rate: requirePaid(rpc, energy), byteRate: requirePaid(rpc, bandwidth) };
    },
  });
