import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChainGateway } from "../../apps/server/src/domain/ports/chain-gateway.ts";
import { watchFailpoints } from "../../apps/server/src/failpoints.ts";
import { resumePayouts } from "../../apps/server/src/flows/payouts/resume.ts";
import { stopPayouts } from "../../apps/server/src/flows/payouts/stop.ts";
import { makeApproverKey, makeReleaseKey } from "../../apps/server/src/signer/ceremony.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { operatorNamed } from "../../apps/server/src/testing/operators.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";

const PASSPHRASE = "correct horse battery staple";
const folder = mkdtempSync(path.join(tmpdir(), "exchange-approvers-"));
const file = (name: string): string => path.join(folder, name);

/** The database of a backup: the newest send has no place yet, and the wallet hands the place out again. */
const RESTORE = [
  "alter table chain_sends disable trigger user",
  "alter table chain_wallets disable trigger user",
  `update chain_sends set place = null
   where place = (select max(place) from chain_sends where place is not null)`,
  "update chain_wallets set next_place = next_place - 1 where state = 'open'",
  "alter table chain_sends enable trigger user",
  "alter table chain_wallets enable trigger user",
].map((text, index) => statement(`test_restore_${index}`, text));

const WAITS = statement(
  "test_waits",
  "select outcome, code, why from payout_waits where intent_id = $1",
);

