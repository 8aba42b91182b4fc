import { Readable } from "node:stream";
import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { describe, expect, test } from "vitest";
import { emailMark } from "../../flows/customers/personal-data.ts";
import { declareRestored } from "../../flows/history/declare-restored.ts";
import { createMerchant } from "../../flows/merchants/create.ts";
import { addPasskey } from "../../flows/people/account.ts";
import { inviteAgain, invitePerson } from "../../flows/people/invite.ts";
import { countAttempt, requireSession } from "../../flows/people/open-session.ts";
import { provePassword } from "../../flows/people/prove.ts";
import {
  acceptLink,
  acceptWithPassword,
  CONSOLE_URL,
  type ConsoleBrowser,
  codeOf,
  PASSWORD,
  tokenOf,
  useConsole,
} from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";

const desk = useConsole(makeOrderWorld);

const by = operatorNamed("anna");

const idOf = async ({ email }: ConsoleBrowser): Promise<string> =>
  (await desk.query<{ id: string }>("select id from people where email = $1", [email]))[0]?.id ??
  "";

async function personWithPassword(email: string, merchantId: string | null = null) {
  const roles = [merchantId === null ? "treasury" : "merchant_owner"];
  const { link } = await invitePerson(desk.deps, { email, name: "Zoe", roles, merchantId, by });
  return acceptWithPassword(desk.browser(email), link);
}

/** Returns the statuses of the same call, made twice at once. */
const twice = async (call: () => Promise<{ readonly status: number }>): Promise<number[]> =>
  (await Promise.all([call(), call()])).map(({ status }) => status).toSorted((a, b) => a - b);

test("a merchant has at most as many people as one list can show, the disabled ones included", async () => {
  const { merchant } = await createMerchant(desk.deps, {
    ...{ name: "Crowd", allowedOrigins: [], by },
  });
  await desk.query(
    `insert into people (id, email, name, merchant_id, roles, language)
     select gen_random_uuid(), 'crowd' || n || '@example.com', 'Zoe', $1, array['merchant_viewer'], 'en'
     from generate_series(1, 499) n`,
    [merchant.id],
  );
  const invite = (name: string, merchantId: string | null, role: string) =>
    invitePerson(desk.deps, { email: `${name}@example.com`, name, roles: [role], merchantId, by });
  await invite("last", merchant.id, "merchant_viewer");
  const beyond = invite("beyond", merchant.id, "merchant_viewer");
  await expect(beyond).rejects.toThrow("This merchant has 500 people");
  await invite("other", null, "treasury");
});

describe("a person who is shut out", () => {
  test("changes nothing with a call whose body was still on its way", async () => {
    const admin = await desk.person(["administrator"]);
    const thief = await desk.person(["administrator"]);
    const personId = await idOf(thief);
    const email = "ghost@example.com";
    const text = JSON.stringify({ email, name: "Ghost", roles: ["treasury"] });
    async function* body() {
      yield text.slice(0, 10);
      const payload = { state: "disabled" };
      const disabled = await admin.call(CALLS.changePerson, { params: { personId }, payload });
      expect(disabled.status).toBe(200);
      yield text.slice(10);
    }
    const headers = {
      origin: CONSOLE_URL,
      cookie: thief.cookie,
      "content-type": "application/json",
    };
    const reply = await desk.app.inject({
      ...{ method: "POST", url: "/v1/admin/people", headers },
      payload: Readable.from(body()),
    });
    expect(reply.statusCode).toBe(401);
    expect(await desk.query("select from people where email = $1", [email])).toEqual([]);
  });

  test("adds no passkey that would outlive the new link", async () => {
    const thief = await desk.person(["viewer"]);
    const { challengeId, options } = (await thief.call(CALLS.askNewPasskey)).body.data;
    const token = thief.cookie?.split("=")[1];
    const caller = await requireSession(desk.deps, { token, address: "127.0.0.1" });
    const victim = desk.browser(thief.email);
    const { link } = await inviteAgain(desk.deps, { personId: caller.person.id, by });
    await acceptLink(victim, link);
    const response = desk.browser().passkey.create(options);
    const added = addPasskey(desk.deps, caller, { challengeId, response, name: "evil" });
    await expect(added).rejects.toMatchObject({ code: "SIGN_IN_REQUIRED" });
    expect((await victim.call(CALLS.listOwnPasskeys)).body.data).toHaveLength(1);
  });

  test("has no session and no open link after a restore of the database", async () => {
    const ada = await desk.person(["viewer"]);
    const { link } = await inviteAgain(desk.deps, { personId: await idOf(ada), by });
    await declareRestored(desk.world.deps, { why: "the test says so", lastMark: 0n });
    expect((await ada.call(CALLS.readMe)).code).toBe("SIGN_IN_REQUIRED");
    expect((await acceptLinkOrCode(link)).code).toBe("INVITATION_INVALID");
  });
});

