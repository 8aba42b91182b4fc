import { secp256k1 } from "@noble/curves/secp256k1.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { HDKey } from "@scure/bip32";
import { mnemonicToSeedSync } from "@scure/bip39";
import { Transaction as CoinTransaction, RawTx } from "@scure/btc-signer";
import { Transaction } from "micro-eth-signer";
import { describe, expect, test } from "vitest";
import {
  COIN,
  CUSTOMER,
  CUSTOMER_BTC,
  GAS,
  makeCoinRelease,
  makePlan,
  makeRelease,
  openTestSigner,
  signRelease,
  TEST_POLICY,
  TEST_WORDS,
  USDT,
} from "../testing/signer.ts";
import { buildEvm } from "./evm-transaction.ts";
import { parsePolicy } from "./parse-policy.ts";
import { Wallets } from "./wallets.ts";

/** The account with the private key of the EIP-155 example: 32 bytes of 0x46. */
const EIP_155 = {
  name: "example",
  place: "1/example",
  networkCode: "ethereum",
  network: { ...TEST_POLICY.networks["ethereum"], kind: "evm", chainId: 1 } as never,
  address: "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F",
  isGasTank: false,
  isDeposit: false,
  key: new Uint8Array(32).fill(0x46),
};

describe("EVM", () => {
  test("the example of EIP-155 is signed byte for byte", () => {
    const transfer = {
      nonce: 9n,
      to: `0x${"35".repeat(20)}`,
      contract: null,
      units: 10n ** 18n,
    };
    const gas = { type: "legacy", gasLimit: "21000", gasPrice: "20000000000" } as const;
    expect(buildEvm(EIP_155, transfer, gas).sign().bytes).toBe(
      "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83",
    );
  });

  test("an EIP-1559 transfer has the fields of the EIP in their order, and the right signer", () => {
    const signer = openTestSigner();
    const { bytes, hash } = signer.sign({
      op: "pay",
      release: signRelease(makeRelease({ units: 1_500_000n, place: { kind: "nonce", nonce: 7n } })),
      gas: GAS,
    });
    const unsigned = Transaction.fromHex(bytes).toHex({ includeSignature: false });
    const data = `a9059cbb${CUSTOMER.slice(2).toLowerCase().padStart(64, "0")}${(1_500_000).toString(16).padStart(64, "0")}`;
    // rlp([chain id, nonce, tip, price, gas, contract, no value, calldata, no access list])
    const fields = `827a6907843b9aca008506fc23ac0083015f9094${USDT.slice(2).toLowerCase()}80b844${data}c0`;
    expect(unsigned).toBe(`0x02f8${(fields.length / 2).toString(16)}${fields}`);
    expect(hash).toBe(bytesToHex(keccak_256(hexToBytes(bytes))));
    expect(Transaction.fromHex(bytes).sender).toBe("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
  });

  test("the accounts of the public test mnemonic are those that anvil prints", () => {
    const { wallets } = openTestSigner().parts;
    expect(wallets.evm("eth-hot").address).toBe("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    expect(wallets.addresses("eth-deposits", 0, 1)).toEqual([
      { path: "m/44'/60'/0'/0/0", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" },
    ]);
  });
});

describe("Bitcoin family", () => {
  const seed = mnemonicToSeedSync(
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
  );
  const wallets = new Wallets(parsePolicy(JSON.stringify(TEST_POLICY)), {
    hot: seed,
    deposits: seed,
  });

  test("the addresses of BIP-84 are derived", () => {
    expect(wallets.addresses("btc-hot", 0, 2).map(({ address }) => address)).toEqual([
      "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
      "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g",
    ]);
    const change = wallets.coins("btc-hot").at(1, 0).script;
    const publicKey = hexToBytes(
      "03025324888e429ab8e3dbaf1f7802648b9cd01e9b418485c5fa4c1b9b5700e1a6",
    );
    expect(bytesToHex(change)).toBe(`0014${bytesToHex(ripemd160(sha256(publicKey)))}`);
  });

  test("a signature is over the digest of BIP-143, which commits to the coin's amount", () => {
    const signer = openTestSigner();
    const release = makeCoinRelease([COIN]);
    const plan = makePlan([COIN], { pays: release.units, fee: 2_000n });
    const { bytes, hash } = signer.sign({
      op: "pay_coins",
      releases: [signRelease(release)],
      plan,
    });
    const raw = RawTx.decode(hexToBytes(bytes));
    const [signature = new Uint8Array(), publicKey = new Uint8Array()] = raw.witnesses?.[0] ?? [];
    expect(signature.at(-1)).toBe(1);
    const der = signature.slice(0, -1);
    const check = (units: bigint) =>
      secp256k1.verify(der, digestOf(raw, publicKey, units), publicKey, {
        prehash: false,
        format: "der",
      });
    expect([check(1_000_000n), check(999_999n)]).toEqual([true, false]);
    const decoded = CoinTransaction.fromRaw(hexToBytes(bytes));
    expect(decoded.id).toBe(hash);
    expect(decoded.getOutputAddress(0)).toBe(CUSTOMER_BTC);
    const hot = HDKey.fromMasterSeed(mnemonicToSeedSync(TEST_WORDS.hot));
    const changeKey = hot.derive("m/84'/0'/0'/1/0").publicKey ?? new Uint8Array();
    const changeScript = `0014${bytesToHex(ripemd160(sha256(changeKey)))}`;
    expect(bytesToHex(decoded.getOutput(1).script ?? new Uint8Array())).toBe(changeScript);
    expect([decoded.getOutput(0).amount, decoded.getOutput(1).amount]).toEqual([
      100_000n,
      898_000n,
    ]);
  });

  test("the digest of this test is that of the P2WPKH example in BIP-143", () => {
    const raw = RawTx.decode(
      hexToBytes(
        "0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000",
      ),
    );
    const publicKey = hexToBytes(
      "025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee6357",
    );
    expect(bytesToHex(digestOf(raw, publicKey, 600_000_000n, 1))).toBe(
      "c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670",
    );
  });
});

const twice = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));
const little = (value: bigint, bytes: number): Uint8Array =>
  hexToBytes(value.toString(16).padStart(bytes * 2, "0")).toReversed();

/** The digest that BIP-143 defines for a P2WPKH input and SIGHASH_ALL, written from its text. */
function digestOf(
  raw: ReturnType<typeof RawTx.decode>,
  publicKey: Uint8Array,
  units: bigint,
  index = 0,
): Uint8Array {
  const outpoints = raw.inputs.map((input) =>
    concatBytes(input.txid.toReversed(), little(BigInt(input.index), 4)),
  );
  const sequences = raw.inputs.map(({ sequence }) => little(BigInt(sequence), 4));
  const outputs = raw.outputs.map(({ amount, script }) =>
    concatBytes(little(amount, 8), Uint8Array.of(script.length), script),
  );
  return twice(
    concatBytes(
      little(BigInt(raw.version), 4),
      twice(concatBytes(...outpoints)),
      twice(concatBytes(...sequences)),
      outpoints[index] ?? new Uint8Array(),
      hexToBytes(`1976a914${bytesToHex(ripemd160(sha256(publicKey)))}88ac`),
      little(units, 8),
      sequences[index] ?? new Uint8Array(),
      twice(concatBytes(...outputs)),
      little(BigInt(raw.lockTime), 4),
      little(1n, 4),
    ),
  );
}
