import { expect, test } from "vitest";
import { isPrivateFile } from "./private-file.ts";

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
] as const)("F9: a file that is %s", (_words, mode, uid, gid, expected) => {
  expect(isPrivateFile({ mode, uid, gid })).toBe(expected);
});
