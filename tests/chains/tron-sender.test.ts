import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { toEvmForm } from "../../apps/server/src/adapters/chains/tron/addresses.ts";
import { makeTronSender } from "../../apps/server/src/adapters/chains/tron/sender.ts";
import type {
  ChainPayment,
  ChainSend,
  SignedTransaction,
} from "../../apps/server/src/domain/ports/chain-gateway.ts";
import type { DeadlineSender } from "../../apps/server/src/domain/ports/chain-sender.ts";
import { toTronForm } from "../../apps/server/src/domain/wallets/tron.ts";
import type { PolicyFile } from "../../apps/server/src/signer/policy.ts";
import {
  makeRelease,
  openTestSigner,
  signRelease,
  TEST_POLICY,
} from "../../apps/server/src/testing/signer.ts";
import { ANVIL_PATH, type Anvil, CHAIN_ID, startAnvil } from "./world/anvil.ts";
import { callData, creationData } from "./world/chain-world.ts";
import { TOKEN_CODES } from "./world/token-codes.ts";
import { startTronNode, type TronNode } from "./world/tron-node.ts";
import { newTronAddress, TRON_HOT } from "./world/tron-paying.ts";
import { NEW_ACCOUNT_SUN } from "./world/tron-sending.ts";

const FEE_MAX = 3_000_000n;
const FLOAT = 10n ** 9n;
/** A busy machine needs a long time between the newest block and the signature. */
const EXPIRATION_SECONDS = 300;
const limits = { paymentCents: 2_000_000, hourCents: 3_000_000, approvalAboveCents: 1_000_000 };
const hex = (value: bigint): string => `0x${value.toString(16)}`;

