import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isPrivateFile, privateFileWords } from "./private-file.ts";

const OURS = process.getegid?.() ?? 0;
const FOREIGN = 54_321;

test.each([
  ["its owner's alone", 0o100600, 1000, FOREIGN, true],
  ["read-only for its owner", 0o100400, 0, 0, true],
  ["mounted by Kubernetes with fsGroup", 0o100440, 0, OURS, true],
  ["a credential of systemd with an access list", 0o100440, 0, 0, true],
  ["root's, with rights of its owner", 0o100640, 0, OURS, true],
  ["readable by a group of others", 0o100440, 0, FOREIGN, false],
  ["of another user, readable by our group", 0o100440, 1000, OURS, false],
  ["writable by its group", 0o100660, 0, OURS, false],
  ["readable by everybody", 0o100444, 0, OURS, false],
  ["readable by everybody but its group", 0o100604, 0, OURS, false],
] as const)("a file that is %s", (_words, mode, uid, gid, expected) => {
  expect(isPrivateFile({ mode, uid, gid })).toBe(expected);
});

test.runIf(process.getuid?.() === 0)(
  "a secret of root that another group may read is not to be changed: its reader joins the group",
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), "exchange-private-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, "secret-keys");
    writeFileSync(file, "");
    chownSync(file, 0, FOREIGN);
    chmodSync(file, 0o440);
    expect(privateFileWords(file)).toContain(`a member of it, such as: docker exec --user`);
    expect(privateFileWords(file)).toContain(`:${FOREIGN}.`);
    expect(privateFileWords(file)).not.toContain("chmod");
    chmodSync(file, 0o444);
    expect(privateFileWords(file)).toContain(`chmod 600 ${file}`);
  },
);
