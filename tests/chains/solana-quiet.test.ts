import { pbkdf2Sync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  depositAddressOf,
  fingerprintOfAccount,
} from "../../apps/server/src/domain/wallets/solana.ts";
import { deriveEd25519 } from "../../apps/server/src/signer/slip10.ts";
import { insertAddress } from "../../apps/server/src/storage/chains/addresses.ts";
import { TEST_WORDS } from "../../apps/server/src/testing/signer.ts";
import { type Stranger, strangerOf } from "./world/solana-chain.ts";
import { Refused, type SolanaNode, type SolanaQuestion } from "./world/solana-node.ts";
import { makeSolanaWorld, SOLANA, SOLANA_ACCOUNT, type SolanaWorld } from "./world/solana-world.ts";

const SOL = 10n ** 9n;

/** Addresses that nothing happened to are passed over, and no payment is. */
describe("quiet addresses of Solana", () => {
  let world: SolanaWorld;
  let account: Stranger;

  beforeEach(async () => {
    world = await makeSolanaWorld();
    const seed = pbkdf2Sync(TEST_WORDS.deposits, "mnemonic", 2_048, 64, "sha512");
    account = await strangerOf(deriveEd25519(seed, "m/44'/501'/0'/0'"));
    await world.chain.pay([{ to: account.address, units: 100n * SOL }]);
    await world.settle();
  });
  afterEach(() => world.close());

  const pay = (index: number, units: bigint) =>
    world.chain.pay([{ to: world.address(index), units }]);
  const collect = (index: number, units: bigint) => {
    const { address: from, seed } = depositAddressOf(SOLANA_ACCOUNT, index);
    return world.chain.payWithSeed(account, seed, { from, to: account.address, units });
  };
  const atEach = (changes: Partial<SolanaNode>): void => {
    for (const server of world.servers) Object.assign(server, changes);
  };
  /** Returns the questions that the first server is asked meanwhile. */
  const questionsOf = async (
    happen: () => Promise<unknown>,
  ): Promise<readonly SolanaQuestion[]> => {
    const questions: SolanaQuestion[] = [];
    const [first] = world.servers;
    const before = first?.before;
    if (!first || !before) return [];
    first.before = (question) => {
      questions.push(question);
      return before(question);
    };
    await happen();
    first.before = before;
    return questions;
  };
  const listedOf = (questions: readonly SolanaQuestion[]): readonly unknown[] =>
    questions.flatMap(({ method, params }) =>
      method === "getSignaturesForAddress" ? [params[0]] : [],
    );
  const isPrefilter = ({ method, params }: SolanaQuestion): boolean =>
    method === "getMultipleAccounts" &&
    (params[1] as { readonly commitment: string }).commitment === "confirmed";
  /** Something happens once, before a balance is answered for the first time. */
  const beforeBalances = (happen: () => Promise<unknown>): void => {
    let happened: Promise<unknown> | undefined;
    atEach({
      before: async (question) => {
        if (!isPrefilter(question)) return;
        happened ??= happen();
        await happened;
      },
    });
  };
  const watch = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      await insertAddress(world.database, {
        networkCode: SOLANA,
        reference: String(1_000 + index),
        accountFingerprint: fingerprintOfAccount(SOLANA_ACCOUNT),
        keyIndex: index,
        address: depositAddressOf(SOLANA_ACCOUNT, index).address,
      });
    }
  };
  /** The index of an endpoint lacks the newest block until it was asked for this number of times. */
  const indexAfter = (questions: number): void => {
    for (const server of world.servers) {
      const newest = world.chain.head().slot;
      let blockRequests = 0;
      server.before = ({ method, params: [slot] }) => {
        if (method !== "getBlock" || slot !== Number(newest)) return;
        blockRequests += 1;
        if (blockRequests <= questions)
          throw new Refused(-32_014, `Block status not yet available for slot ${slot}`);
      };
    }
  };
  /** The newest block of the poll is the one below that of the balances. */
  const aboveThePoll = (): void =>
    atEach({
      rewrite: ({ method, params: [words] }, answer) =>
        method === "getSlot" &&
        (words as { readonly commitment: string }).commitment === "confirmed"
          ? world.chain.head().slot - 1n
          : answer,
    });
  const sourcesOf = async (index: number): Promise<readonly string[]> =>
    (await world.movements(index)).map(({ source, units }) => `${source} ${units}`);

  test("a quiet poll asks about a hundred addresses at once, and lists the account alone", async () => {
    await watch(6, 250);
    world.chain.mine(1);
    const questions = await questionsOf(() => world.step());
    expect(questions.filter(isPrefilter)).toHaveLength(3);
    expect(listedOf(questions)).toEqual([SOLANA_ACCOUNT]);
    await pay(200, SOL);
    expect(listedOf(await questionsOf(() => world.step()))).toEqual([
      SOLANA_ACCOUNT,
      depositAddressOf(SOLANA_ACCOUNT, 200).address,
    ]);
  });

  test("an address is listed until its deposit is final, and is quiet with its coins afterwards", async () => {
    await pay(0, SOL);
    await world.scan();
    world.chain.mine(1);
    expect(listedOf(await questionsOf(() => world.scan()))).toContain(world.address(0));
    await world.settle();
    world.chain.mine(1);
    expect(listedOf(await questionsOf(() => world.scan()))).toEqual([SOLANA_ACCOUNT]);
    await pay(0, 2n * SOL);
    await world.settle();
    expect(await world.credited()).toEqual({ 0: 3n * SOL });
  });

  test("a deposit that the key of the account collects between two polls is credited", async () => {
    await pay(0, SOL);
    await collect(0, SOL);
    await pay(1, 5n * SOL);
    await world.settle();
    await pay(1, 2n * SOL);
    await collect(1, 2n * SOL);
    await world.settle();
    expect(await sourcesOf(0)).toEqual([`value ${SOL}`]);
    expect(await sourcesOf(1)).toEqual([`value ${5n * SOL}`, `value ${2n * SOL}`]);
    expect(await world.credited()).toEqual({ 0: SOL, 1: 7n * SOL });
    expect(await world.holds()).toEqual({ 1: 5n * SOL });
  });

  test("a deposit that is collected above the blocks of the poll is seen in its own block", async () => {
    await pay(2, SOL);
    beforeBalances(() => collect(2, SOL));
    expect(await world.step()).toBe("done");
    expect(await sourcesOf(2)).toEqual([`value ${SOL}`]);
    await world.settle();
    expect(await world.credited()).toEqual({ 2: SOL });
  });

  test("balances of a block that the list may lack say nothing, so every address is listed", async () => {
    await pay(2, SOL);
    beforeBalances(() => collect(2, SOL));
    const above = world.chain.head().slot + 1n;
    const [first] = world.servers;
    const before = first?.before;
    atEach({
      before: async (question) => {
        await before?.(question);
        const { method, params } = question;
        if (method !== "getBlock" || params[0] !== Number(above)) return;
        throw new Refused(-32_004, `Block not available for slot ${above}`);
      },
      // The index has no transaction of the block yet.
      rewrite: ({ method, params }, answer) =>
        method === "getSignaturesForAddress" && params[0] === SOLANA_ACCOUNT
          ? (answer as readonly { readonly slot: bigint }[]).filter(({ slot }) => slot < above)
          : answer,
    });
    await world.step();
    expect(await sourcesOf(2)).toEqual([`value ${SOL}`]);
  });

  test("an endpoint whose index lacks its newest block for a moment is asked again", async () => {
    world.chain.mine(2);
    indexAfter(1);
    aboveThePoll();
    expect(listedOf(await questionsOf(() => world.step()))).toEqual([SOLANA_ACCOUNT]);
  });

  test("many addresses are not listed because the index lacks the newest block", async () => {
    await watch(6, 60);
    world.chain.mine(2);
    indexAfter(Number.POSITIVE_INFINITY);
    aboveThePoll();
    const questions = await questionsOf(async () => expect(await world.step()).toBe("failed"));
    expect(listedOf(questions)).toEqual([]);
    atEach({ before: () => {}, rewrite: (_, answer) => answer });
    expect(await world.step()).not.toBe("failed");
  });

  test("an endpoint whose list ends below its balances is behind, and no fault is told", async () => {
    await pay(3, SOL);
    atEach({
      before: ({ method }) => {
        if (method !== "getSignaturesForAddress") return;
        throw new Refused(-32_016, "Minimum context slot has not been reached");
      },
    });
    expect(await world.step()).toBe("failed");
    expect(await world.problem()).not.toContain("Minimum context slot");
    atEach({ before: () => {} });
    await world.settle();
    expect(await world.credited()).toEqual({ 3: SOL });
  });

  test("more addresses than one request of a validator takes are asked about in several", async () => {
    await watch(6, 1_100);
    await pay(1_090, SOL);
    const questions = await questionsOf(async () => expect(await world.step()).toBe("done"));
    expect(questions.filter(isPrefilter)).toHaveLength(11);
    expect(await sourcesOf(1_090)).toEqual([`value ${SOL}`]);
  });

  test("a busy account is not looked through, and every address is listed", async () => {
    const { address } = await world.chain.stranger(SOL);
    for (let turn = 0; turn < 50; turn += 1) {
      await world.chain.pay([{ to: address, units: BigInt(turn + 1) }], account);
    }
    expect(listedOf(await questionsOf(() => world.step()))).not.toContain(world.address(0));
    for (let turn = 0; turn < 51; turn += 1) {
      await world.chain.pay([{ to: address, units: BigInt(turn + 1) }], account);
    }
    expect(listedOf(await questionsOf(() => world.step()))).toContain(world.address(0));
  });

  test("balances of a block below the poll's are not believed, and nothing advances", async () => {
    const before = world.chain.head().slot;
    await pay(3, SOL);
    // They say a slot that is not reached, or an earlier one, and the balance of before in both cases.
    const old = { context: { slot: before }, value: Array.from({ length: 6 }, () => null) };
    atEach({ rewrite: (question, answer) => (isPrefilter(question) ? old : answer) });
    expect(await world.step()).toBe("failed");
    atEach({
      rewrite: (_, answer) => answer,
      before: (question) => {
        if (isPrefilter(question))
          throw new Refused(-32_016, "Minimum context slot has not been reached");
      },
    });
    expect(await world.step()).toBe("failed");
    expect(await sourcesOf(3)).toEqual([]);
    atEach({ before: () => {} });
    await world.settle();
    expect(await sourcesOf(3)).toEqual([`value ${SOL}`]);
  });

  test("an answer with an account too many is a fault of its endpoint", async () => {
    await pay(4, SOL);
    const [first] = world.servers;
    if (first) {
      first.rewrite = (question, answer) => {
        if (!isPrefilter(question)) return answer;
        const { value, ...rest } = answer as { readonly value: readonly unknown[] };
        return { ...rest, value: [null, ...value] };
      };
    }
    await world.settle();
    expect(await sourcesOf(4)).toEqual([`value ${SOL}`]);
    expect(world.suspects).toEqual([]);
  });

  test("an address of another account, or of a program, is always listed", async () => {
    const other = await world.chain.stranger();
    await insertAddress(world.database, {
      networkCode: SOLANA,
      reference: "2000",
      accountFingerprint: "00000000",
      keyIndex: 500,
      address: other.address,
    });
    world.chain.mine(1);
    const owned = world.address(5);
    atEach({
      rewrite: (question, answer) => {
        const { value, ...rest } = answer as { readonly value: readonly unknown[] };
        if (!isPrefilter(question)) return answer;
        const all = question.params[0] as readonly string[];
        const owner = "Stake11111111111111111111111111111111111111";
        const account = { lamports: 0, owner, data: ["", "base64"] };
        return { ...rest, value: all.map((one, at) => (one === owned ? account : value[at])) };
      },
    });
    const questions = await questionsOf(() => world.scan());
    expect(listedOf(questions)).toEqual([SOLANA_ACCOUNT, owned, other.address]);
  });

  test("endpoints that list different addresses agree, even if a failed transaction names one", async () => {
    const payer = await world.chain.stranger(SOL);
    await world.settle();
    // The second transfer fails, so the first one is undone.
    const both = [0, 1].map((index) => ({ to: world.address(index), units: (SOL * 3n) / 4n }));
    await world.chain.pay(both, payer);
    world.chain.mine(3);
    const [first] = world.servers;
    if (first) {
      first.rewrite = (question, answer) => {
        if (!isPrefilter(question)) return answer;
        const { value, ...rest } = answer as { readonly value: readonly unknown[] };
        return { ...rest, value: value.map((one) => one ?? { lamports: 1 }) };
      };
    }
    expect(await world.step()).toBe("done");
    expect(world.suspects).toEqual([]);
  });
});
