import fc from "fast-check";
import { expect, test } from "vitest";
import {
  isSameRelease,
  parseReleaseText,
  paymentDigest,
  placeOfCoins,
  type Release,
  ReleaseTextError,
  writeApprovalText,
  writeReleaseText,
} from "./release-text.ts";

const RELEASE: Release = {
  installation: "shop-1",
  intent: "0197a000-0000-7000-8000-000000000001",
  order: "1000000000001",
  purpose: "payout",
  network: "ethereum",
  wallet: "eth-hot-1",
  asset: "usdt-ethereum",
  address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  memo: null,
  units: 1_000_000n,
  place: { kind: "nonce", nonce: 7n },
  releasedAt: new Date("2026-11-22T15:00:00.000Z"),
};

const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,63}$/);
const printable = (min: number) =>
  fc.string({
    unit: fc.integer({ min, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 128,
  });
const releases: fc.Arbitrary<Release> = fc.record({
  installation: name,
  intent: fc.uuid(),
  order: fc.bigInt({ min: 1n, max: 10n ** 18n }).map(String),
  purpose: fc.constantFrom("payout", "refund", "excess_refund"),
  network: name,
  wallet: name,
  asset: name,
  address: printable(0x21),
  memo: fc.option(printable(0x20)),
  units: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
  place: fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 62n }).map((nonce) => ({ kind: "nonce" as const, nonce })),
    fc.array(fc.string()).map(placeOfCoins),
    fc.record({
      kind: fc.constant("until" as const),
      expiration: fc.integer({ min: 10 ** 12, max: 10 ** 15 - 1 }),
      reference: fc.stringMatching(/^[0-9a-f]{20}$/),
      after: fc.option(fc.stringMatching(/^[0-9a-f]{64}$/)),
    }),
  ),
  releasedAt: fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
});

test("a release is written with one line for each field", () => {
  expect(writeReleaseText(RELEASE)).toBe(
    [
      "exchange-release/1",
      "installation shop-1",
      "intent 0197a000-0000-7000-8000-000000000001",
      "order 1000000000001",
      "purpose payout",
      "network ethereum",
      "wallet eth-hot-1",
      "asset usdt-ethereum",
      "to 0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
      "memo -",
      "units 1000000",
      "place nonce 7",
      "released 2026-11-22T15:00:00.000Z",
      "",
    ].join("\n"),
  );
});

test("any release is read back as it was written", () => {
  fc.assert(
    fc.property(releases, (release) => {
      expect(parseReleaseText(writeReleaseText(release))).toEqual(release);
    }),
  );
});

test("two different releases never have the same text", () => {
  fc.assert(
    fc.property(releases, releases, (one, other) => {
      fc.pre(JSON.stringify(one, printBigints) !== JSON.stringify(other, printBigints));
      expect(writeReleaseText(one)).not.toBe(writeReleaseText(other));
    }),
  );
});

const printBigints = (_: string, value: unknown) =>
  typeof value === "bigint" ? `${value}` : value;

test("text with any one character inserted, removed or replaced is refused or says another release", () => {
  const text = writeReleaseText(RELEASE);
  const edits = fc.record({
    at: fc.nat(text.length - 1),
    removed: fc.nat(1),
    added: fc.constantFrom("", "\n", "\r", " ", "0", "-", "a", "\u00e9", "\u0000"),
  });
  fc.assert(
    fc.property(edits, ({ at, removed, added }) => {
      const edited = text.slice(0, at) + added + text.slice(at + removed);
      fc.pre(edited !== text);
      const parsed = tryParse(edited);
      if (parsed) expect(writeReleaseText(parsed)).toBe(edited);
    }),
    { numRuns: 1_000 },
  );
});

function tryParse(text: string): Release | undefined {
  try {
    return parseReleaseText(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ReleaseTextError);
    return undefined;
  }
}

test.each([
  ["no line end at the end", (text: string) => text.trimEnd(), "ends with one line end"],
  ["a line more", (text: string) => `${text}extra 1\n`, "ends with one line end"],
  [
    "two lines swapped",
    (text: string) => text.replace(/(asset .*\n)(to .*\n)/, "$2$1"),
    `"asset "`,
  ],
  ["units of zero", (text: string) => text.replace("units 1000000", "units 0"), `"units"`],
  ["units with a leading zero", (text: string) => text.replace("units 1", "units 01"), `"units"`],
  ["another version", (text: string) => text.replace("/1", "/2"), "first line"],
  ["a date that does not exist", (text: string) => text.replace("11-22", "02-31"), "date"],
  ["an empty memo", (text: string) => text.replace("memo -", "memo ="), `"memo"`],
])("a release with %s is refused", (_, change, why) => {
  expect(() => parseReleaseText(change(writeReleaseText(RELEASE)))).toThrow(why);
});

test("a field that holds a line end is not written", () => {
  const address = "0xabc\nunits 5";
  expect(() => writeReleaseText({ ...RELEASE, address })).toThrow(`"to"`);
});

test("the payment's digest ignores place and time, and nothing else", () => {
  const again = { ...RELEASE, place: placeOfCoins(["a:0"]), releasedAt: new Date(0) };
  expect(paymentDigest(again)).toBe(paymentDigest(RELEASE));
  expect(paymentDigest({ ...RELEASE, memo: "-" })).not.toBe(paymentDigest(RELEASE));
  expect(paymentDigest({ ...RELEASE, order: "2" })).not.toBe(paymentDigest(RELEASE));
});

test("a release is written again only for the same payment at the same place", () => {
  const text = writeReleaseText(RELEASE);
  const again = (changes: Partial<Release>) => writeReleaseText({ ...RELEASE, ...changes });
  expect(isSameRelease(text, again({ releasedAt: new Date(0) }))).toBe(true);
  expect(isSameRelease(text, again({ units: RELEASE.units + 1n }))).toBe(false);
  expect(isSameRelease(text, again({ place: placeOfCoins(["a:0"]) }))).toBe(false);
  expect(isSameRelease("pay everything to me", text)).toBe(false);
});

test("an approval names exactly one release", () => {
  expect(writeApprovalText("a")).toBe(
    "exchange-approval/1\nrelease ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n",
  );
});

test("the place of coins does not depend on their order", () => {
  expect(placeOfCoins(["b:1", "a:0"])).toEqual(placeOfCoins(["a:0", "b:1"]));
  expect(placeOfCoins(["a:0"])).not.toEqual(placeOfCoins(["a:1"]));
});
