import { beforeAll, describe, expect, test } from "vitest";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { isAddressOn } from "./check-address.ts";
import { destinationFault } from "./destination-fault.ts";

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await shippedCatalogue();
}, 60_000);

const coinOf = (reference: string) => {
  const currency = found(catalogue.currencyByCodeOrReference(reference));
  return { currency, network: found(catalogue.network(currency.networkCode ?? "")) };
};
const faultOf = (reference: string, address: string) =>
  destinationFault(catalogue, coinOf(reference), address);

test("the contract of each token of the catalogue is refused for every coin of its network", () => {
  const tokens = catalogue.currencies.filter(({ contractAddress }) => contractAddress !== null);
  expect(tokens.length).toBeGreaterThan(20);
  for (const { contractAddress, networkCode } of tokens) {
    const address = found(contractAddress ?? undefined);
    for (const { reference } of catalogue.currencies.filter((c) => c.networkCode === networkCode)) {
      expect([reference, faultOf(reference, address)]).toEqual([reference, "token_contract"]);
    }
  }
});

test("a contract is refused in any letter case, and on another network of its format", () => {
  const contract = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
  expect(faultOf("usdc-ethereum", contract.toLowerCase())).toBe("token_contract");
  expect(faultOf("pol", contract)).toBe("token_contract");
});

describe("an address that nobody has a key for", () => {
  test.each([
    ["eth", "0x000000000000000000000000000000000000dEaD"],
    ["usdt-polygon", "0x000000000000000000000000000000000000dead"],
    ["trx", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"],
    ["usdt-tron", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"],
    ["trx", "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy"],
    ["sol", "11111111111111111111111111111111"],
    ["usdc-solana", "11111111111111111111111111111111"],
    ["sol", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"],
    ["usdt-solana", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"],
    ["usdc-solana", "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"],
    ["sol", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"],
    ["sol", "So11111111111111111111111111111111111111112"],
    ["sol", "1nc1nerator11111111111111111111111111111111"],
    ["xrp", "rrrrrrrrrrrrrrrrrrrrrhoLvTp"],
    ["xrp", "rrrrrrrrrrrrrrrrrrrrBZbvji"],
    ["xrp", "rrrrrrrrrrrrrrrrrNAMEtxvNvQ"],
    ["xrp", "rrrrrrrrrrrrrrrrrrrn5RM1rHd"],
  ])("is refused for %s: %s", (reference, address) => {
    expect(isAddressOn(coinOf(reference).network, address)).toBe(true);
    expect(faultOf(reference, address)).toBe("no_key");
  });

  test("is refused as an X-address too, which stands for ACCOUNT_ZERO", () => {
    expect(faultOf("xrp", "X7TYFRtYHMcHtT2qNycMwgXzFbcRvEgLY6WDzQKYkjCp8GS")).toBe("no_key");
    expect(faultOf("xrp", "X7TYFRtYHMcHtT2qNycMwgXzFbcRvEmJQMVpwVY4E3Ppycx")).toBe("no_key");
  });
});

test.each([
  ["usdt-ethereum", "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"],
  ["usdt-tron", "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH"],
  ["usdc-solana", "4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA"],
  ["xrp", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"],
])("an ordinary wallet of %s may have coins", (reference, address) => {
  expect(faultOf(reference, address)).toBeUndefined();
});

test("a token account of Solana may have SOL and no tokens", () => {
  const account = "9fmAU34wjuR6b6mGCiVWZxQNTnEo2BLabnV72wnSKs7z";
  expect(faultOf("usdc-solana", account)).toBe("token_account");
  expect(faultOf("sol", account)).toBeUndefined();
});
