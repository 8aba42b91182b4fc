import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./checks/tracked.mjs";

const campaign = (...args) => {
  const run = spawnSync(process.execPath, [path.join(ROOT, "tools/campaign.mjs"), ...args], {
    encoding: "utf8",
  });
  return { status: run.status, words: run.stderr };
};

test("without a name, with a wrong one or a wrong number, it says what there is", () => {
  for (const args of [[], ["nothing"], ["races", "--rounds", "many"]]) {
    const { status, words } = campaign(...args);
    expect(status).toBe(2);
    expect(words).toMatch(/crash .*\n.*races .*\n.*models .*\n.*zoo .*\n.*database /);
  }
});
