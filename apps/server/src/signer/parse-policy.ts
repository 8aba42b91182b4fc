import { isSolanaAddress } from "../domain/wallets/solana.ts";
import { xrpAccountOf } from "../domain/wallets/xrp-address.ts";
import {
  type Asset,
  type Policy,
  PolicyFile,
  parsePublicKey,
  printPublicKey,
  type Wallet,
} from "./policy.ts";
import { checkerOf } from "./schema-check.ts";
import { SignerError } from "./signer-error.ts";

const checkPolicy = checkerOf(PolicyFile, "policy file");

/** Parses the policy file. Throws a `SignerError` that names every problem. */
export function parsePolicy(text: string): Policy {
  const file = checkPolicy(text);
  const problems = contradictionsIn(file);
  if (problems.length > 0) {
    throw new SignerError(`The policy file is not valid:\n- ${problems.join("\n- ")}`);
  }
  return {
    ...file,
    releaseKeys: file.releaseKeys.map(parsePublicKey),
    approvers: new Map(
      Object.entries(file.approvers).map(([name, key]) => [name, parsePublicKey(key)]),
    ),
  };
}

function contradictionsIn(policy: PolicyFile): string[] {
  const { networks, wallets, assets, approvers, releaseKeys, approvalsNeeded } = policy;
  // By their bytes: base64 spells one key in four ways.
  const keys = [...Object.values(approvers), ...releaseKeys].map((key) =>
    printPublicKey(parsePublicKey(key)),
  );
  const count = Object.keys(approvers).length;
  const accounts = Object.values(wallets).map(({ keystore, path, network }) =>
    [keystore, path, network].join(" "),
  );
  const chains = Object.values(networks).map(chainOf);
  const coins = Object.values(assets).map(({ network, contract = "" }) =>
    [network, networks[network]?.kind === "evm" ? contract.toLowerCase() : contract].join(" "),
  );
  return [
    ...(hasDuplicates(keys) ? ["each approver and the releaser need a key of their own"] : []),
    ...(count > 0 && count < approvalsNeeded
      ? [`approvalsNeeded is ${approvalsNeeded}, but there are ${count} approvers`]
      : []),
    // Two names for one account would have two sequences of places, and so could pay twice.
    ...(hasDuplicates(accounts) ? ["two wallets have the same keystore, path and network"] : []),
    ...("cold" in wallets ? ['no wallet may be called "cold", which is the cold address'] : []),
    ...(hasDuplicates(chains) ? ["two networks are the same chain"] : []),
    // Each name has limits of its own, so a second one would pass them.
    ...(hasDuplicates(coins) ? ["two assets are the same coin"] : []),
    ...sharedKeys(policy),
    ...(policy.denied.some(isSecondForm)
      ? ["write each denied X-address as its classic address, which begins with r"]
      : []),
    ...Object.entries(wallets).flatMap(([name, wallet]) => walletProblems(name, wallet, policy)),
    ...Object.entries(assets).flatMap(([name, asset]) => assetProblems(name, asset, policy)),
  ];
}

type Network = PolicyFile["networks"][string];

/** Whether a transaction of one network may be valid on the other, where both have the same key. Those of EVM networks name their chain. */
function mayBeReplayed(one: Network, other: Network): boolean {
  if (one === other || one.kind !== other.kind || one.kind === "evm") return false;
  const isWorthless = (network: Network): boolean =>
    network.kind === "coins" && network.environment !== "mainnet";
  return !(isWorthless(one) && isWorthless(other));
}

function sharedKeys({ networks, wallets }: PolicyFile): string[] {
  const entries = Object.entries(wallets);
  return entries.flatMap(([name, wallet], at) => {
    const network = networks[wallet.network];
    const other = entries.slice(0, at).find(([, { keystore, path, network: code }]) => {
      const its = networks[code];
      const isOneKey = keystore === wallet.keystore && path === wallet.path;
      return isOneKey && network !== undefined && its !== undefined && mayBeReplayed(its, network);
    });
    if (other === undefined) return [];
    return [
      `wallets ${other[0]} and ${name} have the same keys, and a transaction of one may be valid on the network of the other. Give one of them another path, or a signer with other seeds`,
    ];
  });
}

const TRON_CONTRACT = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

/** Whether a text is a contract's address, or a mint, on a network of the kind. */
const CONTRACTS: Readonly<Partial<Record<string, (text: string) => boolean>>> = {
  evm: (text) => text.startsWith("0x"),
  tron: (text) => TRON_CONTRACT.test(text),
  solana: isSolanaAddress,
};

const SOL_DECIMALS = 9;

function assetProblems(name: string, asset: Asset, { networks }: PolicyFile): string[] {
  const network = networks[asset.network];
  if (!network) return [`asset ${name}: there is no network "${asset.network}"`];
  const { contract, decimals } = asset;
  if (contract === undefined) {
    // A token whose mint was forgotten would be paid in lamports.
    if (network.kind !== "solana" || decimals === SOL_DECIMALS) return [];
    return [
      `asset ${name}: without a contract it is SOL, which has ${SOL_DECIMALS} decimals and not ${decimals}. Write the mint of a token as its contract`,
    ];
  }
  const form = CONTRACTS[network.kind];
  if (form === undefined) return [`asset ${name}: ${asset.network} has no token contracts`];
  if (form(contract)) return [];
  return [`asset ${name}: ${contract} is not a contract's address on ${asset.network}`];
}

/** Keys of Ed25519 have no public derivation, so every step of a path is hardened (SLIP-0010). */
const HARDENED = /^m(\/[0-9]+')+$/;

function walletProblems(name: string, wallet: Wallet, { networks }: PolicyFile): string[] {
  const network = networks[wallet.network];
  if (!network) return [`wallet ${name}: there is no network "${wallet.network}"`];
  if (network.kind === "solana" && !HARDENED.test(wallet.path)) {
    return [`wallet ${name}: each step of a path of Solana is hardened, as in m/44'/501'/0'/0'`];
  }
  if (wallet.purpose === "gas" && (network.kind !== "evm" || wallet.keystore === "deposits")) {
    return [`wallet ${name}: a gas tank is a wallet of the hot keystore on an EVM network`];
  }
  if (wallet.keystore !== "deposits") return [];
  const coin = network.kind === "coins" ? network.chain : network.kind;
  return network.kind === "coins" || network.kind === "xrp"
    ? [`wallet ${name}: a ${coin} wallet takes deposits itself; use the hot keystore`]
    : [];
}

function chainOf(network: PolicyFile["networks"][string]): string {
  if (network.kind === "coins") return `${network.chain} ${network.environment}`;
  if (network.kind === "solana") return network.genesis;
  return network.kind === "xrp" ? `xrp ${network.networkId}` : String(network.chainId);
}

/** Another form of the same account would not be recognized as denied. */
const isSecondForm = (address: string): boolean => xrpAccountOf(address) !== undefined;

const hasDuplicates = (values: readonly unknown[]): boolean =>
  new Set(values).size !== values.length;
