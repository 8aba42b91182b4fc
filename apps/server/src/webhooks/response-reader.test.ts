import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NotHttp, ResponseReader } from "./response-reader.ts";

const CASES = 10_000;

/** What is told of an answer that comes in these parts. */
function readParts(parts: readonly Buffer[]) {
  const heads: [number, string | undefined][] = [];
  const bodies: Buffer[] = [];
  const reader = new ResponseReader({
    onHead: (status, retryAfter) => heads.push([status, retryAfter]),
    onBody: (part) => bodies.push(Buffer.from(part)),
  });
  for (const part of parts) reader.read(part);
  const isOver = reader.isOver;
  const { reusableMs } = reader;
  reader.end();
  const body = Buffer.concat(bodies).toString("latin1");
  return { heads, body, isOver, isOverAtEnd: reader.isOver, reusableMs };
}
const read = (text: string) => readParts([Buffer.from(text, "latin1")]);

const chunked = (parts: readonly string[]): string =>
  parts.map((part) => `${part.length.toString(16)};x=1\r\n${part}\r\n`).join("");

const bodies = fc.string({ minLength: 1, maxLength: 40, unit: "binary-ascii" });
const answers = fc
  .record({
    status: fc.integer({ min: 200, max: 999 }).filter((status) => ![204, 304].includes(status)),
    reason: fc.constantFrom("", " ", " OK", " \u00e9"),
    interim: fc.constantFrom("", "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"),
    fields: fc.constantFrom("", "Date: today\r\n", "X-Odd:\tfolded\r\n once more\r\n"),
    chunks: fc.array(bodies, { maxLength: 4 }),
    isChunked: fc.boolean(),
  })
  .map((answer) => {
    const { status, reason, interim, fields, chunks, isChunked } = answer;
    const body = chunks.join("");
    const framing = isChunked ? "Transfer-Encoding: chunked" : `content-LENGTH:${body.length} `;
    const sent = isChunked ? `${chunked(chunks)}0\r\nTrailer: 1\r\n\r\n` : body;
    const head = `HTTP/1.1 ${status}${reason}\r\n${fields}Retry-After: 7\r\n${framing}\r\n\r\n`;
    return { status, body, text: `${interim}${head}${sent}` };
  });

test("an answer is read alike, in whatever parts it comes", () => {
  const cuts = fc.array(fc.nat(400), { maxLength: 12 });
  const check = fc.property(answers, cuts, ({ status, body, text }, at) => {
    const bytes = Buffer.from(text, "latin1");
    const ends = [...at.map((cut) => cut % bytes.length), bytes.length].toSorted((a, b) => a - b);
    const parts = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
    const expected = { heads: [[status, "7"]], body, isOver: true, reusableMs: 4_000 };
    expect(readParts(parts)).toMatchObject(expected);
    // Of what was cut off nothing is over.
    expect(readParts([bytes.subarray(0, -1)])).toMatchObject({ isOver: false, reusableMs: 0 });
  });
  fc.assert(check, { numRuns: CASES });
});

test.each([
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n\r\n"],
  ["HTTP/2", "HTTP/2 200 OK\r\n\r\n"],
  ["no status", "HTTP/1.1 OK\r\n\r\n"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
  ["another protocol that nobody asked for", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
  ["a field without a colon", "HTTP/1.1 200 OK\r\nA\r\n\r\n"],
  ["a blank before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\n"],
  ["a NUL", "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n"],
  ["a line end of its own", "HTTP/1.1 200 OK\r\nA: b\nContent-Length: 1\r\n\r\n"],
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
  ["a list of lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n"],
  ["a length with a sign", "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n"],
  ["a head without an end", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(4_000)}`],
  ["a long head", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(4_000)}\r\n`],
])("%s is no answer", (_name, text) => {
  expect(() => read(text)).toThrow(NotHttp);
});

test.each([
  ["no size", "x\r\n"],
  ["a size that is not hexadecimal", "1g\r\n"],
  ["a size with a sign", "-1\r\n"],
  ["more than it says", "1\r\nab\r\n"],
  ["a line without an end", "1".repeat(2_000)],
  ["a trailer without an end", `0\r\n${"A: b\r\n".repeat(5_000)}`],
])("a chunk with %s is a fault, after the status has been told", (_name, chunk) => {
  const statuses: number[] = [];
  const reader = new ResponseReader({
    onHead: (status) => statuses.push(status),
    onBody: () => {},
  });
  const text = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`;
  expect(() => reader.read(Buffer.from(text))).toThrow(NotHttp);
  expect(statuses).toEqual([200]);
});

describe("a connection is used again", () => {
  const after = (fields: string, { version = "1.1", status = 200 } = {}) =>
    read(`HTTP/${version} ${status} OK\r\n${fields}\r\n`).reusableMs;

  test("for four seconds, or two less than the server says, half a minute at most", () => {
    expect(after("Content-Length: 0\r\n")).toBe(4_000);
    expect(after("Content-Length: 0\r\nKeep-Alive: timeout=5\r\n")).toBe(3_000);
    expect(after("Content-Length: 0\r\nKeep-Alive: max=9, timeout=600\r\n")).toBe(30_000);
    expect(after("", { status: 204 })).toBe(4_000);
    expect(after("Content-Length: 7\r\n", { status: 304 })).toBe(4_000);
  });

  test.each([
    ["whose server closes it", "Content-Length: 0\r\nConnection: Keep-Alive, Close\r\n", {}],
    ["whose server waits no longer", "Content-Length: 0\r\nKeep-Alive: timeout=2\r\n", {}],
    ["of HTTP/1.0", "Content-Length: 0\r\nConnection: keep-alive\r\n", { version: "1.0" }],
    ["whose body ends with it", "", {}],
    ["with a coding we do not know", "Transfer-Encoding: gzip\r\n", {}],
    ["with more than the answer", "Content-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n", {}],
  ])("but not one %s", (_name, fields, options) => {
    expect(after(fields, options)).toBe(0);
  });

  test("but not where a length stands beside a coding, which wins", () => {
    const fields = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n";
    const answer = read(`HTTP/1.1 200 OK\r\n${fields}\r\n1\r\na\r\n0\r\n\r\n`);
    expect(answer).toMatchObject({ body: "a", isOver: true, reusableMs: 0 });
  });
});

test("a body without a length is over when its connection is", () => {
  expect(read("HTTP/1.1 200 OK\r\n\r\nabc")).toMatchObject({
    body: "abc",
    isOver: false,
    isOverAtEnd: true,
  });
});
