import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { describe, expect, test } from "vitest";
import { inviteByEmail, inviteFirstOperator, invitePerson } from "../../flows/people/invite.ts";
import { countAttempt } from "../../flows/people/open-session.ts";
import {
  acceptLink,
  acceptWithPassword,
  CONSOLE_URL,
  type ConsoleWorld,
  codeOf,
  makeConsoleWorld,
  PASSWORD,
  tokenOf,
  useConsole,
} from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeWorld } from "../../testing/world.ts";

const desk = useConsole(makeWorld);

const by = operatorNamed("anna");

/** Invites a person and accepts with a password and an authenticator. */
async function personWithPassword(email: string) {
  const { link } = await invitePerson(desk.deps, {
    ...{ email, name: "Ada", roles: ["support"], merchantId: null, by },
  });
  return acceptWithPassword(desk.browser(email), link);
}

describe("an invitation", () => {
  test("works once, with a passkey, and opens a session", async () => {
    const { link } = await invitePerson(desk.deps, {
      ...{ email: " Grace@Example.com ", name: "Grace", merchantId: null, by },
      roles: ["support", "treasury"],
    });
    const grace = desk.browser();
    const opened = await grace.call(CALLS.readInvitation, { payload: { token: tokenOf(link) } });
    expect(opened.body.data).toMatchObject({ email: "grace@example.com", name: "Grace" });
    const accepted = await acceptLink(grace, link);
    expect(accepted.status).toBe(201);
    expect(accepted.body.data).toMatchObject({ signedInWith: "passkey", hasPasskey: true });
    expect(accepted.headers["set-cookie"]).toMatch(
      /^__Host-exchange_console=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await grace.call(CALLS.readMe)).body.data.permissions).toContain("payouts.approve");
    await expect(acceptLink(desk.browser(), link)).rejects.toThrow("INVITATION_INVALID");
    const reopened = await desk.browser().call(CALLS.readInvitation, {
      payload: { token: tokenOf(link) },
    });
    expect(reopened.code).toBe("INVITATION_INVALID");
  });

  test("ends after its time, and a new link replaces the one before", async () => {
    const email = "late@example.com";
    const invite = { email, name: "Late", roles: ["viewer"], merchantId: null, by };
    const first = await inviteByEmail(desk.deps, invite);
    const second = await inviteByEmail(desk.deps, invite);
    const open = async (link: string) =>
      (await desk.browser().call(CALLS.readInvitation, { payload: { token: tokenOf(link) } }))
        .status;
    expect([await open(first.link), await open(second.link)]).toEqual([401, 200]);
    await desk.query("update invitations set expires_at = clock_timestamp() where person_id = $1", [
      second.personId,
    ]);
    expect(await open(second.link)).toBe(401);
  });

  test("of the first operator is made until somebody has accepted one", async () => {
    const fresh = await makeWorld();
    const empty = makeConsoleWorld(fresh.deps);
    const link = await inviteFirstOperator(empty.deps);
    const other = await inviteFirstOperator(empty.deps);
    await expect(acceptLink(empty.browser(), link ?? "")).rejects.toThrow("INVITATION_INVALID");
    const first = empty.browser();
    const accepted = await acceptLink(first, other ?? "");
    expect(accepted.body.data.roles).toEqual(
      expect.arrayContaining(["administrator", "treasury", "compliance"]),
    );
    expect(await inviteFirstOperator(empty.deps)).toBeUndefined();
    await empty.close();
    await fresh.close();
  });

  test("takes another account's ways to sign in away when it is accepted again", async () => {
    const ada = await desk.person(["viewer"]);
    const { link } = await inviteByEmail(desk.deps, {
      ...{ email: ada.email, name: "x", roles: ["viewer"], merchantId: null, by },
    });
    expect((await ada.call(CALLS.readMe)).status).toBe(200);
    const newDevice = desk.browser(ada.email);
    expect((await acceptLink(newDevice, link)).status).toBe(201);
    expect((await ada.call(CALLS.readMe)).status).toBe(401);
    expect((await newDevice.call(CALLS.listOwnPasskeys)).body.data).toHaveLength(1);
  });
});

