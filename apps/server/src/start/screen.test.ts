import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { RunningService } from "./running-service.ts";
import { screenText } from "./screen.ts";

function screenOf(variables: NodeJS.ProcessEnv, lines: readonly string[] = []): string {
  const config = readConfig(variables);
  const url = `http://localhost:${config.port}`;
  // The screen reads nothing else of the service.
  const service = { url, config, console: undefined, demo: undefined } as unknown as RunningService;
  return screenText({ service, shop: undefined, lines });
}

test("a service on another folder and port prints the settings for a second terminal", () => {
  const text = screenOf({ EXCHANGE_DATA_DIR: "/srv/it's here", PORT: "9090" });
  expect(text).toContain(String.raw`    export EXCHANGE_DATA_DIR='/srv/it'\''s here' PORT=9090`);
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
