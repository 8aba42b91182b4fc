import { expect, test } from "vitest";
import {
  findMissingHere,
  findMissingThere,
  lineKey,
  type NetworkLine,
  type OurLine,
} from "./reconcile.ts";

const EUR = { id: 1, code: "EUR", decimals: 2, publishedDecimals: 2 };

const our = (changes: Partial<OurLine> = {}): OurLine => ({
  kind: "payout",
  reference: "a",
  source: null,
  networkCode: null,
  assetReference: "eur",
  asset: EUR,
  units: 1_050n,
  state: "settled",
  ...changes,
});
const their = (changes: Partial<NetworkLine> = {}): NetworkLine => ({
  kind: "payout",
  reference: "a",
  source: "sandbox",
  railReference: "r",
  assetReference: "eur",
  amount: { units: 1_050n },
  state: "settled",
  networkCode: null,
  ...changes,
});
const stated = (...lines: NetworkLine[]) => {
  const [first] = lines;
  return new Map(first ? [[lineKey(first), lines]] : []);
};
const linesByKey = (...lines: OurLine[]) => new Map(lines.map((line) => [lineKey(line), line]));

const here = (line: NetworkLine, ...ours: OurLine[]) => hereOf([line], ...ours);
const hereOf = (lines: readonly NetworkLine[], ...ours: OurLine[]) =>
  findMissingHere(stated(...lines), linesByKey(...ours)).map(({ check }) => check);
const there = (line: OurLine, ...theirs: NetworkLine[]) =>
  findMissingThere([line], stated(...theirs)).map(({ check }) => check);

test("lines that agree are not a break, in units or in coins, however many zeros end them", () => {
  expect(there(our(), their())).toEqual([]);
  expect(here(their(), our())).toEqual([]);
  for (const coins of ["10.5", "10.50", "10.500000"]) {
    expect(here(their({ amount: { coins } }), our())).toEqual([]);
  }
});

test("a transfer that is under way on either side is not a break yet", () => {
  expect(here(their(), our({ state: "pending" }))).toEqual([]);
  expect(here(their({ state: "pending" }), our({ state: "pending" }))).toEqual([]);
  expect(there(our({ state: "pending" }))).toEqual([]);
  // The rail's list was read before our ledger, so it is older than what it is compared with.
  expect(here(their({ state: "pending" }), our())).toEqual([]);
});

test("a transfer settled here and unknown, pending or rejected there is a break", () => {
  expect(there(our())).toEqual(["what we booked the rail knows"]);
  expect(there(our(), their({ state: "pending" }))).toEqual([
    "what is settled here is settled there",
  ]);
  expect(here(their({ state: "rejected" }), our())).toEqual([
    "what is settled here is settled there",
  ]);
});

test("a version that a reorganisation took out is not a break while another one pays", () => {
  const gone = their({ state: "rejected", railReference: "first" });
  expect(hereOf([gone, their()], our())).toEqual([]);
  expect(hereOf([gone, their({ state: "pending" })], our())).toEqual([]);
  expect(hereOf([gone, { ...gone, railReference: "second" }], our())).toEqual([
    "what is settled here is settled there",
  ]);
  expect(hereOf([gone, their({ amount: { units: 1n } })], our())).toEqual([
    "the rail moves what we say",
  ]);
});

test("a transfer settled there and unknown or void here is a break, but a stranger's deposit is not", () => {
  expect(here(their())).toEqual(["what the rail did we asked for"]);
  expect(here(their({ state: "pending" }))).toEqual([]);
  expect(here(their({ kind: "deposit" }))).toEqual([]);
  expect(here(their(), our({ state: "rejected" }))).toEqual([
    "what is settled there is not given up here",
  ]);
});

test("another amount or another asset is a break, and so is money that moved twice", () => {
  const moved = "the rail moves what we say";
  expect(here(their({ amount: { units: 1_051n } }), our())).toEqual([moved]);
  expect(here(their({ amount: { coins: "10.05" } }), our())).toEqual([moved]);
  expect(here(their({ amount: { coins: "a lot" } }), our())).toEqual([moved]);
  expect(here(their({ assetReference: "usd" }), our())).toEqual([moved]);
  const twice = findMissingHere(stated(their(), their()), linesByKey(our()));
  expect(twice.map(({ check }) => check)).toEqual(["the rail moves money once"]);
});

test("deposits of two networks with the same transaction hash are two movements", () => {
  const ours = our({ kind: "deposit", source: "ethereum", units: 7n });
  const theirs = their({ kind: "deposit", source: "polygon" });
  expect(here(theirs, ours)).toEqual([]);
  expect(there(ours, theirs)).toEqual(["what we booked the rail knows"]);
});

test("a break of a chain names its network, and one of a bank names none", () => {
  const ethereum = { source: "ethereum", networkCode: "ethereum" };
  const networksOf = (line: NetworkLine, ...ours: OurLine[]) =>
    findMissingHere(stated(line), linesByKey(...ours)).map(({ networkCode }) => networkCode);
  expect(networksOf(their(ethereum))).toEqual(["ethereum"]);
  expect(networksOf(their({ ...ethereum, amount: { units: 1n } }), our())).toEqual(["ethereum"]);
  expect(networksOf(their())).toEqual([null]);
  const booked = our({ networkCode: "ethereum" });
  expect(findMissingThere([booked], new Map())).toMatchObject([{ networkCode: "ethereum" }]);
});
