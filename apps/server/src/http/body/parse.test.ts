import { describe, expect, test } from "vitest";
import { Refusal } from "../../flows/refusal.ts";
import { parseJsonBody } from "./parse.ts";

const parse = (text: string) => parseJsonBody(new TextEncoder().encode(text));

function refusalOf(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("the body was accepted");
}

const nested = (depth: number): string => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

describe("bodies that are accepted", () => {
  test.each([
    ["{}", {}],
    ['{"amount":100.25}', { amount: 100.25 }],
    ['{"amount":1e2}', { amount: 100 }],
    ['{"amount":0e400}', { amount: 0 }],
    ['{"amount":0.00000001}', { amount: 0.00000001 }],
    ['{"amount":1e-8}', { amount: 1e-8 }],
    ['{"amount":123456789012345}', { amount: 123456789012345 }],
    ['{"amount":1234567.12345678}', { amount: 1234567.12345678 }],
    ['{"amount":100.250000000000}', { amount: 100.25 }],
    ['{"a":{"x":1},"b":{"x":2}}', { a: { x: 1 }, b: { x: 2 } }],
    ['{"a":[{"x":1},{"x":2}]}', { a: [{ x: 1 }, { x: 2 }] }],
    ['{"a":"say \\"__proto__\\": {}"}', { a: 'say "__proto__": {}' }],
    ['{"a":"__proto__"}', { a: "__proto__" }],
    ['{"a":"1e400"}', { a: "1e400" }],
    ['{"constructor":"Ada"}', { constructor: "Ada" }],
    ['{"prototype":{"x":1}}', { prototype: { x: 1 } }],
    ['{"a":"\\ud83d\\ude00"}', { a: "😀" }],
    ['{"a":"\\\\u0000"}', { a: "\\u0000" }],
    ['  {"a" : -5 , "b":[true,false,null]}\n', { a: -5, b: [true, false, null] }],
  ])("%s", (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  test("32 levels are read", () => {
    expect(parse(nested(32))).toHaveProperty("a");
  });
});

describe("bodies that are not JSON say so", () => {
  test.each([
    ["nothing", ""],
    ["white space", " \n "],
    ["a lone brace", "{"],
    ["single quotes", "{'a':1}"],
    ["a trailing comma", '{"a":1,}'],
    ["a comment", '{"a":1/**/}'],
    ["NaN", '{"a":NaN}'],
    ["Infinity", '{"a":Infinity}'],
    ["a leading zero", '{"a":012}'],
    ["a leading plus", '{"a":+1}'],
    ["hexadecimal", '{"a":0x10}'],
    ["a raw line break in a string", '{"a":"\n"}'],
    ["two documents", "{}{}"],
    ["a byte order mark", '\uFEFF{"a":1}'],
  ])("%s", (_name, text) => {
    const refusal = refusalOf(() => parse(text));
    expect(refusal.code).toBe("INVALID_INPUT");
    expect(refusal.message).toContain("Invalid JSON in the request body");
  });

  test("bytes that are not UTF-8", () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect(refusalOf(() => parseJsonBody(bytes)).message).toContain("not UTF-8");
  });
});

describe("JSON that is refused", () => {
  test.each([
    ["an array", "[]", "body", "must be a JSON object"],
    ["a string", '"a"', "body", "must be a JSON object"],
    ["null", "null", "body", "must be a JSON object"],
    ["33 levels", nested(33), "body.a", "deeper than 32"],
    ["60,000 levels", nested(30_000), "body.a", "deeper than 32"],
    ["__proto__", '{"__proto__":{"admin":true}}', "body.__proto__", "not allowed"],
    ["__proto__ inside", '{"a":{"__proto__":1}}', "body.a.__proto__", "not allowed"],
    ["__proto__ in escapes", '{"\\u005f_proto__":1}', "body.__proto__", "not allowed"],
    [
      "constructor.prototype",
      '{"constructor":{"prototype":{"a":1}}}',
      "body.constructor.prototype",
      "not allowed",
    ],
    ["a key twice", '{"a":1,"a":2}', "body.a", "appears twice"],
    ["a key twice in escapes", '{"a":1,"\\u0061":2}', "body.a", "appears twice"],
    ["a key twice after an object", '{"a":{"b":1},"a":2}', "body.a", "appears twice"],
    ["1e400", '{"a":1e400}', "body.a", "significant digits"],
    ["-1e400", '{"a":-1e400}', "body.a", "significant digits"],
    ["1e-30", '{"a":1e-30}', "body.a", "significant digits"],
    ["1e99999", '{"a":1e99999}', "body.a", "significant digits"],
    ["nine decimals", '{"a":0.000000001}', "body.a", "significant digits"],
    ["19 digits", '{"a":0.1000000000000000055}', "body.a", "significant digits"],
    ["16 digits", '{"a":1234567890123456}', "body.a", "significant digits"],
    ["a number of 60,000 digits", `{"a":${"9".repeat(60_000)}}`, "body.a", "significant digits"],
    ["an id without quotes", '{"sessionId":12345678901234567}', "body.sessionId", "in quotes"],
    ["a hidden number", '{"lock":{"baseAmount":1e-9}}', "body.lock.baseAmount", "significant"],
    ["U+0000 in a value", '{"a":"x\\u0000"}', "body.a", "U+0000"],
    ["U+0000 in a key", '{"\\u0000":1}', "body.\0", "U+0000"],
    ["half a surrogate pair", '{"a":"\\ud800"}', "body.a", "surrogate"],
  ])("%s", (_name, text, path, issue) => {
    const refusal = refusalOf(() => parse(text));
    expect(refusal.code).toBe("INVALID_INPUT");
    expect(refusal.details).toEqual([{ path, issue: expect.stringContaining(issue) }]);
  });

  test("more than 64 kB", () => {
    const refusal = refusalOf(() => parse(`{"a":"${"x".repeat(64 * 1024)}"}`));
    expect(refusal.code).toBe("PAYLOAD_TOO_LARGE");
  });

  test("an accepted body never changes what all objects inherit", () => {
    refusalOf(() => parse('{"__proto__":{"polluted":true}}'));
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
