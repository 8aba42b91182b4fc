import { ADMIN_ENDPOINTS as CALLS, type RoleName } from "@exchange/contract/admin";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { inviteAgain, invitePerson } from "../../flows/people/invite.ts";
import { countAttempt } from "../../flows/people/open-session.ts";
import {
  acceptLink,
  CONSOLE_URL,
  type ConsoleBrowser,
  makeConsoleWorld,
  tokenOf,
  useConsole,
} from "../../testing/console-world.ts";
import {
  type Lie,
  type StartedProvider,
  startIdentityProvider,
} from "../../testing/identity-provider.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { MERCHANT_ID, makeWorld } from "../../testing/world.ts";

let login: StartedProvider;
const desk = useConsole(makeWorld, async () => {
  login = await startIdentityProvider(CONSOLE_URL);
  return { identityProvider: login.adapter() };
});
afterAll(() => login?.stop());
afterEach(() => login.lie(""));

const by = operatorNamed("anna");

const invite = (email: string, roles: readonly RoleName[] = ["support"], merchantId?: string) =>
  invitePerson(desk.deps, { email, name: "Ida", roles, merchantId: merchantId ?? null, by });

/** Goes to the provider for one of the three reasons and returns the query of the callback. */
async function goAs(
  browser: ConsoleBrowser,
  account: string,
  begin: Parameters<ConsoleBrowser["call"]>[0] = CALLS.beginProviderSignIn,
  payload?: object,
): Promise<string> {
  const begun = await browser.call(begin, { payload });
  if (begun.status !== 200) throw new Error(begun.code);
  return login.signIn((begun.body as { data: { url: string } }).data.url, account);
}

const finish = (browser: ConsoleBrowser, answer: string) =>
  browser.call(CALLS.finishProviderSignIn, { payload: { answer } });

const accept = async (browser: ConsoleBrowser, link: string, account: string) =>
  finish(
    browser,
    await goAs(browser, account, CALLS.beginProviderAcceptance, { token: tokenOf(link) }),
  );

const signIn = async (account: string, browser = desk.browser()) =>
  finish(browser, await goAs(browser, account));

const link = async (browser: ConsoleBrowser, account: string) =>
  finish(browser, await goAs(browser, account, CALLS.beginProviderLink));

/** Invites a person and accepts at the provider, with an account of the same name. */
async function personOf(account: string): Promise<ConsoleBrowser> {
  const browser = desk.browser(`${account}@example.com`);
  const { link } = await invite(browser.email);
  expect((await accept(browser, link, account)).body.data.did).toBe("accepted");
  return browser;
}

const sessions = async (): Promise<number> =>
  (await desk.query("select from person_sessions")).length;