describe.skipIf(ANVIL_PATH === "")("the controls of payouts on a live network", () => {
  let world: PayingWorld;
  let mining: NodeJS.Timeout;

  beforeAll(async () => {
    writeFileSync(file("passphrase"), `${PASSPHRASE}\n`);
    const [anna, ben] = ["anna", "ben"].map((name) => makeApproverKey(file(name), PASSPHRASE));
    world = await makePayingWorld({
      policy: (policy) => ({
        ...policy,
        approvers: { anna: found(anna), ben: found(ben) },
        assets: {
          ...policy.assets,
          "usdc-ethereum": { ...found(policy.assets["usdc-ethereum"]), approvalAboveCents: 5_000 },
        },
      }),
    });
    await world.start();
    mining = setInterval(() => void world.mine(2).catch(() => {}), 300);
  });
  afterAll(async () => {
    clearInterval(mining);
    await world?.close();
  });

  const waitsOf = (id: string) => world.service().deps.database.query(WAITS, [id]);

  test("above the signer's limit an order waits for two signed approvals, and takes no place before", async () => {
    const before = [await world.nonce(), world.signatures()];
    const to = newAddress();
    const view = await world.buy("usdc", to);
    await expect.poll(async () => (await world.outcome(view))[1]).toBe("limit_exceeded");
    expect([await world.nonce(), world.signatures()]).toEqual(before);
    const id = found((await world.read(view)).payout).id;
    expect(await waitsOf(id)).toEqual([
      { outcome: "hold", code: "signer", why: expect.stringMatching(/approv/) },
    ]);
    const { out } = await world.line.run("payouts", "release-text", id);
    writeFileSync(file("release.txt"), `${out}\n`);
    for (const name of ["anna", "ben"]) {
      const approved = await world.line.run(
        ...["signer", "approve", "--release-file", file("release.txt"), "--json"],
        ...["--key-file", file(name), "--name", name, "--passphrase-file", file("passphrase")],
      );
      expect(approved.status).toBe(0);
      writeFileSync(file("approval.json"), approved.out);
      const words = ["payouts", "approve", id, "--approval-file", file("approval.json")];
      expect(await world.line.run(...words, "--as", name)).toMatchObject({ status: 0 });
    }
    await expect.poll(() => world.status(view)).toBe("completed");
    expect(await world.holds(to, "usdc")).toBe((await world.read(view)).payout?.units);
    expect(world.signatures()).toBe((before[1] ?? 0) + 1);
    expect(await waitsOf(id)).toEqual([]);
  });

  test("approvals without signatures leave a payout with the signer's refusal", async () => {
    const to = newAddress();
    const view = await world.buy("usdc", to);
    await expect.poll(async () => (await world.outcome(view))[1]).toBe("limit_exceeded");
    const id = found((await world.read(view)).payout).id;
    for (const name of ["anna", "ben"])
      await world.line.run("payouts", "approve", id, "--as", name);
    await expect.poll(async () => (await world.outcome(view))[1]).toBe("limit_exceeded");
    expect(await world.holds(to, "usdc")).toBe(0n);
    // The signer reads no name of an approver that its policy could not have.
    const signature = `${"A".repeat(86)}==`;
    writeFileSync(file("long.json"), JSON.stringify({ name: "a".repeat(65), signature }));
    writeFileSync(file("nameless.json"), JSON.stringify({ name: null, signature }));
    for (const bad of ["passphrase", "long.json", "nameless.json"]) {
      const words = ["payouts", "approve", id, "--approval-file", file(bad), "--as", "anna"];
      expect(await world.line.run(...words)).toMatchObject({
        status: 2,
        errors: expect.stringContaining("holds no approval"),
      });
    }
  });

  test("the place of a payout that was stopped is filled, and both are paid once", async () => {
    const pair = { kind: "pair", subject: "eur-eth" } as const;
    const by = operatorNamed("anna");
    const { deps } = world.service();
    const chain = found(deps.chain) as { sign: ChainGateway["sign"] };
    const { sign } = chain;
    chain.sign = async (send) => {
      chain.sign = sign;
      await stopPayouts(deps, { ...pair, reason: "a test", by });
      return sign(send);
    };
    const [stopped, other] = [newAddress(), newAddress()];
    const before = await world.nonce();
    const first = await world.buy("eth", stopped);
    await expect.poll(() => world.stops()).toEqual(["pair eur-eth"]);
    const second = await world.buy("usdt", other);
    await expect.poll(() => world.status(second)).toBe("completed");
    expect(await world.holds(other, "usdt")).toBe((await world.read(second)).payout?.units);
    expect(await world.holds(stopped, "eth")).toBe(0n);
    expect(await world.nonce()).toBe(before + 2);
    await resumePayouts(deps, { ...pair, by });
    await world.hurry(first);
    await expect.poll(() => world.status(first)).toBe("completed");
    expect(await world.holds(stopped, "eth")).toBe((await world.read(first)).payout?.units);
    expect(await world.nonce()).toBe(before + 3);
  });

  test.each([
    ["was never signed", "send.after_request", 1],
    ["the signer signed, and whose answer was lost", "payout.after_sign", 0],
  ] as const)(
    "a payout that %s is released again once the release key was replaced, and paid once",
    async (_, failpoint, more) => {
      const crashed = new Promise<void>((resolve) => {
        watchFailpoints((reached) => {
          if (reached !== failpoint) return;
          resolve();
          throw new Error(`crashed at ${reached}`);
        });
      });
      const to = newAddress();
      const nonce = await world.nonce();
      const view = await world.buy("usdt", to);
      await crashed;
      await world.stop();
      const signatures = world.signatures();
      const { releaseKeyFile, folder: signerFolder } = world.signer;
      rmSync(releaseKeyFile);
      const policyFile = path.join(signerFolder, "policy.json");
      const policy = JSON.parse(readFileSync(policyFile, "utf8"));
      policy.releaseKeys = [makeReleaseKey(releaseKeyFile)];
      writeFileSync(policyFile, JSON.stringify(policy));
      await world.signer.start();
      let renewals = 0;
      watchFailpoints((reached) => {
        if (reached === "send.after_renewal" && ++renewals === 1) throw new Error("crashed again");
      });
      await world.start();
      await world.hurry(view);
      await expect.poll(() => world.status(view)).toBe("completed");
      expect(await world.holds(to, "usdt")).toBe((await world.read(view)).payout?.units);
      expect([await world.nonce(), world.signatures()]).toEqual([nonce + 1, signatures + more]);
      // The first renewal was stored, so there was no second one.
      expect(renewals).toBe(1);
      watchFailpoints(() => {});
      expect(await world.stops()).toEqual([]);
    },
  );

  test("a restored database hands out an old place, which the signer refuses", async () => {
    const before = [await world.nonce(), world.signatures()];
    for (const one of RESTORE) await world.world.database.query(one);
    const to = newAddress();
    const view = await world.buy("usdt", to);
    await expect.poll(() => world.stops()).toEqual(["rail chain:ethereum"]);
    const breaks = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
    expect(breaks.map(({ problem }) => problem).join()).toContain("has another payment");
    expect([await world.nonce(), world.signatures()]).toEqual(before);
    expect(await world.holds(to, "usdt")).toBe(0n);
    expect(await world.status(view)).toBe("sending");
  });
});
