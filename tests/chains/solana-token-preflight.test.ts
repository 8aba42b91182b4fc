import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeSolanaSender } from "../../apps/server/src/adapters/chains/solana/sender.ts";
import { unitsBrought } from "../../apps/server/src/adapters/chains/solana/transaction.ts";
import type { Preflight } from "../../apps/server/src/domain/ports/chain-gateway.ts";
import type { DeadlineSender, UnderWay } from "../../apps/server/src/domain/ports/chain-sender.ts";
import { tokenAccountOf } from "../../apps/server/src/domain/wallets/solana.ts";
import { writeTransaction } from "../../apps/server/src/domain/wallets/solana-message.ts";
import { writeTokenMessage } from "../../apps/server/src/domain/wallets/solana-token-message.ts";
import { makeSolanaChain, type SolanaChain, strangerOf } from "./world/solana-chain.ts";
import { openTokens } from "./world/solana-instructions.ts";
import { type SolanaNode, startSolanaNode } from "./world/solana-node.ts";
import { fillTokens, newSolanaWallet } from "./world/solana-paying.ts";
import { USDC, USDT } from "./world/solana-tokens.ts";

const LEAST = 890_880n;
const RENT = 2_039_280n;
const FEE_MAX = 100_000n;
const SECRET = new Uint8Array(32).fill(7);