describe("a passkey", () => {
  const ask = async (browser: ReturnType<ConsoleWorld["browser"]>) =>
    (await browser.call(CALLS.askPasskeyToSignIn)).body.data;

  test("signs in, with another cookie each time, and an answer counts once", async () => {
    const ada = await desk.person(["viewer"]);
    const before = ada.cookie;
    const { challengeId, options } = await ask(ada);
    expect(options["allowCredentials"] ?? []).toEqual([]);
    const payload = { challengeId, response: ada.passkey.get(options) };
    expect((await ada.call(CALLS.signInWithPasskey, { payload })).status).toBe(200);
    expect(ada.cookie).not.toBe(before);
    expect((await ada.call(CALLS.signInWithPasskey, { payload })).code).toBe("SIGN_IN_FAILED");
  });

  test("of another address, of nobody, or whose count went back does not sign in", async () => {
    const ada = await desk.person(["viewer"]);
    const signIn = async (answer: (options: unknown) => Record<string, unknown>) => {
      const { challengeId, options } = await ask(ada);
      const payload = { challengeId, response: answer(options) };
      return (await ada.call(CALLS.signInWithPasskey, { payload })).code;
    };
    expect(await signIn((options) => ada.passkey.get(options, { counter: 5 }))).toBe("ok");
    expect(await signIn((options) => ada.passkey.get(options, { counter: 5 }))).toBe(
      "SIGN_IN_FAILED",
    );
    expect(await signIn((options) => desk.browser().passkey.get(options))).toBe("SIGN_IN_FAILED");
    const foreign = { counter: 9, origin: "https://evil.example" };
    expect(await signIn((options) => ada.passkey.get(options, foreign))).toBe("SIGN_IN_FAILED");
  });

  test("of another person does not prove that this one is still there", async () => {
    const [ada, ben] = [await desk.person(["viewer"]), await desk.person(["viewer"])];
    const { challengeId, options } = (await ada.call(CALLS.askPasskeyToStepUp)).body.data;
    expect(options["allowCredentials"]).toHaveLength(1);
    const wrong = { challengeId, response: ben.passkey.get(options) };
    expect((await ada.call(CALLS.stepUpWithPasskey, { payload: wrong })).code).toBe(
      "SIGN_IN_FAILED",
    );
  });

  test("can be added and removed, but not the last one", async () => {
    const ada = await desk.person(["viewer"]);
    const second = desk.browser().passkey;
    const { challengeId, options } = (await ada.call(CALLS.askNewPasskey)).body.data;
    const payload = { challengeId, response: second.create(options), name: "Phone" };
    const added = await ada.call(CALLS.addPasskey, { payload });
    expect(added.body.data.name).toBe("Phone");
    const remove = (passkeyId: string) => ada.call(CALLS.removePasskey, { params: { passkeyId } });
    expect((await remove(added.body.data.passkeyId)).status).toBe(204);
    const [last] = (await ada.call(CALLS.listOwnPasskeys)).body.data;
    expect((await remove(last?.passkeyId ?? "")).code).toBe("PERSON_CONFLICT");
  });
});

