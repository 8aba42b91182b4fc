import { expect, test } from "vitest";
import { namedIn } from "./options.mjs";

test.each([
  [[], [], []],
  [["-t", "a title"], [], []],
  [["--testNamePattern", "a title", "popup"], [], ["popup"]],
  [["--project", "drills"], ["drills"], []],
  [["--project=!drills", "--project=unit", "alerts.test"], ["!drills", "unit"], ["alerts.test"]],
])("%j names the projects %j and the files %j", (options, projects, files) => {
  expect(namedIn(options)).toEqual({ projects, files });
});
