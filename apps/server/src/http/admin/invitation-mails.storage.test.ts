import { Writable } from "node:stream";
import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { invitePerson } from "../../flows/people/invite.ts";
import { MAILED_TO_PERSON_MAX } from "../../flows/people/link-route.ts";
import { rewrapSecrets } from "../../flows/secret-keys/rewrap-secrets.ts";
import { makeMailRound } from "../../messages/mails.ts";
import { logOptions } from "../../start/log.ts";
import { acceptLink, type ConsoleBrowser, useConsole } from "../../testing/console-world.ts";
import { type MailServer, startMailServer } from "../../testing/mail-server.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { MERCHANT_ID, makeWorld } from "../../testing/world.ts";

const lines: string[] = [];
const write = (chunk: unknown, _encoding: string, done: () => void) => {
  lines.push(String(chunk));
  done();
};
const log = pino(logOptions("trace"), new Writable({ write }));
const desk = useConsole(() => makeWorld({ offersMail: true, log }));

let server: MailServer;
let admin: ConsoleBrowser;
beforeAll(async () => {
  server = await startMailServer();
  admin = await desk.person(["administrator"]);
});
afterAll(() => server.close());
beforeEach(async () => {
  server.received.length = 0;
  server.refuseWith = 0;
  await desk.query("delete from invitation_mails");
  await desk.query("delete from rate_windows");
});

const { signal } = new AbortController();
const send = () => makeMailRound(desk.deps, { mailer: server.mailer, perHour: 100 })(signal);
const retry = () => desk.query("update invitation_mails set next_attempt_at = clock_timestamp()");
const stored = () =>
  desk.query<{ text: string; outcome: string | null }>(
    "select m::text as text, outcome from invitation_mails m",
  );
const linkIn = (text: string | undefined): string =>
  /https:\/\/console\.example\/#\/invitation\/[\w-]+/.exec(
    text?.replaceAll("=3D", "=") ?? "",
  )?.[0] ?? "";

let people = 0;
async function invite(body: object = {}, by: ConsoleBrowser = admin) {
  people += 1;
  const email = `guest${people}@example.com`;
  const payload = { email, name: "Guest", roles: ["viewer"], linkBy: "mail", ...body };
  const reply = await by.call(CALLS.invitePerson, { payload });
  const mailOf = async () => {
    const { data } = (await by.call(CALLS.listPeople)).body;
    return data.find((one) => one.email === email)?.invitationMail;
  };
  return { email, reply, mailOf, personId: reply.body.data?.person.personId ?? "" };
}

test("the link goes to the person once and to nobody else, and opens the account", async () => {
  const { email, reply, mailOf } = await invite();
  expect(reply.status).toBe(201);
  expect(reply.body.data.link).toBeNull();
  expect(await mailOf()).toBe("waiting");
  await Promise.all([send(), send()]);
  await retry();
  await send();
  expect(server.received.map(({ to }) => to)).toEqual([[email]]);
  expect(await mailOf()).toBe("sent");
  const link = linkIn(server.received[0]?.text);
  const accepted = await acceptLink(desk.browser(email), link);
  expect(accepted.status).toBe(201);
  expect(await stored()).toEqual([]);
  const secret = link.split("/").at(-1) ?? "";
  expect(lines.filter((line) => line.includes(secret) || line.includes(email))).toEqual([]);
});

test("the database never has the link in the clear, and not even sealed once it was sent", async () => {
  await invite();
  const [waiting] = await stored();
  await send();
  const token = linkIn(server.received[0]?.text).split("/").at(-1) ?? "";
  expect(token).toMatch(/^[\w-]{43}$/);
  const hex = Buffer.from(token).toString("hex");
  expect([waiting?.text.includes(token), waiting?.text.includes(hex)]).toEqual([false, false]);
  expect(await desk.query("select link_sealed from invitation_mails")).toEqual([
    { link_sealed: null },
  ]);
});

