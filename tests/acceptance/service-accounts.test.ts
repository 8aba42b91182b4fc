import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, openBrowser } from "../support/browser/browser.ts";
import { type ConsolePage, openConsole } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { exchange, exchangeHere, runHere } from "../support/service/command-line.ts";
import { freePort } from "../support/service/processes.ts";
import { type StartedService, startService } from "../support/service/service.ts";

let service: StartedService;
let url: string;
const folder = mkdtempSync(path.join(tmpdir(), "exchange-keys-"));
const keyFile = path.join(folder, "treasury.key");
/** The key of the operator's service account with the role `treasury`. */
let key: string;

const api = (...words: string[]) => runHere(service, "api", ...words, "--url", url);
const apiWithKey = (...words: string[]) => api(...words, "--key-file", keyFile);

beforeAll(async () => {
  const consolePort = String(await freePort());
  url = `http://localhost:${consolePort}`;
  service = await startService({ env: { EXCHANGE_CONSOLE_PORT: consolePort } });
  const made = await exchangeHere<{ key: string }>(
    service,
    ...["service-accounts", "create", "night-watch", "--role", "treasury"],
  );
  ({ key } = made);
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
});
afterAll(async () => {
  await service?.discard();
  rmSync(folder, { recursive: true });
});

describe("exchange api", () => {
  test("lists the operations that a service account may call, and no others", async () => {
    const { status, stdout } = await api();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^stopPayouts +Payouts +Stop /m);
    expect(stdout).not.toMatch(/^(resumePayouts|approvePayout|readMe|invitePerson) /m);
  });

  test("describes an operation with its parameters and its body", async () => {
    const { stdout } = await api("stopPayouts", "--describe");
    expect(stdout).toContain("POST /v1/admin/stops");
    expect(stdout).toMatch(/^kind +yes +all \| /m);
    expect(stdout).toContain("Call it: exchange api stopPayouts --body request.json");
    const refused = await api("approvePayout", "--describe");
    expect(refused.stdout).toContain("A service account may not call it.");
  });

  test("reads as the service account, as a table that fits and as JSON", async () => {
    const table = await exchange(
      service,
      "api",
      "listAllOrders",
      "--url",
      url,
      "--key-file",
      keyFile,
    );
    expect([table.status, table.stderr]).toEqual([0, ""]);
    expect(table.stdout.trim()).toBe("The list is empty.");
    const listed = await apiWithKey("listAllOrders", "--param", "limit=5", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject({ data: [], nextCursor: null });
    const file = await apiWithKey("exportOrders");
    expect(file.stdout).toMatch(/^order,placed,/);
  });

  test("changes something with a body, and the log names the account and the address", async () => {
    const body = path.join(folder, "stop.json");
    writeFileSync(body, JSON.stringify({ kind: "network", subject: "bitcoin", reason: "drill" }));
    const stopped = await apiWithKey("stopPayouts", "--body", body);
    expect(stopped.status, stopped.stderr).toBe(0);
    expect(stopped.stdout).toMatch(/^KIND .*\n.*bitcoin.*service-account\.night-watch/m);
    const [logged] = await exchangeHere<object[]>(service, "payouts", "log", "--limit", "1");
    expect(logged).toMatchObject({
      ...{ person: "service-account.night-watch", action: "stop" },
      address: expect.stringMatching(/127\.0\.0\.1|::1/),
    });
    const resume = path.join(folder, "resume.json");
    writeFileSync(resume, JSON.stringify({ kind: "network", subject: "bitcoin" }));
    const refused = await apiWithKey("resumePayouts", "--body", resume, "--json");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("A person does it in the console. (PERSON_REQUIRED)");
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "PERSON_REQUIRED" } });
  });

  test("says what was wrong, and shows the service's own words", async () => {
    const shared = path.join(folder, "shared.key");
    writeFileSync(shared, key);
    chmodSync(shared, 0o644);
    const other = path.join(folder, "other.key");
    writeFileSync(other, "exk_dev_nothing", { mode: 0o600 });
    for (const [words, status, sentence] of [
      [["listPayout"], 2, "Did you mean listPayouts?"],
      [["listPayouts", "--param", "color=red"], 2, "is not a parameter of listPayouts"],
      [["readPayout"], 2, "readPayout needs --param payoutId=VALUE"],
      [["stopPayouts"], 2, "stopPayouts needs --body"],
      [["listPayouts"], 2, "--key-file or EXCHANGE_ADMIN_KEY_FILE"],
      [["listPayouts", "--key-file", shared], 2, "chmod 600"],
      [["listPayouts", "--key-file", other], 2, "does not hold the key of a service account"],
      [["listPayouts", "--param", "which=red", "--key-file", keyFile], 1, "(INVALID_INPUT)"],
      [["readPayout", "--param", "payoutId=x", "--key-file", keyFile], 1, "(INVALID_INPUT)"],
      [["listServiceAccounts", "--key-file", keyFile], 1, "(ROLE_REQUIRED)"],
    ] as const) {
      const refused = await api(...words);
      expect([words, refused.status, refused.stderr]).toEqual([
        ...[words, status],
        expect.stringContaining(sentence),
      ]);
      expect(refused.stderr).not.toContain(key);
    }
    const away = await runHere(service, "api", "--url", "http://127.0.0.1:1");
    expect([away.status, away.stderr]).toEqual([1, expect.stringContaining("cannot be reached")]);
  });

  test("is refused from the moment that the account is revoked, and no log has the key", async () => {
    const [account] = await exchangeHere<{ id: string; name: string }[]>(
      ...([service, "service-accounts", "list"] as const),
    );
    await exchangeHere(service, "service-accounts", "revoke", account?.id ?? "");
    const refused = await apiWithKey("listPayouts");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("(SERVICE_ACCOUNT_KEY_INVALID)");
    expect(service.process.output()).not.toContain(key.split("_")[3]);
  });
});

describe.runIf(hasBrowser)("service accounts in the console", () => {
  const { look, faults } = makeLook();
  let browser: Browser;
  let operator: ConsolePage;

  beforeAll(async () => {
    browser = await openBrowser();
    operator = await openConsole(browser, url);
    const [link] = await service.process.waitFor(/http:\/\/localhost:\d+\/#\/invitation\/\S+/);
    await operator.accept(link);
  });
  afterAll(() => browser && closePages(browser));

  test("are created with a key that is shown once and works, listed and revoked", async () => {
    const { page } = operator;
    await operator.open("people");
    await operator.button("Create a service account").click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("nightly-report");
    await form.getByLabel("Role").selectOption("Viewer");
    await form.getByLabel("The key works for").selectOption("30 days");
    await look(operator, "service-account-form");
    await form.getByRole("button", { name: "Create a service account" }).press("Enter");
    const shown = (await page.locator("dialog .secret").textContent()) ?? "";
    expect(shown).toMatch(/^exs_dev_/);
    await look(operator, "service-account-key");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();

    const made = path.join(folder, "report.key");
    writeFileSync(made, shown, { mode: 0o600 });
    expect((await api("listPayouts", "--key-file", made)).status).toBe(0);

    await page.reload();
    const card = page.locator("section.card", { hasText: "nightly-report" });
    await card.getByText("127.0.0.1").or(card.getByText("::1")).waitFor();
    expect(await page.locator("body").textContent()).not.toContain(shown);
    await look(operator, "service-accounts");
    await card.getByRole("button", { name: "Revoke" }).click();
    await look(operator, "service-account-revoke");
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Service accounts that ended: 2").waitFor();
    expect((await api("listPayouts", "--key-file", made)).status).toBe(1);
    expect(faults).toEqual([]);
  });
});
