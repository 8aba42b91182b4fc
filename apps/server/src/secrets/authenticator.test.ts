import { expect, test } from "vitest";
import { makeAuthenticatorSecret, stepOfCode } from "./authenticator.ts";

// RFC 6238, appendix B: the code of this secret in the step from 30 to 60 seconds after 1970, cut to six digits.
const SECRET = makeAuthenticatorSecret(() => Buffer.from("12345678901234567890"));
const CODE = "287082";
const at = (seconds: number): Date => new Date(seconds * 1_000);

test.each([0, 30, 59, 89])(
  "the code of RFC 6238 is right at %d seconds, and has its own step",
  (seconds) => {
    expect(stepOfCode(SECRET, CODE, at(seconds))).toBe(1n);
  },
);

test("a code is wrong two steps later, and with another digit or form", () => {
  expect(stepOfCode(SECRET, CODE, at(90))).toBeUndefined();
  for (const code of ["287083", "28708", "2870820", " 287082", ""]) {
    expect(stepOfCode(SECRET, code, at(59)), code).toBeUndefined();
  }
});
