import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { API_ERRORS, ENDPOINTS } from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  closePages,
  hasBrowser,
  LOOKS,
  openBrowser,
  openPage,
  recordRequests,
} from "../support/browser/browser.ts";
import { call } from "../support/http/api.ts";
import type { OpenApiDocument } from "../support/http/openapi.ts";
import { ROOT } from "../support/service/service.ts";

const service = inject("service");
const execute = promisify(execFile);
let folder: string;
let document: OpenApiDocument;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "openapi-"));
  const answer = await call<OpenApiDocument>(service, { path: "/v1/openapi.json" });
  expect(answer.status).toBe(200);
  document = answer.body;
  await writeFile(path.join(folder, "openapi.json"), answer.text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Lints a document in the folder with Redocly's recommended rules. Throws when it finds an error. */
async function lint(name: string): Promise<string> {
  const file = path.join(ROOT, "node_modules", ".bin", "redocly");
  const args = ["lint", name, "--extends=recommended"];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const run = execute(file, args, { cwd: folder, env, timeout: 120_000 });
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`redocly: ${error.stdout}${error.stderr}`);
  });
  return stdout + stderr;
}

test("it is OpenAPI 3.1 and has every endpoint with its errors", () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  for (const endpoint of Object.values(ENDPOINTS)) {
    const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
    expect(operation?.operationId).toBe(endpoint.operationId);
    const statuses = [endpoint.success.status, ...endpoint.errors].map(String);
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
  }
});

test("Redocly's recommended rules find no error", async () => {
  const output = await lint("openapi.json");
  expect(output).toMatch(/valid/i);
});

test("a planted fault is found", async () => {
  const broken = { ...document, paths: { "/x": { get: { responses: { 200: {} } } } } };
  await writeFile(path.join(folder, "broken.json"), JSON.stringify(broken));
  await expect(lint("broken.json")).rejects.toThrow();
});

describe("the browsable page", () => {
  test("is served and refers to nothing elsewhere", async () => {
    const { status, headers, text } = await call(service, { path: "/docs/api" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/html/);
    const loaded = [...text.matchAll(/(?:src|href)="(https?:)?\/\/([^"]+)"/g)];
    expect(loaded.filter(([tag]) => tag.startsWith("src"))).toEqual([]);
    expect(headers.get("content-security-policy")).toMatch(/default-src/);
  });

  test
    .skipIf(!hasBrowser)
    .each(["desktop-light", "desktop-dark", "phone-light", "phone-dark"] as const)(
    "is searched, shows one language everywhere and loads its own files only (%s)",
    async (look) => {
      const browser = await openBrowser();
      try {
        const page = await openPage(browser, LOOKS[look]);
        const problems: string[] = [];
        page.on("console", (message) => problems.push(message.text()));
        page.on("pageerror", (error) => problems.push(String(error)));
        const requests = recordRequests(page);
        await page.goto(`${service.url}/docs/api`);
        await page.getByRole("searchbox").fill("refund order");
        const titles = page.locator("h3:visible");
        expect(await titles.allTextContents()).toContain("Refund an order");
        expect(await titles.allTextContents()).not.toContain("List currencies");
        await page.keyboard.press("Escape");
        await page.locator("#createQuote").scrollIntoViewIfNeeded();
        await page.locator("section:has(> #createQuote) summary").getByText("PHP").click();
        const open = page.locator("section:has(> #readOrder) details[open] summary");
        // Browsers tell of an opened example in a later task, and the page opens the others then.
        await expect.poll(() => open.allTextContents()).toEqual(["PHP"]);
        const overflow = "document.documentElement.scrollWidth - window.innerWidth";
        expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
        expect(requests.filter((request) => !request.includes(service.url))).toEqual([]);
        expect(problems).toEqual([]);
      } finally {
        await closePages(browser);
      }
    },
  );
});

test("every status of the errors table is documented somewhere", () => {
  const documented = new Set(
    Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap(({ responses }) => Object.keys(responses ?? {})),
    ),
  );
  const statuses = new Set(Object.values(API_ERRORS).map(({ status }) => String(status)));
  for (const status of statuses) expect(documented).toContain(status);
});
