import { expect, test } from "vitest";
import type { UnderWay } from "../../../domain/ports/chain-sender.ts";
import type { Quorum } from "../agree.ts";
import type { Rpc } from "../rpc.ts";
import { preflightOf } from "./preflight.ts";

const HOT = "TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6";
const TO = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";
const TOKEN = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const FEE_MAX = 50_000_000n;
/** The cost of the bytes of a transaction: 400 at 1,000 sun. */
const BYTES = 400_000n;
/** A trial takes 64,000 energy at 100 sun, and a quarter is added. */
const LIMIT = 8_000_000n;
const NEW_ACCOUNT = 1_100_000n;

interface Wallet {
  readonly coins: bigint;
  readonly energy?: bigint;
  readonly tokens?: bigint;
  readonly height?: bigint;
}

/** A node of Tron that has this wallet. */
const nodeOf = ({ coins, energy = 0n, tokens = 2_000n, height = 100n }: Wallet): Rpc => ({
  name: "node",
  ask: async (calls) =>
    calls.map(([method, body]) => {
      const { address, function_selector: selector } = (body ?? {}) as Record<string, string>;
      switch (method) {
        case "eth_blockNumber":
          return `0x${height.toString(16)}`;
        case "/wallet/getchainparameters":
          return { chainParameter: PRICES };
        case "/wallet/getaccount":
          return { address, balance: String(coins) };
        case "/wallet/getaccountresource":
          return { EnergyLimit: String(energy), freeNetLimit: "600", freeNetUsed: "600" };
        default: {
          const word = (selector === "balanceOf(address)" ? tokens : 0n).toString(16);
          return {
            result: { result: true },
            constant_result: [word.padStart(64, "0")],
            energy_used: "64000",
          };
        }
      }
    }),
  close: async () => {},
});
const PRICES = Object.entries({
  getEnergyFee: 100,
  getTransactionFee: 1_000,
  getCreateAccountFee: 100_000,
  getCreateNewAccountFeeInSystemContract: 1_000_000,
}).map(([key, value]) => ({ key, value: String(value) }));

/** Asks about a payout of 400 units beside the sends under way. Returns the reason to wait, or the state. */
async function ask(
  wallet: Wallet,
  assetReference: "trx" | "usdt-tron",
  underWay: UnderWay["payments"] = [],
): Promise<string> {
  const rpc = nodeOf(wallet);
  const quorum: Quorum = {
    agree: ({ ask: question }) => question(rpc),
    collect: async ({ ask: question }) => [
      { endpoint: { name: "node" } as never, value: await question(rpc) },
    ],
    close: async () => {},
  };
  const contractOf = (reference: string) => (reference === "trx" ? null : TOKEN);
  const options = {
    ...{ quorum, feeMax: FEE_MAX, gasFloor: 0n, pollMs: 100 },
    account: { address: HOT, contractOf },
    underWay: { readTo: 100n, payments: underWay, sends: underWay.length },
  };
  const payment = { intentId: "one", networkCode: "tron", address: TO, memo: null } as const;
  const answer = await preflightOf(options, { ...payment, assetReference, units: 400n });
  return answer.state === "wait" ? answer.why : answer.state;
}

const token = { assetReference: "usdt-tron", units: 400n };
const coins = { assetReference: "trx", units: 7_000n };

test("a payout of a token waits until the TRX cover the fees of those under way too", async () => {
  const needed = LIMIT + BYTES;
  expect(await ask({ coins: needed }, "usdt-tron")).toBe("clear");
  const all = needed + FEE_MAX + BYTES;
  expect(await ask({ coins: all }, "usdt-tron", [token])).toBe("clear");
  expect(await ask({ coins: all - 1n }, "usdt-tron", [token])).toBe(
    `the hot wallet ${HOT} has ${all - 1n} sun and 0 energy, and a fee of up to ${needed} sun is needed. 1 transaction under way takes up to ${FEE_MAX + BYTES} sun of it, and the energy first`,
  );
});

test("a call under way takes the energy that costs nothing before a payout does", async () => {
  // As much as the limit of one call, and of a quarter of another one.
  const energy = (FEE_MAX + LIMIT / 4n) / 100n;
  expect(await ask({ coins: BYTES, energy }, "usdt-tron")).toBe("clear");
  const all = 2n * BYTES + (LIMIT * 3n) / 4n;
  expect(await ask({ coins: all, energy }, "usdt-tron", [token])).toBe("clear");
  expect(await ask({ coins: all - 1n, energy }, "usdt-tron", [token])).toContain("is needed");
  const burnt = 2n * FEE_MAX - energy * 100n + 3n * BYTES + LIMIT;
  expect(await ask({ coins: burnt, energy }, "usdt-tron", [token, token])).toBe("clear");
  expect(await ask({ coins: burnt - 1n, energy }, "usdt-tron", [token, token])).toContain(
    "2 transactions under way take",
  );
});

test("the tokens of payouts under way are not paid twice", async () => {
  const rich = { coins: 10n ** 12n };
  expect(await ask({ ...rich, tokens: 800n }, "usdt-tron", [token, coins])).toBe("clear");
  expect(await ask({ ...rich, tokens: 799n }, "usdt-tron", [token])).toBe(
    `the hot wallet ${HOT} has too little usdt-tron beside 400 units of payouts under way`,
  );
});

test("a payout of TRX waits until the wallet covers the TRX and the fees of those under way too", async () => {
  const all = 400n + BYTES + coins.units + NEW_ACCOUNT + BYTES + FEE_MAX + BYTES;
  expect(await ask({ coins: all }, "trx", [token, coins])).toBe("clear");
  expect(await ask({ coins: all - 1n }, "trx", [token, coins])).toContain(
    `and 400 and a fee of up to ${BYTES} are needed. 2 transactions under way take`,
  );
});

test("a node that has not reached the scanner's block has no say", async () => {
  await expect(ask({ coins: 10n ** 12n, height: 99n }, "usdt-tron")).rejects.toThrow(
    "node: its balances are of block 99, below 100",
  );
});
