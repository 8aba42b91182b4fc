import { describe, expect, test } from "vitest";
import { ADDRESS_FORMATS, type AddressFormat } from "../catalogue/network.ts";
import { checkAddress } from "./check-address.ts";
import { addressStarts } from "./coin-prefixes.ts";

const GOOD: Readonly<Record<AddressFormat, readonly string[]>> = {
  bitcoin: [
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
    "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
    "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
    "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
    "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
    "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
  ],
  bitcoin_cash: [
    "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
    "qr95sy3j9xwd2ap32xkykttr4cvcu7as4y0qverfuy",
    "bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
    "BITCOINCASH:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A",
  ],
  dogecoin: ["DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC", "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L"],
  evm: [
    "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    "0x9858effd232b4033e47d90003d41ec34ecaeda94",
    "0x9858EFFD232B4033E47D90003D41EC34ECAEDA94",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  ],
  litecoin: [
    "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh",
    "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9",
    "LaMT348PWRnrqeeWArpwQPbuanpXDZGEUz",
  ],
  solana: [
    "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
    "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
  ],
  tron: [
    "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
    "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7",
  ],
  xrp: [
    "rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3",
    "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
    "rrrrrrrrrrrrrrrrrrrrrhoLvTp",
    "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ",
  ],
};

const BAD: Readonly<Record<AddressFormat, readonly (readonly [why: string, text: string])[]>> = {
  bitcoin: [
    ["broken checksum", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"],
    ["swapped letters", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNyL"],
    ["broken segwit checksum", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv"],
    ["mixed case segwit", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyU"],
    [
      "taproot in the older checksum",
      "bc1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqspacdr2",
    ],
    ["segwit in the newer checksum", "bc1qqurswpc8qurswpc8qurswpc8qurswpc8s4fapw"],
    [
      "taproot point off the curve",
      "bc1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqzs2jkusy",
    ],
    ["unknown witness version", "bc1zqurswpc8qurswpc8qurswpc8qurswpc8xqwtmc"],
    ["taproot above the field", "bc1plllllllllllllllllllllllllllllllllllllllllllllllllllsr7rg6v"],
    ["testnet segwit", "tb1qqurswpc8qurswpc8qurswpc8qurswpc800zzll"],
    ["testnet legacy", "mgA7SfyBBrVGVSpQ7oqGHPhxpp2gUZWtfc"],
    ["testnet script", "2MstP8uJfYBsk1HfmCU9MW3qqKgvrw3ESd1"],
    ["Litecoin's", "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9"],
    ["a letter that base 58 lacks", "1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf0a"],
    ["cut short", "1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf"],
    ["space before", " 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
    ["nothing", ""],
    ["a URI", "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
  ],
  bitcoin_cash: [
    ["broken checksum", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6b"],
    ["one letter changed", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx7a"],
    ["mixed case", "bitcoincash:Qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"],
    ["testnet prefix", "bchtest:qpm2qsznhks23z7629mms6s4cwef74vcwvqcw003ap"],
    ["legacy form", "1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu"],
    ["two prefixes", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a:x"],
    ["prefix alone", "bitcoincash:"],
  ],
  dogecoin: [
    ["broken checksum", "DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgD"],
    ["Bitcoin's", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
    ["wrong case", "dbus3bamqjgjulbjtyxpezdwqrwf5iwxgc"],
    ["testnet", "nUqKQtZkcDR28K6aAeVuFeFY5pYZtf92ht"],
  ],
  evm: [
    ["one letter in the wrong case", "0x9858efFD232B4033E47d90003D41EC34EcaEda94"],
    ["one digit changed", "0x9858EfFD232B4033E47d90003D41EC34EcaEda95"],
    ["no 0x", "9858EfFD232B4033E47d90003D41EC34EcaEda94"],
    ["0X", "0X9858effd232b4033e47d90003d41ec34ecaeda94"],
    ["too short", "0x9858effd232b4033e47d90003d41ec34ecaeda9"],
    ["too long", "0x9858effd232b4033e47d90003d41ec34ecaeda944"],
    ["not hexadecimal", "0x9858effd232b4033e47d90003d41ec34ecaedag4"],
    ["the zero address", "0x0000000000000000000000000000000000000000"],
    ["a name", "vitalik.eth"],
    ["a line break after", "0x9858effd232b4033e47d90003d41ec34ecaeda94\n"],
  ],
  litecoin: [
    ["the script form shared with Bitcoin", "32LB5ANdvjNPoW3DXLXUt6ra7Lih9WeBJN"],
    ["broken checksum", "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH8"],
    ["broken segwit checksum", "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wj"],
    ["Bitcoin's segwit", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"],
    ["Bitcoin's script form", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"],
    ["testnet", "tltc1qqurswpc8qurswpc8qurswpc8qurswpc8k8qu0k"],
  ],
  solana: [
    ["31 bytes", "8zUFfLHADcabAoM9YFZYEosLosi2GDmsDuzfcSEkxG"],
    ["cut short", "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKp"],
    ["a letter that base 58 lacks", "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpq0"],
    ["an EVM address", "0x9858effd232b4033e47d90003d41ec34ecaeda94"],
    ["too long", "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqkk"],
  ],
  tron: [
    ["broken checksum", "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdJ"],
    ["hexadecimal form", "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"],
    ["Bitcoin's", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
    ["wrong case", "tUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH"],
  ],
  xrp: [
    ["broken checksum", "rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v4"],
    ["testnet X-address", "T719a5UwUCnEs54UsxG9CJYYDhwmFCqkr7wxCcNcfZ6p5GZ"],
    ["broken X-address", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqX"],
    ["a seed", "snoPBrXtMeMyMHUVTgbuqAfg1SUTb"],
    ["Bitcoin's", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
  ],
};

describe.each(ADDRESS_FORMATS)("%s", (format) => {
  test.each(GOOD[format].map((text) => [text]))("takes %s", (text) => {
    expect(checkAddress(format, text)).toBe(true);
  });

  test.each(BAD[format].map(([why, text]) => [why, text]))("refuses %s (%s)", (_why, text) => {
    expect(checkAddress(format, text)).toBe(false);
  });

  test("refuses what is far too long without reading it", () => {
    expect(checkAddress(format, "1".repeat(1_000_000))).toBe(false);
  });
});

test("no address fits two formats that differ in checksum or version", () => {
  for (const format of ADDRESS_FORMATS) {
    for (const text of GOOD[format]) {
      const fitting = ADDRESS_FORMATS.filter((other) => checkAddress(other, text));
      expect(fitting).toEqual([format]);
    }
  }
});

describe("addresses of test chains", () => {
  const ON_TEST_CHAINS = [
    ["bitcoin", "test", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"],
    ["bitcoin", "test", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"],
    ["bitcoin", "regtest", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"],
    ["litecoin", "regtest", "rltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c23g5xdr"],
  ] as const;

  test.each(ON_TEST_CHAINS)(
    "%s on %s takes %s, and the main chain does not",
    (format, chain, text) => {
      expect(checkAddress(format, text, chain)).toBe(true);
      expect(checkAddress(format, text)).toBe(false);
    },
  );

  test("a test chain does not take addresses of the main chain", () => {
    for (const text of GOOD.bitcoin) expect(checkAddress("bitcoin", text, "test")).toBe(false);
    for (const text of GOOD.litecoin) expect(checkAddress("litecoin", text, "regtest")).toBe(false);
  });
});

test.each(ADDRESS_FORMATS)(
  "the first letters that are said of %s are those of its addresses",
  (format) => {
    const starts = addressStarts(format);
    for (const address of starts.length === 0 ? [] : GOOD[format]) {
      const isSaid = starts.some((start) => address.toLowerCase().startsWith(start.toLowerCase()));
      expect(isSaid, address).toBe(true);
    }
  },
);
