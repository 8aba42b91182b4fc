import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ADDRESS_FORMATS } from "../../domain/catalogue/network.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import { addressInForm } from "./address-forms.ts";
import { behaviourOf, MAGIC_ADDRESSES } from "./magic-addresses.ts";

const seedOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();

test.each(ADDRESS_FORMATS)(
  "every address made up in the form %s has its right checksum",
  (form) => {
    for (let number = 0; number < 200; number += 1) {
      const address = addressInForm(form, seedOf(`${form}:${number}`));
      expect(checkAddress(form, address), address).toBe(true);
    }
  },
);

test("addresses of an EVM network are written with their checksum", () => {
  const cased = Array.from({ length: 20 }, (_, number) =>
    addressInForm("evm", seedOf(`${number}`)),
  );
  expect(cased.filter((address) => address !== address.toLowerCase())).toHaveLength(20);
});

test("the same seed gives the same address, another gives another", () => {
  for (const form of ADDRESS_FORMATS) {
    expect(addressInForm(form, seedOf("a"))).toBe(addressInForm(form, seedOf("a")));
    expect(addressInForm(form, seedOf("a"))).not.toBe(addressInForm(form, seedOf("b")));
  }
});

test("a form that nobody taught the sandbox is an error, not a wrong address", () => {
  expect(() => addressInForm("monero", seedOf("a"))).toThrow("monero");
  expect(() => addressInForm("toString", seedOf("a"))).toThrow("toString");
});

test("each documented address is valid in its own form, and known however it is written", () => {
  expect(new Set(MAGIC_ADDRESSES.map(({ form }) => form))).toEqual(new Set(ADDRESS_FORMATS));
  for (const { form, behaviour, address } of MAGIC_ADDRESSES) {
    expect(checkAddress(form, address), address).toBe(true);
    expect(behaviourOf(address)).toBe(behaviour);
    if (form === "evm") expect(behaviourOf(address.toLowerCase())).toBe(behaviour);
    if (form === "bitcoin_cash") expect(behaviourOf(address.split(":")[1] ?? "")).toBe(behaviour);
  }
  expect(behaviourOf("bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu")).toBeUndefined();
});