describe("an invited person", () => {
  test("accepts at the provider, adds a passkey, and signs in there later without a fresh proof", async () => {
    const browser = desk.browser("ida@example.com");
    const { link } = await invite(browser.email, ["administrator"]);
    const accepted = await accept(browser, link, "ida");
    expect(accepted.body.data).toMatchObject({
      did: "accepted",
      me: { email: "ida@example.com", signedInWith: "provider", hasPasskey: false },
    });
    const { challengeId, options } = (await browser.call(CALLS.askNewPasskey)).body.data;
    const payload = { challengeId, response: browser.passkey.create(options), name: "Phone" };
    expect((await browser.call(CALLS.addPasskey, { payload })).code).toBe("ok");
    await expect(accept(desk.browser(), link, "ida")).rejects.toThrow("INVITATION_INVALID");

    const later = desk.browser();
    const { did, me } = (await signIn("ida", later)).body.data;
    expect([did, me.email, me.hasPasskey]).toEqual(["signed_in", "ida@example.com", true]);
    const invited = { email: "x@example.com", name: "X", roles: ["viewer"] };
    const moved = () => later.call(CALLS.invitePerson, { payload: invited });
    expect((await moved()).code).toBe("STEP_UP_REQUIRED");
    const stepUp = (await later.call(CALLS.askPasskeyToStepUp)).body.data;
    const proof = {
      challengeId: stepUp.challengeId,
      response: browser.passkey.get(stepUp.options),
    };
    await later.call(CALLS.stepUpWithPasskey, { payload: proof });
    expect((await moved()).status).toBe(201);
    const log = (await later.call(CALLS.listChanges, { query: { person: "ida@example.com" } }))
      .body;
    expect(log.data.map(({ action, address }) => `${action} ${address}`)).toEqual(
      expect.arrayContaining(["link_identity 127.0.0.1", "sign_in 127.0.0.1"]),
    );
  });

  test("is sent with PKCE, state and nonce to come back to the console, and the cookie is bound to its host", async () => {
    const browser = desk.browser();
    const begun = await browser.call(CALLS.beginProviderSignIn);
    const query = Object.fromEntries(new URL(begun.body.data.url).searchParams);
    expect(query).toMatchObject({
      response_type: "code",
      redirect_uri: `${CONSOLE_URL}/sign_in/callback`,
      code_challenge_method: "S256",
      scope: "openid email",
    });
    const values = [query["state"], query["nonce"], query["code_challenge"]];
    expect(new Set(values.filter(Boolean)).size).toBe(3);
    expect(begun.headers["set-cookie"]).toMatch(
      /^__Host-exchange_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const [row] = await desk.query<{ text: string }>(
      "select p::text as text from provider_sign_ins p",
    );
    for (const value of [browser.signIn?.split("=")[1], ...values]) {
      expect(row?.text).not.toContain(value);
    }
  });

  test("has one account of the provider, which two people cannot share", async () => {
    const links = await Promise.all([invite("one@example.com"), invite("two@example.com")]);
    const codes = await Promise.all(
      links.map(async (invited) => (await accept(desk.browser(), invited.link, "shared")).code),
    );
    expect(codes.toSorted()).toEqual(["PERSON_CONFLICT", "ok"]);
    expect(await desk.query("select from person_identities where subject = 'shared'")).toHaveLength(
      1,
    );
  });
});

describe("nobody comes in", () => {
  test("without a link, also with a person's e-mail address", async () => {
    const ada = await desk.person(["administrator"]);
    const before = await sessions();
    expect((await signIn(ada.email.split("@")[0] ?? "")).code).toBe("IDENTITY_NOT_LINKED");
    await invite("invited@example.com");
    expect((await signIn("invited")).code).toBe("IDENTITY_NOT_LINKED");
    expect(await sessions()).toBe(before);
  });

  test("who is disabled, or whose merchant is", async () => {
    const email = "gone@example.com";
    await personOf("gone");
    await desk.query("update people set state = 'disabled' where email = $1", [email]);
    expect((await signIn("gone")).code).toBe("IDENTITY_NOT_LINKED");
    const { link } = await invite("shop@example.com", ["merchant_owner"], MERCHANT_ID);
    expect((await accept(desk.browser(), link, "shop")).code).toBe("ok");
    await desk.query("update merchants set disabled_at = now() where id = $1", [MERCHANT_ID]);
    expect((await signIn("shop")).code).toBe("IDENTITY_NOT_LINKED");
    await desk.query("update merchants set disabled_at = null where id = $1", [MERCHANT_ID]);
    expect((await signIn("shop")).code).toBe("ok");
  });

  test("by an old link, once the person has accepted a new invitation in another way", async () => {
    const browser = await personOf("lost");
    const [row] = await desk.query<{ id: string }>("select id from people where email = $1", [
      browser.email,
    ]);
    const { link } = await inviteAgain(desk.deps, { personId: row?.id ?? "", by });
    expect((await acceptLink(desk.browser(), link)).status).toBe(201);
    expect((await signIn("lost")).code).toBe("IDENTITY_NOT_LINKED");
  });

  test.each<Lie>(["key", "nonce", "issuer", "audience", "expired"])(
    "with an ID token whose %s is wrong",
    async (lie) => {
      const account = `liar-${lie}`;
      await personOf(account);
      const browser = desk.browser();
      const answer = await goAs(browser, account);
      await login.lie(lie);
      const refused = await finish(browser, answer);
      expect([refused.status, refused.code, browser.cookie]).toEqual([
        401,
        "SIGN_IN_FAILED",
        undefined,
      ]);
      await login.lie("");
      expect((await signIn(account)).code).toBe("ok");
    },
  );

  test("by the answer of another browser, of another sign-in, or used again", async () => {
    await personOf("eve");
    const [victim, attacker] = [desk.browser(), desk.browser()];
    const planted = await goAs(attacker, "eve");
    await victim.call(CALLS.beginProviderSignIn);
    expect((await finish(victim, planted)).code).toBe("SIGN_IN_FAILED");
    expect((await finish(desk.browser(), planted)).code).toBe("SIGN_IN_FAILED");

    const forged = new URLSearchParams(await goAs(victim, "eve"));
    forged.set("state", "of-nobody");
    expect((await finish(victim, forged.toString())).code).toBe("SIGN_IN_FAILED");

    const answer = await goAs(victim, "eve");
    const cookie = victim.signIn;
    expect((await finish(victim, answer)).code).toBe("ok");
    const secret = cookie?.split("=")[1];
    const begun =
      "select from provider_sign_ins where secret_hash = sha256(convert_to($1, 'utf8'))";
    expect(await desk.query(begun, [secret])).toEqual([]);
    victim.signIn = cookie;
    expect((await finish(victim, answer)).code).toBe("SIGN_IN_FAILED");
    // The code is used; the state is of a sign-in that this browser has just begun.
    const replayed = new URLSearchParams(await goAs(victim, "eve"));
    replayed.set("code", new URLSearchParams(answer).get("code") ?? "");
    expect((await finish(victim, replayed.toString())).code).toBe("SIGN_IN_FAILED");
  });

  test("later than ten minutes after the browser was sent, or twice at once", async () => {
    await personOf("slow");
    const browser = desk.browser();
    const late = await goAs(browser, "slow");
    await desk.query("update provider_sign_ins set expires_at = clock_timestamp()");
    expect((await finish(browser, late)).code).toBe("SIGN_IN_FAILED");
    const answer = await goAs(browser, "slow");
    const { signIn } = browser;
    const pair = [desk.browser(), desk.browser()];
    for (const one of pair) one.signIn = signIn;
    const codes = await Promise.all(pair.map(async (one) => (await finish(one, answer)).code));
    expect(codes.toSorted()).toEqual(["SIGN_IN_FAILED", "ok"]);
  });

  test("from an address that has tried too often", async () => {
    const remoteAddress = "192.0.2.77";
    for (let count = 0; count < 60; count += 1) {
      await countAttempt(desk.deps, { address: remoteAddress });
    }
    const url = "/v1/admin/sign_in/provider_address";
    const headers = { origin: CONSOLE_URL };
    const reply = await desk.app.inject({ method: "POST", url, headers, remoteAddress });
    expect(reply.statusCode).toBe(429);
  });
});

describe("a signed-in person", () => {
  test("links an account after a fresh proof, replaces it, and unlinks it", async () => {
    const ada = await desk.person(["viewer"]);
    await desk.query("update person_sessions set stepped_up_at = 'epoch'");
    expect((await ada.call(CALLS.beginProviderLink)).code).toBe("STEP_UP_REQUIRED");
    const { challengeId, options } = (await ada.call(CALLS.askPasskeyToStepUp)).body.data;
    const payload = { challengeId, response: ada.passkey.get(options) };
    await ada.call(CALLS.stepUpWithPasskey, { payload });
    expect((await link(ada, "first")).body.data).toMatchObject({ did: "linked" });
    expect((await link(ada, "second")).code).toBe("ok");
    expect((await ada.call(CALLS.readOwnIdentity)).body.data).toMatchObject({
      providerName: "Example Login",
      linked: { issuer: login.issuer, label: "second@example.com", lastUsedAt: null },
    });
    expect((await signIn("first")).code).toBe("IDENTITY_NOT_LINKED");
    expect((await signIn("second")).body.data.me.email).toBe(ada.email);
    expect((await ada.call(CALLS.unlinkOwnIdentity)).status).toBe(204);
    expect((await signIn("second")).code).toBe("IDENTITY_NOT_LINKED");
    expect((await ada.call(CALLS.unlinkOwnIdentity)).code).toBe("NOT_FOUND");
  });

  test("links nothing in another's session, in one that has ended, or without one", async () => {
    const [ada, eve] = [await desk.person(["viewer"]), await desk.person(["viewer"])];
    const answer = await goAs(eve, "evil", CALLS.beginProviderLink);
    ada.signIn = eve.signIn;
    expect((await finish(ada, answer)).code).toBe("SIGN_IN_FAILED");
    const bare = desk.browser();
    const mine = await goAs(ada, "mine", CALLS.beginProviderLink);
    bare.signIn = ada.signIn;
    expect((await finish(bare, mine)).code).toBe("SIGN_IN_REQUIRED");
    const late = await goAs(ada, "mine", CALLS.beginProviderLink);
    await ada.call(CALLS.signOut);
    expect((await finish(ada, late)).code).toBe("SIGN_IN_FAILED");
    const linked = "select from person_identities where subject in ('evil', 'mine')";
    expect(await desk.query(linked)).toEqual([]);
  });

  test("keeps the last way to sign in", async () => {
    const ida = await personOf("only");
    expect((await ida.call(CALLS.unlinkOwnIdentity)).code).toBe("PERSON_CONFLICT");
    expect((await signIn("only")).code).toBe("ok");
  });
});

describe("a provider", () => {
  test("that is away, or refuses the console, leaves passkeys as they were", async () => {
    const gone = await startIdentityProvider(CONSOLE_URL);
    const shut = makeConsoleWorld(desk.world.deps, { identityProvider: gone.adapter() });
    const browser = shut.browser();
    const begun = await browser.call(CALLS.beginProviderSignIn);
    const answer = await gone.signIn(begun.body.data.url, "ida");
    await gone.stop();
    expect((await finish(browser, answer)).code).toBe("PROVIDER_UNAVAILABLE");
    await shut.close();

    const never = makeConsoleWorld(desk.world.deps, { identityProvider: gone.adapter() });
    const refused = await never.browser().call(CALLS.beginProviderSignIn);
    expect([refused.status, refused.code]).toEqual([503, "PROVIDER_UNAVAILABLE"]);
    const shownProvider = (await never.browser().call(CALLS.readSignInProvider)).body.data;
    expect(shownProvider).toEqual({ name: "Example Login" });
    expect((await never.browser().call(CALLS.askPasskeyToSignIn)).status).toBe(200);
    await never.close();

    const identityProvider = login.adapter({ clientSecret: "wrong" });
    const wrong = makeConsoleWorld(desk.world.deps, { identityProvider });
    const other = wrong.browser();
    const { url } = (await other.call(CALLS.beginProviderSignIn)).body.data;
    const code = await login.signIn(url, "ida");
    expect((await finish(other, code)).code).toBe("PROVIDER_UNAVAILABLE");
    await wrong.close();
  });

  test("that is not set has no name and takes no sign-in", async () => {
    const off = makeConsoleWorld(desk.world.deps);
    expect((await off.browser().call(CALLS.readSignInProvider)).body.data).toEqual({ name: null });
    for (const call of [CALLS.beginProviderSignIn, CALLS.finishProviderSignIn]) {
      const payload = { answer: "code=x" };
      const options = call === CALLS.finishProviderSignIn ? { payload } : {};
      expect((await off.browser().call(call, options)).code).toBe("NOT_FOUND");
    }
    await off.close();
  });
});
