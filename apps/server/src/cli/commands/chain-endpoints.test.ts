import { expect, test } from "vitest";
import type { EndpointState, ExaminedEndpoint } from "../../adapters/chains/examination.ts";
import { judgeEndpoints } from "./chain-endpoints.ts";

const NOW = 1_800_000_000;
const SOUND = {
  ...{ software: "geth", head: 20_000n, headAt: NOW - 5, finalAt: NOW - 900 },
  isCatchingUp: false,
} satisfies EndpointState;

const endpoint = (
  name: string,
  state: Partial<EndpointState> = {},
  forkHash: string | null = "0xaa",
): ExaminedEndpoint => ({ name, state: { ...SOUND, ...state }, forkHash, weaknesses: [] });

const judge = (endpoints: readonly ExaminedEndpoint[], silentSeconds: number | undefined = 900) =>
  judgeEndpoints({ forkHeight: 19_900n, endpoints }, { nowSeconds: NOW, silentSeconds });

test("sound endpoints pass", () => {
  const { found, fix } = judge([endpoint("own"), endpoint("a"), endpoint("b")]);
  expect(fix).toBeUndefined();
  expect(found).toContain("own at block 20000 (geth)");
  expect(found).toContain("they agree at block 19900");
});

test.each<[string, ExaminedEndpoint, RegExp, RegExp]>([
  [
    "is behind",
    endpoint("b", { head: 19_000n, headAt: NOW - 800 }),
    /b is 1000 blocks behind own/,
    /caught up/,
  ],
  ["is forked", endpoint("b", {}, "0xbb"), /b has another block 19900 than own/, /another branch/],
  ["lacks a block", endpoint("b", {}, null), /b has no block 19900/, /another branch/],
  [
    "is ahead of our clock",
    endpoint("b", { headAt: NOW + 60 }),
    /60 s ahead of this machine's clock/,
    /NTP/,
  ],
  ["stands still", endpoint("b", { headAt: NOW - 1_800 }), /no block for 30 minutes/, /explorer/],
  ["loads blocks", endpoint("b", { isCatchingUp: true }), /still loads/, /caught up/],
  ["has no finality", endpoint("b", { finalAt: null }), /names no final block/, /finality\.tag/],
  ["has an old final block", endpoint("b", { finalAt: NOW - 7_200 }), /120 minutes ago/, /Wait/],
  ["is down", { name: "b", problem: "b: status 500" }, /b does not answer: b: status 500/, /rails/],
])("an endpoint that %s is named, with what to do", (_title, odd, found, fix) => {
  const judged = judge([endpoint("own"), endpoint("a"), odd]);
  expect(judged.found).toMatch(found);
  expect(judged.fix).toMatch(fix);
});

test("an endpoint's weaknesses are told with its name, and each fix once", () => {
  const fix = "Use an endpoint that answers it, or a plan of its provider that has it.";
  const refused = (method: string, work: string) => ({
    found: `refuses ${method}, by which the service ${work} (b: ${method}: Method not found)`,
    fix,
  });
  const odd = {
    ...endpoint("b"),
    weaknesses: [
      refused("getBlocks", "finds gaps in its ledger"),
      refused("getBlockHeight", "proves a payout dead"),
    ],
  };
  expect(judge([endpoint("own"), odd])).toEqual({
    found:
      "b refuses getBlocks, by which the service finds gaps in its ledger (b: getBlocks: Method not found); b refuses getBlockHeight, by which the service proves a payout dead (b: getBlockHeight: Method not found)",
    fix,
  });
});

test("a few blocks apart and a network without the tag are not faults", () => {
  const near = endpoint("b", { head: 19_995n, headAt: NOW - 70, finalAt: undefined });
  expect(judge([endpoint("own"), near]).fix).toBeUndefined();
});

test("a chain of our own may be idle and start at any block", () => {
  const odd = endpoint("own", { headAt: NOW + 9_000, finalAt: null, isCatchingUp: true });
  const rules = { nowSeconds: NOW, silentSeconds: undefined };
  expect(judgeEndpoints({ forkHeight: 0n, endpoints: [odd] }, rules).fix).toBeUndefined();
});
