import type { CoinNetwork, PolicyFile } from "./policy.ts";
import { SignerError } from "./signer-error.ts";

/** The coin types of BIP-44 that begin the paths of wallets. All test networks share one. */
const COIN_TYPES = { bitcoin: 0, litecoin: 2 } as const;
const TEST_COIN_TYPE = 1;

const FORM =
  /^([a-z0-9][a-z0-9._-]{0,50})=((evm|tron):([1-9][0-9]{0,14})|xrp:(0|[1-9][0-9]{0,9})|(bitcoin|litecoin):(mainnet|testnet|regtest)|solana:([1-9A-HJ-NP-Za-km-z]{32,44}))$/;

/**
 * Returns the policy of a new signer: its networks and wallets, and limits of nothing. It signs no payment until
 * an operator writes assets and limits into the file.
 */
export function makePolicy(choices: {
  readonly installation: string;
  readonly releaseKey: string;
  readonly approvers: readonly string[];
  readonly networks: readonly string[];
}): PolicyFile {
  const parts = choices.networks.map(parseNetwork);
  return {
    format: "exchange-policy/1",
    installation: choices.installation,
    releaseKeys: [choices.releaseKey],
    approvers: Object.fromEntries(choices.approvers.map(parseApprover)),
    approvalsNeeded: 2,
    releaseHoursMax: 24,
    replacementsMax: 8,
    hourCents: 0,
    dayCents: 0,
    networks: Object.fromEntries(parts.map(({ code, network }) => [code, network])),
    wallets: Object.fromEntries(parts.flatMap(({ wallets }) => wallets)),
    assets: {},
    denied: [],
  };
}

const EVM_LIMITS = {
  kind: "evm",
  gasLimitMax: 200_000,
  feeMax: "20000000000000000",
  feeMaxPerDay: "500000000000000000",
} as const;

/** In sun. `feeMax` is the service's default `payouts.feeMaxUnits`, 50 TRX, and the 2 TRX that bytes may take. */
const TRON_LIMITS = {
  kind: "tron",
  expirationSecondsMax: 600,
  feeMax: "52000000",
  feeMaxPerDay: "1000000000",
} as const;

/** In lamports: 0.0001 SOL for a transaction, and 0.5 SOL a day. */
const SOLANA_LIMITS = {
  kind: "solana",
  expirationSecondsMax: 600,
  feeMax: "100000",
  feeMaxPerDay: "500000000",
} as const;

/** In satoshis or litoshis. `feeMax` is twice the service's default `payouts.feeMaxUnits`. */
const COIN_LIMITS = {
  bitcoin: { feeRateMax: 300, feeMax: "200000", feeMaxPerDay: "5000000" },
  litecoin: { feeRateMax: 500, feeMax: "2000000", feeMaxPerDay: "50000000" },
} as const satisfies Record<CoinNetwork["chain"], object>;

/** In drops: 0.02 XRP for a transaction, and 5 XRP a day. A quiet network asks for 10 drops. */
const XRP_LIMITS = { kind: "xrp", feeMax: "20000", feeMaxPerDay: "5000000" } as const;

type NetworkPart = {
  readonly code: string;
  readonly network: PolicyFile["networks"][string];
  readonly wallets: readonly (readonly [string, PolicyFile["wallets"][string]])[];
};

function parseNetwork(text: string): NetworkPart {
  const [, code, , kind, chainId, networkId, chain, environment, genesis] = FORM.exec(text) ?? [];
  if (code === undefined) {
    throw new SignerError(
      `"${text}" is not a network. Write its code and chain, such as ethereum=evm:1, tron=tron:728126428, xrpl=xrp:0, bitcoin=bitcoin:mainnet or solana=solana:<hash of the first block>.`,
    );
  }
  const hot = `${code}-hot`;
  if (genesis !== undefined) {
    const path = "m/44'/501'/0'/0'";
    const wallets = [
      [hot, { network: code, keystore: "hot", path }],
      [`${code}-deposits`, { network: code, keystore: "deposits", path }],
    ] as const;
    return { code, network: { ...SOLANA_LIMITS, genesis, dayCents: 0 }, wallets };
  }
  if (chainId !== undefined) {
    const path = kind === "tron" ? "m/44'/195'/0'/0" : "m/44'/60'/0'/0";
    const limits = kind === "tron" ? TRON_LIMITS : EVM_LIMITS;
    const network = { ...limits, chainId: Number(chainId), dayCents: 0 };
    const wallets = [
      [hot, { network: code, keystore: "hot", path: `${path}/0` }],
      [`${code}-deposits`, { network: code, keystore: "deposits", path }],
    ] as const;
    return { code, network, wallets };
  }
  if (networkId !== undefined) {
    const network = { ...XRP_LIMITS, networkId: Number(networkId), dayCents: 0 };
    const wallet = { network: code, keystore: "hot", path: "m/44'/144'/0'/0/0" } as const;
    return { code, network, wallets: [[hot, wallet]] };
  }
  const coin = chain as CoinNetwork["chain"];
  const network = {
    kind: "coins",
    chain: coin,
    environment: environment as CoinNetwork["environment"],
    ...COIN_LIMITS[coin],
    dayCents: 0,
  } as const;
  const coinType = environment === "mainnet" ? COIN_TYPES[coin] : TEST_COIN_TYPE;
  const wallet = { network: code, keystore: "hot", path: `m/84'/${coinType}'/0'` } as const;
  return { code, network, wallets: [[hot, wallet]] };
}

function parseApprover(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new SignerError(
    `"${text}" is not an approver. Write a name and a public key, such as anna=ed25519:…`,
  );
}