test("the mail is in the person's language, which an administrator can change", async () => {
  const { personId } = await invite({ language: "de" });
  await send();
  expect(server.received[0]?.text).toMatch(
    /^Subject: Ihr Konto in der Konsole von console.example/m,
  );
  const params = { personId };
  await admin.call(CALLS.changePerson, { params, payload: { language: "en" } });
  await admin.call(CALLS.inviteAgain, { params, payload: { linkBy: "mail" } });
  await send();
  expect(server.received[1]?.text).toMatch(/^Subject: Your account in the console of/m);
});

test("a merchant's owner mails an invitation in the name of the merchant", async () => {
  const owner = await desk.person(["merchant_owner"], MERCHANT_ID);
  await invite({ roles: ["merchant_support"] }, owner);
  await send();
  expect(server.received[0]?.text).toMatch(/^Subject: Your account in the console of Test Shop/m);
});

test("a new link takes the mail of the earlier one away, and a link by hand is in the answer", async () => {
  const { personId, mailOf } = await invite();
  const again = await admin.call(CALLS.inviteAgain, { params: { personId }, payload: {} });
  expect(again.body.data.link).toContain("/#/invitation/");
  expect(await mailOf()).toBeNull();
  await send();
  expect(server.received).toEqual([]);
});

test("a server that is away loses nothing, and a refused address is said", async () => {
  const { mailOf } = await invite();
  server.refuseWith = 451;
  await send();
  expect(await mailOf()).toBe("waiting");
  server.refuseWith = 550;
  await retry();
  await send();
  expect(await mailOf()).toBe("refused");
  expect((await stored()).map(({ outcome }) => outcome)).toEqual(["refused"]);
});

test("nothing is sent to a person who was disabled, or after the link ended", async () => {
  const { personId } = await invite();
  const payload = { state: "disabled" };
  await admin.call(CALLS.changePerson, { params: { personId }, payload });
  const late = await invite();
  await desk.query("update invitations set expires_at = clock_timestamp() where person_id = $1", [
    late.personId,
  ]);
  await send();
  expect(server.received).toEqual([]);
  expect((await stored()).map(({ outcome }) => outcome)).toEqual(["dropped"]);
});

test("a mail that was dropped while the merchant was disabled is said when it is enabled again", async () => {
  const owner = await desk.person(["merchant_owner"], MERCHANT_ID);
  const { mailOf } = await invite({ roles: ["merchant_support"] }, owner);
  await desk.query("update merchants set disabled_at = clock_timestamp() where id = $1", [
    MERCHANT_ID,
  ]);
  await send();
  await desk.query("update merchants set disabled_at = null where id = $1", [MERCHANT_ID]);
  expect(server.received).toEqual([]);
  expect(await mailOf()).toBe("refused");
});

test("a person gets few links by mail in a day, and then by hand", async () => {
  const { personId } = await invite();
  const again = (linkBy: string) =>
    admin.call(CALLS.inviteAgain, { params: { personId }, payload: { linkBy } });
  for (let count = 0; count < MAILED_TO_PERSON_MAX; count += 1) {
    expect((await again("mail")).status).toBe(201);
  }
  expect((await again("mail")).code).toBe("RATE_LIMITED");
  expect((await again("hand")).status).toBe(201);
});

test("without a mail server the invitation is refused and nobody is invited", async () => {
  const silent = { ...desk.deps, offersMail: false };
  const refused = invitePerson(silent, {
    ...{ email: "nobody@example.com", name: "Nobody", roles: ["viewer"], merchantId: null },
    linkBy: "mail",
    by: operatorNamed("anna"),
  });
  await expect(refused).rejects.toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
  expect(await desk.query("select id from people where email = 'nobody@example.com'")).toEqual([]);
});

test("a link that waits is sealed again by a new key, and is still sent", async () => {
  await invite();
  const [before] = await desk.query<{ sealed: Buffer }>(
    "select link_sealed as sealed from invitation_mails",
  );
  // The current key of this world stands for a new one: the value claims another.
  await rewrapSecrets(desk.deps, { keyId: "other", onBatch: () => {} });
  const [after] = await desk.query<{ sealed: Buffer }>(
    "select link_sealed as sealed from invitation_mails",
  );
  expect(after?.sealed.equals(before?.sealed ?? Buffer.alloc(0))).toBe(false);
  await send();
  expect(linkIn(server.received[0]?.text)).not.toBe("");
});
