import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeXrpSender } from "../../apps/server/src/adapters/chains/xrp/sender.ts";
import type { ChainPayment, ChainSend } from "../../apps/server/src/domain/ports/chain-gateway.ts";
import { type ChainSender, FeeTooHigh } from "../../apps/server/src/domain/ports/chain-sender.ts";
import { hotKeysAt } from "../../apps/server/src/testing/signer.ts";
import { type LiveSigner, makeLiveSigner } from "./world/live-signer.ts";
import { makeXrpChain, type XrpChain } from "./world/xrp-ledger.ts";
import { LOST, startXrpNode, type XrpNode } from "./world/xrp-node.ts";
import { newXrpAddress } from "./world/xrp-paying.ts";
import { fund, makeStranger, payment, withKeys } from "./world/xrp-strangers.ts";
import { STRANGER_SEED, XRP_HOT, XRPL } from "./world/xrp-world.ts";

const LEDGERS = 4;

/** The sender alone, with a real signer, before servers of a ledger of the tests. */
describe("a sender on the XRP Ledger", () => {
  let chain: XrpChain;
  let servers: readonly XrpNode[];
  let signer: LiveSigner;
  let sender: ChainSender;

  beforeEach(async () => {
    chain = makeXrpChain();
    fund(chain, XRP_HOT, { balance: 10n ** 9n, sequence: 50 });
    chain.close(220);
    servers = await Promise.all([0, 1, 2].map(() => startXrpNode(chain)));
    const limits = { paymentCents: 200_000, hourCents: 3_000_000, approvalAboveCents: 100_000 };
    signer = await makeLiveSigner({
      installation: "shop-1",
      chainId: 1,
      contracts: { usdt: "", usdc: "" },
      change: (policy) => ({
        ...policy,
        networks: {
          [XRPL]: {
            ...{ kind: "xrp", networkId: chain.networkId, feeMax: "20000" },
            ...{ feeMaxPerDay: "1000000", dayCents: 5_000_000 },
          },
        },
        wallets: { "xrpl-hot": { network: XRPL, keystore: "hot", path: "m/44'/144'/0'/0/0" } },
        assets: { xrp: { network: XRPL, decimals: 6, centsPerCoin: 220, ...limits } },
        denied: [],
      }),
    });
    sender = makeXrpSender({
      endpoints: {
        networkCode: XRPL,
        networkId: chain.networkId,
        endpoints: servers.map(({ url }, at) => ({ name: `node-${at}`, url, isOwn: at === 0 })),
        quorum: 2,
        timeoutMs: 20_000,
        suspect: () => {},
      },
      wallet: { name: "xrpl-hot", address: XRP_HOT },
      signerSocket: signer.socket,
      feeMax: 10_000n,
      floor: 1_000_000n,
      ledgers: LEDGERS,
      pollMs: 50,
    });
  });
  afterEach(async () => {
    await sender.close();
    await signer.close();
    await Promise.all(servers.map((server) => server.close()));
  });

  const hole = (nonce: bigint): ChainSend => ({
    ...{ id: randomUUID(), networkCode: XRPL, purpose: "cancel", outputs: [] },
    place: { kind: "nonce", nonce },
  });
  const toPay = (changes: Partial<ChainPayment> = {}): ChainPayment => ({
    ...{ intentId: randomUUID(), networkCode: XRPL, assetReference: "xrp" },
    ...{ address: newXrpAddress(), memo: null, units: 5_000_000n, ...changes },
  });

  test("fills a hole with a transaction that moves nothing, and those behind it then go on", async () => {
    const [first, second] = [hole(50n), hole(51n)];
    const later = await sender.sign(second, await sender.feeTerms(second), []);
    await sender.broadcast(later);
    chain.close();
    // The later one waits for its turn.
    expect(await sender.follow(second, [later])).toMatchObject({
      state: "waiting",
      isStuck: false,
    });
    const filler = await sender.sign(first, await sender.feeTerms(first), []);
    await sender.broadcast(filler);
    chain.close();
    for (const [send, signed] of [
      [first, filler],
      [second, later],
    ] as const) {
      expect(await sender.follow(send, [signed])).toMatchObject({
        state: "final",
        hash: signed.transactionHash,
        networkFee: 10n,
      });
    }
    expect(chain.open.get(XRP_HOT)).toMatchObject({ sequence: 52, balance: 10n ** 9n - 20n });
  });

  test("an expired one is stuck only when its last ledger is validated at the operator's own node", async () => {
    const send = hole(50n);
    const signed = await sender.sign(send, await sender.feeTerms(send), []);
    const outcome = () => sender.follow(send, [signed]);
    chain.close(LEDGERS);
    expect(await outcome()).toMatchObject({ state: "waiting", isKnown: false, isStuck: false });
    const [own] = servers;
    if (own) own.behind = 1;
    chain.close();
    expect(await outcome()).toMatchObject({ state: "waiting", isStuck: false });
    if (own) own.behind = 0;
    expect(await outcome()).toMatchObject({ state: "waiting", isStuck: true });
    const again = await sender.sign(send, await sender.feeTerms(send, signed), []);
    await sender.broadcast(again);
    chain.close();
    const both = await sender.follow(send, [signed, again]);
    expect(both).toMatchObject({ state: "final", hash: again.transactionHash });
    // The expired one is refused, and changes nothing.
    await sender.broadcast(signed);
    chain.close();
    expect(chain.open.get(XRP_HOT)?.sequence).toBe(51);
  });

  test("one that was stored and never sent is replaced once, by servers that have no ledger of its time", async () => {
    const send = hole(50n);
    const signed = await sender.sign(send, await sender.feeTerms(send), []);
    chain.close(2_500);
    for (const server of servers) server.since = chain.ledgers.at(-2_000)?.index ?? 0;
    expect(await sender.follow(send, [signed])).toMatchObject({ state: "waiting", isStuck: true });
    const again = await sender.sign(send, await sender.feeTerms(send, signed), []);
    await sender.broadcast(again);
    await sender.broadcast(signed);
    chain.close();
    const both = await sender.follow(send, [signed, again]);
    expect(both).toMatchObject({ state: "final", hash: again.transactionHash });
    expect(chain.open.get(XRP_HOT)).toMatchObject({ sequence: 51, balance: 10n ** 9n - 10n });
  });

  test("an expired one is stuck also at servers that remember it", async () => {
    const send = hole(50n);
    const signed = await sender.sign(send, await sender.feeTerms(send), []);
    chain.takes = false;
    await sender.broadcast(signed);
    chain.close(LEDGERS + 2);
    expect(await sender.follow(send, [signed])).toMatchObject({ state: "waiting", isStuck: true });
  });

  test("one whose last ledger follows an endpoint that stopped is replaced by a valid one", async () => {
    const [, frozen, lost] = servers;
    if (!frozen || !lost) throw new Error("there are three servers");
    const isLost = (yes: boolean): void => {
      lost.rewrite = (_, answer) => (yes ? LOST : answer);
    };
    frozen.behind = 30;
    isLost(true);
    const send = hole(50n);
    const signed = await sender.sign(send, await sender.feeTerms(send), []);
    await sender.broadcast(signed);
    chain.close();
    isLost(false);
    expect(await sender.follow(send, [signed])).toMatchObject({ state: "waiting", isStuck: true });
    const again = await sender.sign(send, await sender.feeTerms(send, signed), []);
    await sender.broadcast(again);
    chain.close();
    const both = await sender.follow(send, [signed, again]);
    expect(both).toMatchObject({ state: "final", hash: again.transactionHash });
  });

  test("a transaction that two endpoints have in a ledger and the operator's own has not is not final", async () => {
    const send = hole(50n);
    const signed = await sender.sign(send, await sender.feeTerms(send), []);
    await sender.broadcast(signed);
    chain.close();
    const [own] = servers;
    if (own) own.behind = 1;
    await expect(sender.follow(send, [signed])).rejects.toThrow(/must agree/);
    if (own) own.behind = 0;
    expect(await sender.follow(send, [signed])).toMatchObject({ state: "final" });
  });

  test.each([
    ["another tag", "8"],
    ["no tag", null],
  ])(
    "an adopted hash of a payment with a tag is a mismatch where the payout has %s",
    async (_, memo) => {
      const { publicKey, privateKey } = hotKeysAt("m/44'/144'/0'/0/0");
      const hex = (bytes: Uint8Array | null) =>
        Buffer.from(bytes ?? [])
          .toString("hex")
          .toUpperCase();
      const keys = { publicKey: hex(publicKey), privateKey: `00${hex(privateKey)}` };
      const payer = withKeys(chain, { address: XRP_HOT, ...keys });
      const to = newXrpAddress();
      const { hash } = payer.send(payment({ to, tag: "7", units: 5_000_000n }));
      chain.close();
      const adopted = { networkCode: XRPL, transactionHash: hash, bytes: new Uint8Array() };
      const payout = (tag: string | null): ChainSend => ({
        ...hole(50n),
        ...{ purpose: "payout", outputs: [toPay({ address: to, memo: tag })] },
      });
      expect(await sender.follow(payout(memo), [adopted])).toMatchObject({
        state: "mismatch",
        hash,
        networkFee: 10n,
        why: expect.stringContaining("with tag 7, not"),
      });
      expect(await sender.follow(payout("7"), [adopted])).toMatchObject({ state: "final", hash });
    },
  );

  test("bytes that no ledger can have are an error, and not a broadcast", async () => {
    const send = hole(50n);
    const signed = await sender.sign(send, await sender.feeTerms(send), []);
    const bytes = Uint8Array.from(signed.bytes);
    bytes[60] = (bytes[60] ?? 0) ^ 1;
    await expect(sender.broadcast({ ...signed, bytes })).rejects.toThrow(/every endpoint refused/);
  });

  test("places begin after everything that a node or the signer's log has", async () => {
    expect(await sender.places()).toEqual({ final: 50n, next: 50n });
    const send = hole(52n);
    await sender.sign(send, await sender.feeTerms(send), []);
    expect(await sender.places()).toEqual({ final: 50n, next: 53n });
  });

  test("one endpoint sets no fee, and a fee above the limit is not signed", async () => {
    const [liar] = servers;
    if (liar) {
      liar.rewrite = ({ method }, answer) =>
        method === "fee"
          ? { ...answer, drops: { base_fee: "10", open_ledger_fee: "9000" } }
          : answer;
    }
    expect(await sender.feeTerms(hole(50n))).toMatchObject({ fee: "10" });
    chain.fee = 10_001n;
    if (liar) liar.rewrite = (_, answer) => answer;
    await expect(sender.feeTerms(hole(50n))).rejects.toThrow(FeeTooHigh);
    expect(await sender.preflight(toPay())).toMatchObject({ state: "wait" });
  });

  test("an endpoint that says that transactions are free sets no fee, where only two answer", async () => {
    const [liar, lost] = servers;
    if (!liar || !lost) throw new Error("there are three servers");
    const free = { base_fee: "0", open_ledger_fee: "0" };
    liar.rewrite = ({ method }, answer) => (method === "fee" ? { ...answer, drops: free } : answer);
    expect(await sender.feeTerms(hole(50n))).toMatchObject({ fee: "10" });
    lost.rewrite = () => LOST;
    await expect(sender.feeTerms(hole(50n))).rejects.toThrow(/costs nothing/);
    lost.rewrite = (_, answer) => answer;
    expect(await sender.feeTerms(hole(50n))).toMatchObject({ fee: "10" });
  });

  test("a payment leaves the reserve and the floor in the account", async () => {
    const spare = 10n ** 9n - 1_000_000n - 1_000_000n - 10n;
    expect(await sender.preflight(toPay({ units: spare }))).toEqual({ state: "clear" });
    expect(await sender.preflight(toPay({ units: spare + 1n }))).toMatchObject({
      state: "wait",
      why: expect.stringContaining("of which 1000000 stay in it"),
    });
    const account = chain.open.get(XRP_HOT);
    if (account) account.ownerCount = 2n;
    const state = chain.ledgers.at(-1)?.state.get(XRP_HOT);
    if (state) state.ownerCount = 2n;
    expect(await sender.preflight(toPay({ units: spare }))).toMatchObject({ state: "wait" });
  });

  test("a payment leaves what payouts under way take, as validated ledgers since the scanner's have it", async () => {
    const fees = 2n * 10_000n;
    const payments = [3_000_000n, 4_000_000n].map((units) => ({ assetReference: "xrp", units }));
    const readTo = BigInt(chain.ledgers.at(-1)?.index ?? 0);
    const underWay = { readTo, payments, sends: 2 };
    const spare = 10n ** 9n - 1_000_000n - 1_000_000n - 10n - 7_000_000n - fees;
    expect(await sender.preflight(toPay({ units: spare }), underWay)).toEqual({ state: "clear" });
    expect(await sender.preflight(toPay({ units: spare + 1n }), underWay)).toMatchObject({
      state: "wait",
      why: expect.stringContaining("2 transactions under way take up to 7020000 drops of it"),
    });
    const ahead = sender.preflight(toPay(), { ...underWay, readTo: readTo + 1n });
    await expect(ahead).rejects.toThrow(
      `its balances are of ledger ${readTo}, below ${readTo + 1n}`,
    );
  });

  test("an account of nobody takes the reserve at least, and a stranger's payment of ours is not a proof", async () => {
    expect(await sender.preflight(toPay({ units: 999_999n }))).toMatchObject({
      state: "rejected",
      why: expect.stringContaining("below the reserve of 1000000"),
    });
    expect(await sender.preflight(toPay({ units: 1_000_000n }))).toEqual({ state: "clear" });
    const stranger = makeStranger(chain, STRANGER_SEED);
    const to = newXrpAddress();
    stranger.send(payment({ to, units: 5_000_000n }));
    chain.close();
    const send = { ...hole(50n), purpose: "payout" as const, outputs: [toPay({ address: to })] };
    expect(await sender.follow(send, [])).toMatchObject({ state: "waiting" });
  });
});