/** One node, whose word is enough. The wallet has a key of the tests. */
describe("the question whether tokens of Solana could be paid", () => {
  let chain: SolanaChain;
  let node: SolanaNode;
  let hot: string;
  let decimals: number;
  let gasFloor: bigint;

  beforeEach(async () => {
    chain = await makeSolanaChain();
    node = await startSolanaNode(chain);
    hot = (await strangerOf(SECRET)).address;
    decimals = 6;
    gasFloor = 0n;
  });
  afterEach(() => node.close());

  const MINTS: Readonly<Record<string, string>> = { "usdc-solana": USDC, "usdt-solana": USDT };
  const sender = (): DeadlineSender =>
    makeSolanaSender({
      endpoints: {
        networkCode: "solana",
        genesis: chain.genesis,
        endpoints: [{ name: "only", url: node.url, isOwn: true }],
        quorum: 1,
        timeoutMs: 20_000,
        finality: { tag: "finalized", atLeast: 32 },
        suspect: () => {},
      },
      wallet: { name: "hot", address: hot },
      signerSocket: "",
      feeMax: FEE_MAX,
      unitPriceMin: 0n,
      expirationSeconds: 3,
      graceBlocks: 4,
      tokenOf: (reference) => {
        const mint = MINTS[reference];
        return mint === undefined ? null : { mint, decimals };
      },
      gasFloor,
      pollMs: 50,
      now: Date.now,
    });
  const ask = async (
    payment: { readonly to?: string; readonly units?: bigint; readonly asset?: string } = {},
    payments: UnderWay["payments"] = [],
  ): Promise<Preflight> => {
    const { to = newSolanaWallet(), units = 1_000n, asset = "usdc-solana" } = payment;
    const common = { networkCode: "solana", intentId: "one", memo: null };
    const opened = sender();
    try {
      const question = { ...common, assetReference: asset, address: to, units };
      const { slot: readTo } = chain.head();
      return await opened.preflight(question, { readTo, payments, sends: payments.length });
    } finally {
      await opened.close();
    }
  };
  const whyOf = async (...question: Parameters<typeof ask>): Promise<string> => {
    const answer = await ask(...question);
    return "why" in answer ? `${answer.state}: ${answer.why}` : answer.state;
  };
  const fund = async (lamports: bigint, tokens: bigint): Promise<void> => {
    await chain.pay([{ to: hot, units: lamports }]);
    await fillTokens(chain, hot, tokens);
  };
  const paid = (units: bigint, asset = "usdc-solana") => ({ assetReference: asset, units });

  test("the wallet needs the fee, the rent of a new account and its own rent, to the lamport", async () => {
    await fund(LEAST + FEE_MAX + RENT - 1n, 1_000n);
    expect(await whyOf()).toContain(`has ${LEAST + FEE_MAX + RENT - 1n} lamports`);
    const opened = newSolanaWallet();
    await chain.send([openTokens(chain.faucet.address, opened, USDC)]);
    expect(await whyOf({ to: opened })).toBe("clear");
    await chain.pay([{ to: hot, units: 1n }]);
    expect(await whyOf()).toBe("clear");
  });

  test("a part of the rent that the account has already is not needed", async () => {
    await fund(LEAST + FEE_MAX + RENT - 900_000n, 1_000n);
    const to = newSolanaWallet();
    expect(await whyOf({ to })).toContain("wait");
    await chain.pay([{ to: tokenAccountOf(to, USDC), units: 900_000n }]);
    expect(await whyOf({ to })).toBe("clear");
  });

  test("payouts under way take their tokens, fees and accounts before", async () => {
    await fund(LEAST + 3n * (FEE_MAX + RENT), 1_000n);
    expect(await whyOf({ units: 600n }, [paid(400n)])).toBe("clear");
    expect(await whyOf({ units: 601n }, [paid(400n)])).toBe(
      `wait: the hot wallet ${hot} has 1000 units of usdc-solana, and 601 are needed, beside 400 of payouts under way`,
    );
    expect(await whyOf({ units: 1n }, [paid(1n), paid(1n)])).toBe("clear");
    expect(await whyOf({ units: 1n }, [paid(1n), paid(1n), paid(1n)])).toContain("lamports");
    expect(await whyOf({ units: 1n }, [paid(FEE_MAX + 2n * RENT, "sol")])).toBe("clear");
    expect(await whyOf({ units: 1n }, [paid(FEE_MAX + 2n * RENT + 1n, "sol")])).toContain("wait");
  });

  test("a payout of SOL leaves what payouts under way take, and the floor for tokens", async () => {
    await fund(10n ** 9n, 1n);
    const most = 10n ** 9n - FEE_MAX - LEAST;
    expect(await whyOf({ asset: "sol", units: most })).toBe("clear");
    const taken = FEE_MAX + RENT;
    expect(await whyOf({ asset: "sol", units: most }, [paid(1n)])).toContain(
      `1 transaction under way takes up to ${taken} of the wallet's lamports`,
    );
    expect(await whyOf({ asset: "sol", units: most - taken }, [paid(1n)])).toBe("clear");
    gasFloor = 5_000_000n;
    expect(await whyOf({ asset: "sol", units: most })).toContain("keeps 5000000 lamports");
    expect(await whyOf({ asset: "sol", units: most - gasFloor })).toBe("clear");
  });

  test("the mint must be one of the Token program, with the decimals of the catalogue", async () => {
    await fund(10n ** 9n, 1_000n);
    expect(await whyOf({ asset: "usdt-solana" })).toMatch(
      /^wait: .* its mint Es9v\w+ is an account of Tokenz\w+, and not of the Token program$/,
    );
    decimals = 9;
    expect(await whyOf()).toMatch(/^wait: .* has 6 decimals, and the catalogue says 9$/);
    decimals = 6;
    node.rewrite = ({ method, params }, answer) =>
      method === "getAccountInfo" && params[0] === USDC
        ? { ...(answer as object), value: null }
        : answer;
    expect(await whyOf()).toMatch(/is not on the network$/);
  });

  test("an address without a key is rejected, and so is a token account with one", async () => {
    await fund(10n ** 9n, 1_000n);
    const wallet = newSolanaWallet();
    expect(await whyOf({ to: tokenAccountOf(wallet, USDC) })).toMatch(
      /^rejected: .* nobody has a key of it$/,
    );
    await chain.send([openTokens(chain.faucet.address, wallet, USDC)]);
    expect(await whyOf({ to: tokenAccountOf(wallet, USDC) })).toMatch(
      /^rejected: .* is an account of a program/,
    );
    expect(await whyOf({ to: USDC })).toMatch(/^rejected: .* is an account of a program/);
  });

  test("the chain itself refuses a mint of Token-2022, wrong decimals, and tokens that are not there", async () => {
    await fund(10n ** 9n, 1_000n);
    const to = newSolanaWallet();
    const { keys } = await strangerOf(SECRET);
    const run = async (changes: object) => {
      const common = { from: hot, to, mint: USDC, decimals: 6, units: 1_000n, unitPrice: 0n };
      const message = writeTokenMessage({ ...common, blockhash: chain.head().hash, ...changes });
      const signature = await crypto.subtle.sign("Ed25519", keys.privateKey, message.slice());
      const executed = chain.execute(writeTransaction([new Uint8Array(signature)], message));
      return [executed?.error ?? null, chain.tokens(tokenAccountOf(to, USDC))] as const;
    };
    for (const changes of [{ mint: USDT }, { decimals: 9 }, { units: 1_001n }]) {
      const [error, arrived] = await run(changes);
      expect([error === null, arrived]).toEqual([false, 0n]);
    }
    expect(await run({})).toEqual([null, 1_000n]);
  });

  test("units count only in the wallet's own account of the mint", () => {
    const [to, other] = [newSolanaWallet(), newSolanaWallet()];
    const token = { mint: USDC, decimals: 6 };
    const own = { account: tokenAccountOf(to, USDC), mint: USDC, owner: to, units: 5n };
    const brought = (...tokens: readonly (typeof own)[]): bigint =>
      unitsBrought({ changes: new Map([[to, 7n]]), tokens }, to, token);
    expect(brought(own)).toBe(5n);
    expect(brought()).toBe(0n);
    expect(brought({ ...own, account: tokenAccountOf(other, USDC) })).toBe(0n);
    expect(brought({ ...own, owner: other })).toBe(0n);
    expect(brought({ ...own, mint: USDT })).toBe(0n);
    expect(unitsBrought({ changes: new Map([[to, 7n]]), tokens: [own] }, to, null)).toBe(7n);
  });
});