describe("a password", () => {
  test("signs in with a code, and a code or a recovery code counts once", async () => {
    const { secret, recoveryCodes, browser } = await personWithPassword("ada@example.com");
    expect(recoveryCodes).toHaveLength(10);
    const signIn = async (code: string, password = PASSWORD) => {
      const payload = { email: " ADA@example.com", password, code };
      return (await browser.call(CALLS.signInWithPassword, { payload })).code;
    };
    // A code of the next step is right for a minute at least, however slow the machine is.
    const code = codeOf(secret, 1);
    expect(await signIn(code)).toBe("ok");
    expect(await signIn(code)).toBe("SIGN_IN_FAILED");
    const [recovery = ""] = recoveryCodes;
    expect(await signIn(recovery.toUpperCase().replaceAll("-", " "))).toBe("ok");
    expect(await signIn(recovery)).toBe("SIGN_IN_FAILED");
    expect(await signIn(recoveryCodes[1] ?? "", "another password")).toBe("SIGN_IN_FAILED");
    const stored = await desk.query<{ text: string }>("select people::text as text from people");
    expect(stored.map(({ text }) => text).join()).not.toContain(secret);
  });

  test("is changed by its owner, who stays signed in and is signed out everywhere else", async () => {
    const { secret, browser } = await personWithPassword("cleo@example.com");
    const newer = "six green herons wade";
    const signIn = async (password: string, code: string) => {
      const payload = { email: "cleo@example.com", password, code };
      const other = desk.browser();
      const { code: word } = await other.call(CALLS.signInWithPassword, { payload });
      return { word, other };
    };
    const { word, other } = await signIn(PASSWORD, codeOf(secret, 1));
    expect(word).toBe("ok");
    const change = async (payload: object) =>
      (await browser.call(CALLS.changeOwnPassword, { payload })).status;
    expect(await change({ currentPassword: PASSWORD, password: newer })).toBe(204);
    expect((await browser.call(CALLS.readMe)).status).toBe(200);
    expect((await other.call(CALLS.readMe)).status).toBe(401);
    expect(await change({ currentPassword: PASSWORD, password: newer })).toBe(401);
    // The codes of these steps were used. An earlier step of the authenticator is made current again.
    await desk.query("update people set totp_used_step = 0 where email = 'cleo@example.com'");
    expect((await signIn(PASSWORD, codeOf(secret))).word).toBe("SIGN_IN_FAILED");
    expect((await signIn(newer, codeOf(secret, 1))).word).toBe("ok");
    const admin = await desk.person(["administrator"]);
    const query = { action: "change_password" };
    const [logged] = (await admin.call(CALLS.listChanges, { query })).body.data;
    expect(logged).toMatchObject({ person: "cleo@example.com", subject: "cleo@example.com" });
  });

  test("is not changed to one that is easy to guess, after an old proof, or where there is none", async () => {
    const { browser } = await personWithPassword("dan@example.com");
    const poor = { currentPassword: PASSWORD, password: "dan@example.com rocks" };
    expect((await browser.call(CALLS.changeOwnPassword, { payload: poor })).code).toBe(
      "INVALID_INPUT",
    );
    const payload = { currentPassword: PASSWORD, password: "six green herons wade" };
    await desk.query(
      "update person_sessions set stepped_up_at = stepped_up_at - interval '1 hour'",
    );
    expect((await browser.call(CALLS.changeOwnPassword, { payload })).code).toBe(
      "STEP_UP_REQUIRED",
    );
    const ada = await desk.person(["viewer"]);
    expect((await ada.call(CALLS.changeOwnPassword, { payload })).code).toBe("PERSON_CONFLICT");
  });

  test("of two changes at once one counts", async () => {
    const { browser } = await personWithPassword("eli@example.com");
    const change = async (password: string) => {
      const payload = { currentPassword: PASSWORD, password };
      return (await browser.call(CALLS.changeOwnPassword, { payload })).status;
    };
    const statuses = await Promise.all([
      change("six green herons wade"),
      change("ten white storks fly"),
    ]);
    expect(new Set(statuses)).toEqual(new Set([204, 401]));
  });

  test("that everybody could guess is refused", async () => {
    const { link } = await invitePerson(desk.deps, {
      ...{ email: "guess@example.com", name: "Guess", roles: ["viewer"], merchantId: null, by },
    });
    const browser = desk.browser();
    for (const password of ["aaaaaaaaaaaaaaa", "my-password-2026", "guess@example.com!"]) {
      const payload = { token: tokenOf(link), password, code: "123456" };
      const refused = await browser.call(CALLS.acceptWithPassword, { payload });
      expect([refused.status, refused.code]).toEqual([400, "INVALID_INPUT"]);
    }
  });

  test("has the same answer for a wrong address, password and code, and is counted for each account", async () => {
    const { secret } = await personWithPassword("bea@example.com");
    const answers: string[] = [];
    for (const [email, password, code] of [
      ["nobody@example.com", PASSWORD, codeOf(secret)],
      ["bea@example.com", "wrong password", codeOf(secret)],
      ["bea@example.com", PASSWORD, "000000"],
    ] as const) {
      const reply = await desk
        .browser()
        .call(CALLS.signInWithPassword, { payload: { email, password, code } });
      answers.push(`${reply.status} ${reply.text.replace(/"requestId":"[^"]+"/, "")}`);
    }
    expect(new Set(answers).size).toBe(1);
    // The attempts are counted before the password is hashed, so counting them alone is the same.
    const account = "stranger@example.com";
    for (let count = 0; count < 10; count += 1) await countAttempt(desk.deps, { account });
    const payload = { email: account, password: "x", code: "123456" };
    const refused = await desk.browser().call(CALLS.signInWithPassword, { payload });
    expect([refused.status, Number(refused.headers["retry-after"]) > 600]).toEqual([429, true]);
  });
});