const acceptLinkOrCode = (link: string) =>
  desk.browser().call(CALLS.readInvitation, { payload: { token: tokenOf(link) } });

test("a sign-in ends the session that the browser had", async () => {
  const ada = await desk.person(["viewer"]);
  const earlier = desk.browser();
  earlier.cookie = ada.cookie;
  const { challengeId, options } = (await ada.call(CALLS.askPasskeyToSignIn)).body.data;
  const payload = { challengeId, response: ada.passkey.get(options) };
  expect((await ada.call(CALLS.signInWithPasskey, { payload })).status).toBe(200);
  expect((await ada.call(CALLS.readMe)).status).toBe(200);
  expect((await earlier.call(CALLS.readMe)).code).toBe("SIGN_IN_REQUIRED");
});

describe("at the same time", () => {
  test("two acceptances make one session, and a code or a recovery code signs in once", async () => {
    const { link } = await invitePerson(desk.deps, {
      ...{ email: "both@example.com", name: "Both", roles: ["viewer"], merchantId: null, by },
    });
    expect(await twice(() => acceptLink(desk.browser(), link))).toEqual([201, 401]);
    const { secret, recoveryCodes } = await personWithPassword("pia@example.com");
    const signIn = (code: string) => () =>
      desk.browser().call(CALLS.signInWithPassword, {
        payload: { email: "pia@example.com", password: PASSWORD, code },
      });
    expect(await twice(signIn(codeOf(secret, 1)))).toEqual([200, 401]);
    expect(await twice(signIn(recoveryCodes[0] ?? ""))).toEqual([200, 401]);
  });

  test("a code counts with the password alone that was checked beside it", async () => {
    const email = "rosa@example.com";
    const { secret, recoveryCodes } = await personWithPassword(email);
    const proofs = await Promise.all(
      [codeOf(secret, 1), recoveryCodes[0] ?? ""].map((code) =>
        provePassword(desk.deps, { email, password: PASSWORD, code }),
      ),
    );
    await desk.query("update people set password_hash = 'another' where email = $1", [email]);
    for (const { spend } of proofs)
      expect(await desk.world.database.transaction((tx) => spend(tx))).toBe(false);
  });

  test("two administrators do not disable each other", async () => {
    await desk.query("update people set state = 'disabled' where 'administrator' = any(roles)");
    const pair = [await desk.person(["administrator"]), await desk.person(["administrator"])];
    const ids = await Promise.all(pair.map(idOf));
    const payload = { state: "disabled" };
    await Promise.all(
      pair.map((one, index) =>
        one.call(CALLS.changePerson, { params: { personId: ids[1 - index] ?? "" }, payload }),
      ),
    );
    const rows = await desk.query("select from people where id = any($1) and state = 'active'", [
      ids,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe("strangers", () => {
  test("cannot make the service hash many passwords at once", async () => {
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        desk.browser().call(CALLS.signInWithPassword, {
          payload: { email: `many${index}@example.com`, password: PASSWORD, code: "123456" },
        }),
      ),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(0);
    const busy = replies.find(({ status }) => status === 503);
    expect(busy?.headers["retry-after"]).toBeDefined();
  });

  test("use up no attempts of a signed-in person, and count by their IPv6 network", async () => {
    const { browser, secret } = await personWithPassword("kim@example.com");
    for (let count = 0; count < 10; count += 1) {
      await countAttempt(desk.deps, { account: "kim@example.com" });
    }
    const payload = { password: PASSWORD, code: codeOf(secret, 1) };
    expect((await browser.call(CALLS.stepUpWithPassword, { payload })).status).toBe(200);
    for (let count = 0; count < 60; count += 1) {
      await countAttempt(desk.deps, { address: `2001:db8:1:1::${count}` });
    }
    const more = countAttempt(desk.deps, { address: "2001:db8:1:1:ffff::1" });
    await expect(more).rejects.toMatchObject({ code: "RATE_LIMITED" });
  });

  test("are refused for unknown cookies before the database is asked, and shut nobody out", async () => {
    const ada = await desk.person(["viewer"]);
    const readMe = async (cookie: string) => {
      const headers = { cookie };
      const request = { url: "/v1/admin/me", headers, remoteAddress: "192.0.2.9" };
      return (await desk.app.inject(request)).statusCode;
    };
    const unknown = (index: number) => `__Host-exchange_console=${String(index).padStart(43, "x")}`;
    expect(await readMe(ada.cookie ?? "")).toBe(200);
    const statuses: number[] = [];
    for (let index = 0; index < 60; index += 1) statuses.push(await readMe(unknown(index)));
    expect([...new Set(statuses.slice(0, 59)), statuses[59]]).toEqual([401, 429]);
    expect(await readMe(ada.cookie ?? "")).toBe(200);
  });

  test("get a refusal for every malformed answer of a passkey", async () => {
    const browser = desk.browser();
    const { challengeId } = (await browser.call(CALLS.askPasskeyToSignIn)).body.data;
    const payload = { challengeId, response: { id: { toString: 1 } } };
    expect((await browser.call(CALLS.signInWithPasskey, { payload })).status).toBe(401);
    const { link } = await invitePerson(desk.deps, {
      ...{ email: "odd@example.com", name: "Odd", roles: ["viewer"], merchantId: null, by },
    });
    const { create } = browser.passkey;
    const odd = {
      ...browser,
      passkey: {
        ...browser.passkey,
        create: (options: unknown) => {
          const made = create(options);
          return { ...made, response: { ...(made["response"] as object), transports: "usb" } };
        },
      },
    };
    expect((await acceptLink(odd, link)).status).toBe(201);
  });
});

test.each(["   ", "A\u202Ebda"])("the name %j of a person is refused", async (name) => {
  const admin = await desk.person(["administrator"]);
  const payload = { email: "blank@example.com", name, roles: ["viewer"] };
  expect((await admin.call(CALLS.invitePerson, { payload })).code).toBe("INVALID_INPUT");
});

test("people of a disabled merchant do not sign in with a password", async () => {
  const { merchant } = await createMerchant(desk.world.deps, {
    ...{ name: "Closed", allowedOrigins: [], by },
  });
  const { secret } = await personWithPassword("mia@example.com", merchant.id);
  await desk.query("update merchants set disabled_at = now() where id = $1", [merchant.id]);
  const payload = { email: "mia@example.com", password: PASSWORD, code: codeOf(secret, 1) };
  const refused = await desk.browser().call(CALLS.signInWithPassword, { payload });
  expect([refused.code, refused.headers["set-cookie"]]).toEqual(["SIGN_IN_FAILED", undefined]);
});

test("a viewer does not learn from the search whether an address is a customer's", async () => {
  const view = await desk.world.order(ORDERS.buyByBank);
  const text = "customer@example.com";
  const [digest] = desk.world.deps.dataKeys.digests(emailMark(MERCHANT_ID, text));
  const marked = await desk.query(
    "update data_keys set email_digest = $1 where kind = 'session' and row_key = $2 returning row_key",
    [digest, view.order.sessionId],
  );
  expect(marked).toHaveLength(1);
  const search = { query: { text } };
  const found = async (role: "support" | "viewer") =>
    (await (await desk.person([role])).call(CALLS.searchOrders, search)).body.data.length;
  expect([await found("support"), await found("viewer")]).toEqual([1, 0]);
});
