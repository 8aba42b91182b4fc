import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { RunningService } from "./running-service.ts";
import { screenText } from "./screen.ts";

function screenOf(
  variables: NodeJS.ProcessEnv,
  lines: readonly string[] = [],
  demo?: object,
): string {
  const config = readConfig(variables);
  const url = `http://localhost:${config.port}`;
  // The screen reads nothing else of the service.
  const service = { url, config, console: undefined, demo } as unknown as RunningService;
  return screenText({ service, shop: undefined, lines });
}

test("a service on another folder and port prints the settings for a second terminal", () => {
  const text = screenOf({ EXCHANGE_DATA_DIR: "/srv/it's here", PORT: "9090" });
  expect(text).toContain(String.raw`    export EXCHANGE_DATA_DIR='/srv/it'\''s here' PORT=9090`);
});

const DATABASE_URL = "postgres://localhost/exchange";

test.each([
  ["all", ["API", "Documents", "Checkout", "Probes"]],
  ["api", ["API", "Documents", "Checkout", "Probes"]],
  ["worker", ["Worker", "Probes"]],
  ["console", ["Probes"]],
])("a process of the kind %s prints the addresses that it serves, and no other", (role, parts) => {
  const text = screenOf({ EXCHANGE_ROLE: role, DATABASE_URL, EXCHANGE_HEALTH_PORT: "9464" });
  const labels = [...text.matchAll(/^ {4}([A-Z]\w+) /gm)].map(([, label]) => label);
  expect(labels).toEqual(parts);
  expect(text).toContain("http://localhost:9464/readyz");
  expect(text.includes("http://localhost:8080")).toBe(parts.includes("API"));
});

test("a worker with a demo merchant prints no call of an API that it does not serve", () => {
  const demo = { clientId: "client_dev_AAAAAAAAAAAAAAAA", keyFile: "/srv/demo" };
  const text = screenOf({ EXCHANGE_ROLE: "worker", DATABASE_URL }, [], demo);
  expect(text).toContain(demo.clientId);
  expect(text).not.toContain("curl");
});

test("a service whose console has another port prints it, because the link of an invitation has it", () => {
  expect(screenOf({ EXCHANGE_CONSOLE_PORT: "9182" })).toContain(
    "export EXCHANGE_CONSOLE_PORT=9182",
  );
});

test.each([
  ["the defaults", {}, []],
  [
    "a database of the operator's",
    { DATABASE_URL: "postgres://localhost/exchange", PORT: "9090" },
    [],
  ],
  ["programs that print their own line", { PORT: "9090" }, ["  Test chain   http://localhost:1"]],
] as const)("a service with %s prints none", (_case, variables, lines) => {
  expect(screenOf(variables, lines)).not.toContain("export");
});
