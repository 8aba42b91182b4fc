import { readFileSync } from "node:fs";
import {
  API_ERRORS,
  ENDPOINTS,
  type Endpoint,
  keyScopeOf,
  ORDER_STATUSES,
  STATUS_REASONS,
  WEBHOOK_EVENT_TYPES,
} from "@exchange/contract";
import { LEDGER_ACCOUNTS } from "@exchange/contract/admin";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../cli/main.ts";
import { ORDER_MOVES } from "../domain/orders/status.ts";
import { SANDBOX_CARDS } from "../sandbox/cards/test-cards.ts";
import { RETRY_DELAYS_MS } from "../webhooks/schedule.ts";

const DOCS = new URL("../../../../docs/reference/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(`${name}.md`, DOCS), "utf8");

/** Returns the cells of the rows whose first cell is code, without its code marks. */
const rowsOf = (name: string): string[][] => rowsIn(read(name));
const rowsIn = (page: string): string[][] =>
  page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").slice(1, -1))
    .map(([first = "", ...others]) => [
      first.trim().replaceAll("`", ""),
      ...others.map((cell) => cell.trim()),
    ]);

const codesIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z_]+)`/g)].map(([, code = ""]) => code);

test("errors.md lists exactly the codes the service can answer with, and their statuses", () => {
  const documented = rowsOf("errors").map(([code, status]) => [code, Number(status)]);
  const real = Object.entries(API_ERRORS).map(([code, { status }]) => [code, status]);
  expect(documented).toEqual(real);
});

/** A browser's endpoint may need no scope; a merchant's always needs one. */
function scopeCell(endpoint: Endpoint): string {
  const scope = endpoint.caller === "merchant" ? keyScopeOf(endpoint) : endpoint.scope;
  return scope === undefined ? "" : `\`${scope}\``;
}

test("endpoints.md lists exactly the endpoints, with caller and scope", () => {
  const documented = rowsOf("endpoints").filter(([name = ""]) =>
    /^(GET|POST|PATCH|DELETE) /.test(name),
  );
  const real = Object.values(ENDPOINTS).map((endpoint: Endpoint) => [
    `${endpoint.method} ${endpoint.path}`,
    endpoint.caller,
    scopeCell(endpoint),
  ]);
  expect(documented.map((cells) => cells.slice(0, 3))).toEqual(real);
});

test("events.md lists exactly the events and the retry delays", () => {
  expect(rowsOf("events").map(([name]) => name)).toEqual(
    expect.arrayContaining([...WEBHOOK_EVENT_TYPES]),
  );
  const words = { s: 1_000, min: 60_000, h: 3_600_000 } as const;
  const sentence =
    /follows after ([^.]*?) each/s.exec(read("events").replaceAll("\n", " "))?.[1] ?? "";
  const delays = [...sentence.matchAll(/(\d+) (s|min|h)\b/g)].map(
    ([, amount, unit]) => Number(amount) * words[unit as keyof typeof words],
  );
  expect(delays).toEqual(RETRY_DELAYS_MS);
});

describe("order-states.md", () => {
  test("has every status with exactly its moves", () => {
    const documented = rowsOf("order-states")
      .slice(0, ORDER_STATUSES.length)
      .map(([status, , moves = ""]) => [status, codesIn(moves)]);
    expect(documented).toEqual(
      Object.entries(ORDER_MOVES).map(([status, moves]) => [status, [...moves]]),
    );
    expect(documented.map(([status]) => status)).toEqual([...ORDER_STATUSES]);
  });

  test("has every reason with what becomes of it", () => {
    const documented = rowsOf("order-states").slice(ORDER_STATUSES.length);
    expect(documented.map(([reason]) => reason)).toEqual([...STATUS_REASONS]);
    expect(documented.every((cells) => cells.length === 3 && !cells.includes(""))).toBe(true);
  });
});

test("reports.md says what each account of the ledger holds", () => {
  const page = readFileSync(new URL("../operating/reports.md", DOCS), "utf8");
  const table = page.split("| Account | What it holds |")[1]?.split("\n\n")[0] ?? "";
  const documented = rowsIn(table).flatMap(([names = ""]) => names.split(", "));
  expect(documented.toSorted()).toEqual([...LEDGER_ACCOUNTS].toSorted());
});

test("sandbox-cards.md lists exactly the sandbox's cards", () => {
  const documented = rowsOf("sandbox-cards").map(([number = "", brand]) => [
    number.replaceAll(" ", ""),
    brand,
  ]);
  expect(documented).toEqual(SANDBOX_CARDS.map(({ number, brand }) => [number, brand]));
});

test("command-line.md lists exactly the commands, and names every option", () => {
  const text = read("command-line");
  expect(rowsOf("command-line")).toEqual(COMMANDS.map(({ name, summary }) => [name, summary]));
  for (const { options, name } of COMMANDS) {
    const section = text.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? "";
    const documented = [...section.matchAll(/^- `--([a-z-]+)/gm)].map(([, option]) => option);
    expect(documented).toEqual(Object.keys(options));
  }
});
