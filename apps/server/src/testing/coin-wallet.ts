import { bech32, hex } from "@scure/base";
import { HDKey } from "@scure/bip32";
import { mnemonicToSeedSync } from "@scure/bip39";
import { Transaction } from "@scure/btc-signer";
import { readCoinAccount } from "../adapters/chains/utxo/deposit-addresses.ts";
import { TEST_WORDS } from "./signer.ts";

const TEST_VERSIONS = { public: 0x043587cf, private: 0x04358394 };
/** Paths of each branch that a test may use. */
const PATHS = 100;
/** The fee of such a transaction. */
export const STOLEN_FEE = 100_000n;
/** A P2WPKH script of nobody. */
const NOBODY = `0014${"ab".repeat(20)}`;

/** Returns the same address with the prefix of another chain of the coin. The script is the same. */
export function withPrefix(address: string, prefix: string): string {
  const { words } = bech32.decode(address as `${string}1${string}`);
  return bech32.encode(prefix, words);
}

/** A coin as the node describes it. */
export interface SpentCoin {
  readonly outpoint: string;
  readonly script: string;
  readonly units: bigint;
}

/** A wallet of the test signer, with its key. */
export interface TestCoinWallet {
  readonly path: string;
  readonly xpub: string;
  /** The same key with the version of test chains, which a node's descriptors need. */
  readonly testXpub: string;
  addressAt(index: number): string;
  /**
   * Signs a transaction of the coin to nobody or to a script, as somebody who stole the key would. Returns its bytes in
   * hex.
   */
  steal(coin: SpentCoin, script?: string): string;
}

/** Returns the wallet of the path below one of the signer's seeds. */
export function testCoinWallet(
  path: string,
  prefix: string,
  keystore: keyof typeof TEST_WORDS = "hot",
): TestCoinWallet {
  const seed = mnemonicToSeedSync(TEST_WORDS[keystore]);
  const key = HDKey.fromMasterSeed(seed).derive(path);
  const xpub = key.publicExtendedKey;
  const account = readCoinAccount({ xpub, chain: "regtest", prefix });
  const keyOf = (script: string): Uint8Array => {
    for (const branch of [0, 1] as const) {
      for (let index = 0; index < PATHS; index += 1) {
        if (account.scriptAt(branch, index) !== script) continue;
        const { privateKey } = key.deriveChild(branch).deriveChild(index);
        if (privateKey !== null) return privateKey;
      }
    }
    throw new Error(`the wallet has no key of the script ${script}`);
  };
  return {
    path,
    xpub,
    testXpub: HDKey.fromMasterSeed(seed, TEST_VERSIONS).derive(path).publicExtendedKey,
    addressAt: account.addressAt,
    steal: ({ outpoint, script, units }, to = NOBODY) => {
      const [txid = "", output = ""] = outpoint.split(":");
      const transaction = new Transaction({ allowUnknownOutputs: true });
      const witnessUtxo = { script: hex.decode(script), amount: units };
      transaction.addInput({ txid, index: Number(output), witnessUtxo });
      transaction.addOutput({ script: hex.decode(to), amount: units - STOLEN_FEE });
      transaction.sign(keyOf(script));
      transaction.finalize();
      return hex.encode(transaction.extract());
    },
  };
}
