import { beforeAll, describe, expect, test } from "vitest";
import { shippedCatalogue } from "../../testing/catalogue.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { lookUpWallet } from "./look-up-wallet.ts";

const BITCOIN = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const EVM = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const TRON = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await shippedCatalogue();
}, 60_000);

const lookUp = (currency: string, walletAddress: string, networkCode?: string) =>
  lookUpWallet(catalogue, { currency, walletAddress, networkCode });

describe("an address", () => {
  test("of a coin on one network is valid, without its surrounding spaces", () => {
    expect(lookUp("btc", `  ${BITCOIN}\n`)).toMatchObject({
      kind: "valid",
      address: BITCOIN,
      network: { code: "bitcoin" },
    });
  });

  test("that several of the coin's networks share needs the network's code", () => {
    const answer = lookUp("USDT", EVM);
    expect(answer).toMatchObject({ kind: "needs_network" });
    const codes = answer.kind === "needs_network" ? answer.networks.map(({ code }) => code) : [];
    expect(codes).toEqual(expect.arrayContaining(["ethereum", "polygon", "arbitrum"]));
    expect(codes).not.toContain("tron");
  });

  test("whose form only one of the coin's networks has is valid without a code", () => {
    expect(lookUp("usdt", TRON)).toMatchObject({
      kind: "valid",
      currency: { reference: "usdt-tron" },
    });
  });

  test("with the network's code is valid there", () => {
    expect(lookUp("USDT", EVM, "POLYGON")).toMatchObject({
      kind: "valid",
      currency: { reference: "usdt-polygon" },
    });
  });

  test("of a reference is looked at on that network alone", () => {
    expect(lookUp("usdt-base", EVM).kind).toBe("unknown_currency");
    expect(lookUp("usdt-bsc", EVM)).toMatchObject({ kind: "valid", network: { code: "bsc" } });
    expect(lookUp("usdt-bsc", TRON)).toMatchObject({
      kind: "invalid",
      belongsTo: [{ code: "tron" }],
    });
  });

  test("of another of the coin's networks is a mismatch that names it", () => {
    expect(lookUp("USDT", TRON, "ethereum")).toMatchObject({
      kind: "mismatch",
      givenNetwork: { code: "ethereum" },
      networks: [{ code: "tron" }],
    });
  });

  test("of another coin is invalid, and it is said whose it is", () => {
    expect(lookUp("LTC", BITCOIN)).toMatchObject({
      kind: "invalid",
      belongsTo: [{ code: "bitcoin" }],
    });
  });

  test("of a token account of Solana is nobody's wallet for tokens, and it is no other network's", () => {
    const account = "9fmAU34wjuR6b6mGCiVWZxQNTnEo2BLabnV72wnSKs7z";
    expect(lookUp("usdc-solana", account)).toMatchObject({ kind: "invalid", belongsTo: [] });
    expect(lookUp("USDC", account, "solana")).toMatchObject({ kind: "invalid", belongsTo: [] });
    const wallet = "4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA";
    expect(lookUp("usdc-solana", wallet)).toMatchObject({ kind: "valid" });
    // Programs own addresses without a key, and some of them keep SOL there.
    expect(lookUp("sol", account)).toMatchObject({ kind: "valid" });
  });

  test("with a broken checksum is nobody's", () => {
    expect(lookUp("BTC", `${BITCOIN.slice(0, -1)}v`)).toEqual({
      kind: "invalid",
      belongsTo: [],
      expected: expect.objectContaining({ code: "bitcoin" }),
    });
  });

  test("that is the token's own contract is refused: coins sent there are lost", () => {
    const contract = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
    expect(lookUp("usdt-ethereum", contract).kind).toBe("invalid");
    expect(lookUp("USDT", contract.toLowerCase(), "ethereum").kind).not.toBe("valid");
  });
});

test.each([
  ["NOPE", undefined, "unknown_currency"],
  ["EUR", undefined, "unknown_currency"],
  ["BTC", "nope", "unknown_network"],
  ["BTC", "tron", "unknown_network"],
])("%s on %s is %s", (currency, networkCode, kind) => {
  expect(lookUp(currency, BITCOIN, networkCode).kind).toBe(kind);
});
