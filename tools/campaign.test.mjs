import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { filesOf } from "./campaigns/chains.mjs";
import { ROOT, readTracked } from "./checks/tracked.mjs";

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
    expect(words).toMatch(
      /crash .*\n.*races .*\n.*decisions .*\n.*models .*\n.*zoo .*\n.*database /,
    );
  }
});

test("the campaign of chains runs each history that its page lists, and each by its name", () => {
  const [, section] = readTracked("docs/operating/campaigns.md").split("\n## chains\n");
  const histories = [...section.split("\n## ")[0].matchAll(/^\| `(.+?)` \|/gm)].map(
    ([, name]) => name,
  );
  const chosen = histories.map((name) => filesOf(`${name} 7`));
  for (const [at, files] of chosen.entries()) {
    expect(files).toHaveLength(1);
    expect(readTracked(`tests/chains/${files[0]}.test.ts`)).toContain(`${histories[at]} `);
  }
  expect(filesOf(undefined).toSorted()).toEqual(chosen.flat().toSorted());
});