describe("a session", () => {
  const age = (column: string, interval: string, email: string) =>
    desk.query(
      `update person_sessions set ${column} = clock_timestamp() - interval '${interval}'
       where person_id = (select id from people where email = $1)`,
      [email],
    );

  test("ends when it is idle, at its end, when signed out, and when ended elsewhere", async () => {
    const ada = await desk.person(["viewer"]);
    const me = async () => (await ada.call(CALLS.readMe)).status;
    await age("last_seen_at", "29 minutes", ada.email);
    expect(await me()).toBe(200);
    await age("last_seen_at", "31 minutes", ada.email);
    expect(await me()).toBe(401);
    await age("last_seen_at", "0 minutes", ada.email);
    expect(await me()).toBe(200);
    await age("ends_at", "1 second", ada.email);
    expect(await me()).toBe(401);

    const ben = await desk.person(["viewer"]);
    const old = ben.cookie;
    expect((await ben.call(CALLS.signOut)).headers["set-cookie"]).toContain("Max-Age=0");
    ben.cookie = old;
    expect((await ben.call(CALLS.readMe)).code).toBe("SIGN_IN_REQUIRED");

    const eve = await desk.person(["viewer"]);
    const [session] = (await eve.call(CALLS.listOwnSessions)).body.data;
    expect(session).toMatchObject({ isThis: true, browser: "test", address: "127.0.0.1" });
    const params = { sessionId: session?.sessionId ?? "" };
    expect(
      (await (await desk.person(["viewer"])).call(CALLS.endOwnSession, { params })).status,
    ).toBe(404);
    expect((await eve.call(CALLS.endOwnSession, { params })).status).toBe(204);
  });

  test("asks for a fresh proof five minutes after the last one", async () => {
    const admin = await desk.person(["administrator"]);
    const invite = (email: string) =>
      admin.call(CALLS.invitePerson, { payload: { email, name: "New", roles: ["viewer"] } });
    expect((await invite("new1@example.com")).status).toBe(201);
    await age("stepped_up_at", "5 minutes", admin.email);
    expect((await invite("new2@example.com")).code).toBe("STEP_UP_REQUIRED");
    const { challengeId, options } = (await admin.call(CALLS.askPasskeyToStepUp)).body.data;
    const payload = { challengeId, response: admin.passkey.get(options) };
    expect((await admin.call(CALLS.stepUpWithPasskey, { payload })).status).toBe(200);
    expect((await invite("new2@example.com")).status).toBe(201);
  });

  test("is not used by another site's page, or with two cookies", async () => {
    const ada = await desk.person(["viewer"]);
    const call = async (headers: Readonly<Record<string, string>>) =>
      (await ada.call(CALLS.askPasskeyToStepUp, { headers })).code;
    expect(await call({ origin: "https://evil.example" })).toBe("ORIGIN_NOT_ALLOWED");
    expect(await call({ origin: "null" })).toBe("ORIGIN_NOT_ALLOWED");
    expect(await call({ "sec-fetch-site": "same-site" })).toBe("ORIGIN_NOT_ALLOWED");
    expect(await call({ "sec-fetch-site": "same-origin" })).toBe("ok");
    const cookie = ada.cookie ?? "";
    expect(await call({ cookie: `${cookie}; ${cookie}` })).toBe("SIGN_IN_REQUIRED");
    expect(await call({ cookie: cookie.replace("__Host-", "") })).toBe("SIGN_IN_REQUIRED");
    const url = "/v1/admin/me/sign_out";
    const bare = await desk.app.inject({ method: "POST", url, headers: { cookie } });
    expect(bare.statusCode).toBe(403);
    expect(bare.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(bare.headers["strict-transport-security"]).toContain("max-age");
    expect(CONSOLE_URL).toMatch(/^https:/);
  });
});

test("sign-ins and changes are in the log with account and address, and no token is stored in the clear", async () => {
  const admin = await desk.person(["administrator"]);
  const { cookie = "" } = admin;
  const log = (await admin.call(CALLS.listChanges, { query: { person: admin.email } })).body.data;
  expect(log[0]).toMatchObject({
    action: "accept_invitation",
    via: "console",
    address: "127.0.0.1",
    subject: admin.email,
  });
  const secret = cookie.split("=")[1] ?? "";
  const rows = await desk.query<{ text: string }>("select s::text as text from person_sessions s");
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ text }) => text).join()).not.toContain(secret);
});
