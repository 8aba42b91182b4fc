import { expect, test } from "vitest";
import { MAGIC_ADDRESSES } from "../chains/magic-addresses.ts";
import { sandboxScreener } from "./screener.ts";

const screen = (address: string | null, lastName?: string) =>
  sandboxScreener().screen({
    networkCode: null,
    address,
    customer: lastName === undefined ? {} : { firstName: "Ada", lastName },
  });

test("the documented name is a hit, however it is written, and others are clear", async () => {
  expect(await screen(null, "Sanctioned")).toBe("hit");
  expect(await screen(null, " SANCTIONED ")).toBe("hit");
  expect(await screen(null, "Sanction")).toBe("clear");
  expect(await screen(null)).toBe("clear");
});

test("the documented address of every form is a hit, and the other documented ones are not", async () => {
  for (const { address, behaviour } of MAGIC_ADDRESSES) {
    expect(await screen(address)).toBe(behaviour === "sanctioned" ? "hit" : "clear");
  }
});
