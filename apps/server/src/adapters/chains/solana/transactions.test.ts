import { expect, test } from "vitest";
import { TOKEN_PROGRAM } from "../../../domain/wallets/solana.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { costOf, readTransactions } from "./transactions.ts";

/** A transaction of three accounts, as a node tells it. The second and the third one are token accounts after it. */
const ACCOUNTS = ["payer", "first", "second"];
const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const WRAPPED_SOL = "So11111111111111111111111111111111111111112";
const RENT = 2_039_280n;
const FEE = 5_000n;
const HELD = 10n ** 12n;

const tokensAt = (accountIndex: number, mint = USDC) => ({
  ...{ accountIndex, mint, owner: "owner", programId: TOKEN_PROGRAM },
  uiTokenAmount: { amount: "5" },
});
const balances = (...units: readonly bigint[]): readonly string[] => units.map(String);
const META = {
  err: null,
  fee: String(FEE),
  preBalances: balances(HELD, 0n, 0n),
  postBalances: balances(HELD - FEE - RENT, RENT, 0n),
  preTokenBalances: [] as readonly object[],
  postTokenBalances: [tokensAt(1)] as readonly object[],
};
const read = async (meta: object) => {
  const transaction = { signatures: ["one"], message: { accountKeys: ACCOUNTS } };
  const answer = { slot: 7, transaction, meta: { ...META, ...meta } };
  const rpc: Rpc = { name: "node", ask: async () => [answer], close: async () => {} };
  const [found] = await readTransactions(rpc, ["one"], "confirmed");
  if (!found) throw new Error("there is no transaction");
  return found;
};

test.each(["preTokenBalances", "postTokenBalances"])(
  "an endpoint that leaves %s out is not believed",
  async (list) => {
    for (const value of [undefined, null, {}]) {
      await expect(read({ [list]: value })).rejects.toThrow(EndpointFault);
    }
    await expect(read({ preTokenBalances: [], postTokenBalances: [] })).resolves.toBeDefined();
  },
);

test("the rent of new token accounts is a part of the cost", async () => {
  expect(costOf(await read({}))).toBe(FEE + RENT);
  const both = await read({
    postBalances: balances(HELD - FEE - 2n * RENT, RENT, RENT),
    postTokenBalances: [tokensAt(1), tokensAt(2)],
  });
  expect(costOf(both)).toBe(FEE + 2n * RENT);
});

test("an account that was there before costs nothing, and neither does one that somebody else paid for", async () => {
  expect(costOf(await read({ preTokenBalances: [tokensAt(1)] }))).toBe(FEE);
  const ofOthers = await read({
    preBalances: balances(HELD, 0n, RENT),
    postBalances: balances(HELD - FEE, RENT, 0n),
  });
  expect(costOf(ofOthers)).toBe(FEE);
});

test.each([
  ["wrapped SOL", WRAPPED_SOL],
  ["another token", USDC],
])("lamports above the rent of a new account of %s are not a cost", async (_, mint) => {
  const stolen = 100n * 10n ** 9n;
  const found = await read({
    postBalances: balances(HELD - FEE - RENT - stolen, RENT + stolen, 0n),
    postTokenBalances: [tokensAt(1, mint)],
  });
  expect(costOf(found)).toBe(FEE + RENT);
  expect(found.changes.get("payer")).toBe(-RENT - stolen);
});