/** The sender of Tron against three servers in front of anvil, whose balances judge. */
describe.skipIf(ANVIL_PATH === "")("the sender of Tron", () => {
  let node: Anvil;
  let servers: readonly TronNode[];
  let sender: DeadlineSender;
  let token: string;
  let honest: string;
  let signer: ReturnType<typeof openTestSigner>;

  beforeAll(async () => {
    node = await startAnvil(CHAIN_ID, { "base-fee": 0 });
    const [from = ""] = await node.call<string[]>("eth_accounts");
    const made = await node.call("eth_sendTransaction", { from, data: creationData("Token") });
    const receipt = await node.call<{ contractAddress: string }>("eth_getTransactionReceipt", made);
    token = receipt.contractAddress;
    honest = await node.call("eth_getCode", token, "latest");
    await node.call("anvil_dealERC20", toEvmForm(TRON_HOT), token, hex(FLOAT));
    await node.call("anvil_setBalance", toEvmForm(TRON_HOT), hex(FLOAT));
    await mine(20);
    servers = await Promise.all([0, 1, 2].map(() => startTronNode(node.url)));
    const policy: PolicyFile = {
      ...TEST_POLICY,
      networks: {
        tron: {
          kind: "tron",
          chainId: CHAIN_ID,
          expirationSecondsMax: 600,
          feeMax: "50000000",
          feeMaxPerDay: "1000000000",
          dayCents: 5_000_000,
        },
      },
      wallets: { "tron-hot": { network: "tron", keystore: "hot", path: "m/44'/195'/0'/0/0" } },
      assets: {
        trx: { network: "tron", decimals: 6, centsPerCoin: 25, ...limits },
        "usdt-tron": {
          network: "tron",
          contract: toTronForm(token),
          decimals: 6,
          centsPerCoin: 100,
          ...limits,
        },
      },
      denied: [],
    };
    signer = openTestSigner(policy);
    sender = senderOf(TRON_HOT);
  });
  afterAll(async () => {
    await sender?.close();
    await Promise.all((servers ?? []).map((server) => server.close()));
    await node?.kill();
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const server of servers) {
      Object.assign(server, {
        takes: true,
        before: () => {},
        rewrite: (_: unknown, answer: unknown) => answer,
      });
    }
    await node.call("anvil_setCode", token, honest);
  });

  const senderOf = (address: string): DeadlineSender =>
    makeTronSender({
      endpoints: {
        networkCode: "tron",
        chainId: CHAIN_ID,
        genesis: undefined,
        // The first server is the operator's own node.
        endpoints: servers.map(({ url }, at) => ({ name: `node ${at}`, url, isOwn: at === 0 })),
        quorum: 2,
        timeoutMs: 20_000,
        finality: { tag: "finalized", atLeast: 9 },
        suspect: () => {},
      },
      wallet: { name: "tron-hot", address },
      contractOf: (reference) => (reference === "trx" ? null : toTronForm(token)),
      signerSocket: "/nowhere",
      feeMax: FEE_MAX,
      gasFloor: 0n,
      expirationSeconds: EXPIRATION_SECONDS,
      graceMs: 1_000,
      pollMs: 10,
    });
  const mine = (blocks: number) => node.call("anvil_mine", hex(BigInt(blocks)), "0x0");
  const paymentOf = (changes: Partial<ChainPayment> = {}): ChainPayment => ({
    networkCode: "tron",
    intentId: randomUUID(),
    assetReference: "usdt-tron",
    address: newTronAddress(),
    memo: null,
    units: 1_000_000n,
    ...changes,
  });
  const sendOf = (payment: ChainPayment): ChainSend => ({
    id: randomUUID(),
    networkCode: "tron",
    purpose: "payout",
    place: null,
    outputs: [payment],
  });
  /** Returns a send, and its transaction as the signer of the tests signed it. */
  const signed = async (changes: Partial<ChainPayment> = {}) => {
    const payment = paymentOf(changes);
    const { address, intentId: intent, assetReference: asset, units } = payment;
    const send = sendOf(payment);
    // A deadline begins at the newest block, which Tron makes each three seconds.
    await mine(1);
    const terms = await sender.feeTerms(send);
    const place = { kind: "until", ...sender.deadlineOf(terms), after: null } as const;
    // The chain is ahead of the clock once a deadline has passed.
    const releasedAt = new Date(Number(terms["timestamp"]));
    signer.setTime(releasedAt.getTime());
    const wallet = { network: "tron", wallet: "tron-hot" };
    const words = { ...wallet, address, intent, asset, units, place, releasedAt };
    const release = signRelease(makeRelease(words));
    const { expiration, timestamp } = terms;
    const numbers = { expiration: Number(expiration), timestamp: Number(timestamp) };
    const answer = signer.sign({ op: "pay_tron", release, terms: { ...terms, ...numbers } });
    const bytes = Buffer.from(answer.bytes, "hex");
    const transaction = { networkCode: "tron", transactionHash: answer.hash, bytes };
    return { send, transaction, address };
  };
  const follow = async (
    { send, transaction }: { send: ChainSend; transaction: SignedTransaction },
    finalHeight?: bigint,
  ) => {
    const scanned = finalHeight ?? BigInt(await node.call("eth_blockNumber")) - 8n;
    return sender.follow(send, [transaction], { finalHeight: scanned, terms: undefined });
  };
  /** Nothing is final at a look that the operator's own node answers late. */
  const outcomeOf = (one: Parameters<typeof follow>[0]) => expect.poll(() => follow(one));
  const coinsOf = async (address: string): Promise<bigint> =>
    BigInt(await node.call("eth_getBalance", toEvmForm(address), "latest"));
  const tokensOf = async (address: string): Promise<bigint> => {
    const data = callData("balanceOf(address)", toEvmForm(address));
    return BigInt(await node.call("eth_call", { to: token, data }, "latest"));
  };
  const rewriteAt = (at: number, change: TronNode["rewrite"]) => {
    const server = servers[at];
    if (server) server.rewrite = change;
  };
  const METHOD = "/wallet/broadcasthex";
  const BEYOND_SECONDS = EXPIRATION_SECONDS + 5;
  /** Lets the deadline pass on the chain. */
  const passDeadline = async () => {
    await node.call("evm_increaseTime", BEYOND_SECONDS);
    await mine(10);
  };

  describe("before a payment", () => {
    test("a wallet with enough of both pays", async () => {
      const { units } = paymentOf();
      for (const assetReference of ["trx", "usdt-tron"]) {
        const payment = paymentOf({ assetReference, units });
        expect(await sender.preflight(payment)).toEqual({ state: "clear" });
      }
    });

    test.each<[string, Partial<ChainPayment>, RegExp]>([
      ["tokens", { units: FLOAT + 1n }, /has too little usdt-tron/],
      ["TRX", { assetReference: "trx", units: FLOAT }, /and 1000000000 and a fee of up to/],
    ])("a wallet with too few %s waits, and says so", async (_, payment, why) => {
      const answer = await sender.preflight(paymentOf(payment));
      expect(answer).toMatchObject({ state: "wait", why: expect.stringMatching(why) });
    });

    test("a wallet with tokens and no TRX or energy waits, and pays once energy is staked", async () => {
      const address = newTronAddress();
      await node.call("anvil_dealERC20", toEvmForm(address), token, hex(FLOAT));
      await node.call("anvil_setBalance", toEvmForm(address), "0x0");
      const poor = senderOf(address);
      const why = expect.stringContaining("has 0 sun and 0 energy");
      expect(await poor.preflight(paymentOf())).toMatchObject({ state: "wait", why });
      for (const at of [0, 1, 2]) {
        rewriteAt(at, ({ method }, answer) =>
          method.endsWith("getaccountresource")
            ? { EnergyLimit: 200_000, freeNetLimit: 600 }
            : answer,
        );
      }
      expect(await poor.preflight(paymentOf())).toEqual({ state: "clear" });
      await poor.close();
    });

    test("the first payment of TRX to an address needs 1.1 TRX more", async () => {
      const used = newTronAddress();
      await node.call("anvil_setBalance", toEvmForm(used), "0x1");
      const units = (await coinsOf(TRON_HOT)) - 1_000_000n;
      const trx = { assetReference: "trx", units };
      expect(await sender.preflight(paymentOf({ ...trx, address: used }))).toEqual({
        state: "clear",
      });
      expect(await sender.preflight(paymentOf(trx))).toMatchObject({ state: "wait" });
    });

    test("TRX for a contract, and a token that reverts, are refused", async () => {
      const trx = paymentOf({ assetReference: "trx", address: toTronForm(token) });
      expect(await sender.preflight(trx)).toMatchObject({ state: "rejected" });
      await node.call("anvil_setCode", token, TOKEN_CODES.reverting);
      expect(await sender.preflight(paymentOf())).toMatchObject({ state: "rejected" });
    });

    test("a call that would burn more than the limit waits, and has no terms", async () => {
      for (const at of [0, 1, 2]) {
        rewriteAt(at, ({ method }, answer) =>
          method.endsWith("triggerconstantcontract")
            ? { ...(answer as object), energy_used: 3_000_000 }
            : answer,
        );
      }
      const why = expect.stringContaining("above the limit of 3000000");
      expect(await sender.preflight(paymentOf())).toMatchObject({ state: "wait", why });
      await expect(sender.feeTerms(sendOf(paymentOf()))).rejects.toThrow("may burn");
    });

    test("one endpoint sets neither the deadline nor the price, and terms are within the limit", async () => {
      rewriteAt(1, ({ method }, answer) => {
        const { timestamp } = (answer ?? {}) as { timestamp?: string };
        if (timestamp) return { ...(answer as object), timestamp: "0xffffffff" };
        return method.endsWith("getchainparameters") ? { chainParameter: [] } : answer;
      });
      const terms = await sender.feeTerms(sendOf(paymentOf()));
      const aheadMs = Number(terms["expiration"]) - Number(terms["timestamp"]);
      expect(aheadMs).toBeGreaterThanOrEqual(EXPIRATION_SECONDS * 1_000);
      expect(aheadMs).toBeLessThan(EXPIRATION_SECONDS * 1_000 + 1_000);
      const head = await node.call<{ timestamp: string }>("eth_getBlockByNumber", "latest", false);
      expect(Number(terms["timestamp"])).toBe(Number(head.timestamp) * 1_000);
      expect(BigInt(terms["feeLimit"] ?? 0)).toBeLessThanOrEqual(FEE_MAX);
    });
  });

  describe("a transaction", () => {
    test.each(["trx", "usdt-tron"])(
      "of %s is mined, final by the scanner too, and costs what the chain burnt",
      async (assetReference) => {
        const before = await coinsOf(TRON_HOT);
        const one = await signed({ assetReference });
        expect(await follow(one)).toMatchObject({ state: "waiting", isKnown: false });
        await sender.broadcast(one.transaction);
        expect(await follow(one)).toMatchObject({ state: "mined", confirmations: 1 });
        await mine(10);
        // The scanner has not read its block as a final one.
        expect(await follow(one, 1n)).toMatchObject({ state: "mined" });
        const moved = assetReference === "trx" ? coinsOf : tokensOf;
        expect(await moved(one.address)).toBe(1_000_000n);
        const paid = assetReference === "trx" ? 1_000_000n : 0n;
        const networkFee = before - (await coinsOf(TRON_HOT)) - paid;
        await outcomeOf(one).toMatchObject({ state: "final", networkFee });
        if (assetReference === "trx") expect(networkFee).toBeGreaterThan(NEW_ACCOUNT_SUN);
      },
    );

    test("that nodes have, or refuse for now, is not an error, and moves once", async () => {
      const one = await signed();
      for (const code of ["TAPOS_ERROR", "SERVER_BUSY", "BLOCK_UNSOLIDIFIED"]) {
        for (const server of servers) server.takes = false;
        for (const at of [0, 1, 2]) rewriteAt(at, () => ({ result: false, code, message: "" }));
        await sender.broadcast(one.transaction);
      }
      const codes: unknown[] = [];
      for (const at of [0, 1, 2]) {
        rewriteAt(at, (question, answer) => {
          if (question.method === METHOD) codes.push((answer as { code?: unknown }).code);
          return answer;
        });
      }
      for (const server of servers) server.takes = true;
      await sender.broadcast(one.transaction);
      await sender.broadcast(one.transaction);
      // A broadcast does not wait long for the last endpoint.
      await expect.poll(() => codes).toHaveLength(6);
      expect(codes.filter((code) => code !== "DUP_TRANSACTION_ERROR")).toEqual(["SUCCESS"]);
      expect(await tokensOf(one.address)).toBe(1_000_000n);
    });

    test("that every node refuses for good is an error, until its deadline has passed", async () => {
      const one = await signed();
      const last = one.transaction.bytes.length - 2;
      const bytes = Uint8Array.from(one.transaction.bytes);
      bytes[last] = (bytes[last] ?? 0) ^ 1;
      const forged = { ...one.transaction, bytes };
      await expect(sender.broadcast(forged)).rejects.toThrow("SIGERROR");
      await passDeadline();
      await sender.broadcast(forged);
    });

    test.each([
      ["runs out of energy", TOKEN_CODES.endless, "OUT_OF_ENERGY"],
      ["is reverted", TOKEN_CODES.reverting, "REVERT"],
    ])("that %s has failed, and its fee is burnt", async (_, code, result) => {
      const before = await coinsOf(TRON_HOT);
      const one = await signed();
      await node.call("anvil_setCode", token, code);
      await sender.broadcast(one.transaction);
      await mine(10);
      const networkFee = before - (await coinsOf(TRON_HOT));
      const why = expect.stringContaining(result);
      await outcomeOf(one).toMatchObject({ state: "failed", why, networkFee });
      await node.call("anvil_setCode", token, honest);
      expect(await tokensOf(one.address)).toBe(0n);
    });

    test("of a token that reports no transfer is a mismatch, which people decide", async () => {
      const one = await signed();
      await node.call("anvil_setCode", token, TOKEN_CODES.false);
      await sender.broadcast(one.transaction);
      await mine(10);
      await outcomeOf(one).toMatchObject({ state: "mismatch" });
    });

    test("is final although one endpoint is behind or lies", async () => {
      const one = await signed();
      await sender.broadcast(one.transaction);
      await mine(10);
      rewriteAt(2, ({ method }, answer) =>
        method.endsWith("gettransactioninfobyid") ? {} : answer,
      );
      await outcomeOf(one).toMatchObject({ state: "final" });
      rewriteAt(2, ({ method }, answer) =>
        method.endsWith("gettransactioninfobyid")
          ? { ...(answer as object), receipt: { result: "REVERT" }, result: "FAILED" }
          : answer,
      );
      await outcomeOf(one).toMatchObject({ state: "final" });
    });
  });

  test("a transaction is dead only when blocks, scanner and enough nodes are beyond its deadline", async () => {
    const dropped = await signed();
    const paid = await signed({ units: 2_000_000n });
    for (const server of servers) server.takes = false;
    await sender.broadcast(dropped.transaction);
    for (const server of servers) server.takes = true;
    await sender.broadcast(paid.transaction);
    const head = BigInt(await node.call("eth_blockNumber"));
    // The clock is beyond the deadline, and the chain is not: a block may have it yet.
    const { timestamp } = await node.call<{ timestamp: string }>(
      "eth_getBlockByNumber",
      ...["latest", false],
    );
    const beyondSeconds = Number(timestamp) + 2 * BEYOND_SECONDS;
    vi.useFakeTimers({ toFake: ["Date"], now: beyondSeconds * 1_000 });
    expect(await follow(dropped, head)).toMatchObject({ state: "waiting" });
    vi.useRealTimers();
    await passDeadline();
    // The scanner is not.
    expect(await follow(dropped, head)).toMatchObject({ state: "waiting" });
    // The operator's own node has not reached the deadline.
    const early = "0x1";
    rewriteAt(0, ({ params }, answer) =>
      params[0] === "finalized" ? { ...(answer as object), timestamp: early } : answer,
    );
    expect(await follow(dropped)).toMatchObject({ state: "waiting" });
    rewriteAt(0, (_, answer) => answer);
    const by = expect.stringMatching(/^deadline:\d+$/);
    await outcomeOf(dropped).toMatchObject({ state: "lost", by });
    // Two nodes that lost their blocks do not make a paid transaction dead against the operator's own.
    for (const at of [1, 2]) {
      rewriteAt(at, ({ method }, answer) =>
        method.endsWith("gettransactioninfobyid") ? {} : answer,
      );
    }
    expect(await follow(paid)).toMatchObject({ state: "waiting" });
    await sender.broadcast(dropped.transaction);
    expect(await tokensOf(dropped.address)).toBe(0n);
    expect(await tokensOf(paid.address)).toBe(2_000_000n);
  });
});
