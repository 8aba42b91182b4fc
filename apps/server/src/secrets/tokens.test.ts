import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { TokenClaims } from "../domain/ports/token-signer.ts";
import { deriveKey, makeKeyLine, parseKeyRing } from "./key-ring.ts";
import { createTokenSigner } from "./tokens.ts";

const NOW = 1_800_000_000;
const line = makeKeyLine("k1");
const ring = parseKeyRing(line);
const makeSigner = (options: { ring?: typeof ring; environment?: string; at?: number } = {}) =>
  createTokenSigner({
    ring: options.ring ?? ring,
    environment: options.environment ?? "dev",
    now: () => new Date((options.at ?? NOW) * 1000),
  });
const claims: TokenClaims = {
  merchantId: "client_dev_abc",
  sessionId: "cart-1",
  scope: ["order.create"],
  jti: "0b0e7a2e-1f4c-4a57-9a3e-3f0f6a1f0001",
  issuedAt: NOW,
  expiresAt: NOW + 1800,
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString());
const invalid = { ok: false, reason: "invalid" };

const HASHES: Readonly<Record<string, string>> = { HS384: "sha384", HS512: "sha512" };

/** Signs any header and payload with the service's real key, as the header says: only that is wrong. */
function forge(header: { readonly alg?: string; readonly kid?: unknown }, payload: object): string {
  const input = `${encode(header)}.${encode(payload)}`;
  const key = deriveKey(ring.current, "tokens|dev");
  const hash = HASHES[header.alg ?? ""] ?? "sha256";
  return `${input}.${createHmac(hash, key).update(input).digest("base64url")}`;
}
const realPayload = async () => decode((await makeSigner().sign(claims)).split(".")[1]);

test("verification returns the claims a token was signed with", async () => {
  expect(await makeSigner().verify(await makeSigner().sign(claims))).toEqual({ ok: true, claims });
});

test("a token names its key, issuer and environment", async () => {
  const [header, payload] = (await makeSigner().sign(claims)).split(".");
  expect(decode(header)).toEqual({ alg: "HS256", typ: "JWT", kid: "k1" });
  expect(decode(payload)).toMatchObject({ iss: "exchange", aud: "exchange:dev" });
});

test("a token is good until its last second and expired from then on", async () => {
  const token = await makeSigner().sign(claims);
  expect((await makeSigner({ at: NOW + 1799 }).verify(token)).ok).toBe(true);
  const late = await makeSigner({ at: NOW + 1800 }).verify(token);
  expect(late).toEqual({ ok: false, reason: "expired" });
});

test("a token with any character changed is invalid, also when it has expired", async () => {
  const token = await makeSigner().sign(claims);
  for (let index = 0; index < token.length - 1; index++) {
    const other = token[index] === "A" ? "B" : "A";
    const changed = token.slice(0, index) + other + token.slice(index + 1);
    expect(await makeSigner({ at: NOW + 9999 }).verify(changed)).toEqual(invalid);
  }
});

test("a token without signature or with algorithm none is invalid", async () => {
  const [header = "", payload = ""] = (await makeSigner().sign(claims)).split(".");
  const none = encode({ ...decode(header), alg: "none" });
  expect(await makeSigner().verify(`${none}.${payload}.`)).toEqual(invalid);
  expect(await makeSigner().verify(`${header}.${payload}.`)).toEqual(invalid);
  expect(await makeSigner().verify(forge({ alg: "none", kid: "k1" }, await realPayload()))).toEqual(
    invalid,
  );
});

test("a token of another algorithm is invalid although the key fits", async () => {
  for (const alg of ["HS384", "HS512", "RS256", "hs256"]) {
    expect(await makeSigner().verify(forge({ alg, kid: "k1" }, await realPayload()))).toEqual(
      invalid,
    );
  }
  const good = forge({ alg: "HS256", kid: "k1" }, await realPayload());
  expect((await makeSigner().verify(good)).ok).toBe(true);
});

test("a token of an unknown key, or naming none, is invalid", async () => {
  const other = parseKeyRing(makeKeyLine("k9"));
  expect(await makeSigner().verify(await makeSigner({ ring: other }).sign(claims))).toEqual(
    invalid,
  );
  for (const kid of [undefined, 1, "../k1", "__proto__", "K1"]) {
    const token = forge({ alg: "HS256", kid }, await realPayload());
    expect(await makeSigner().verify(token)).toEqual(invalid);
  }
});

test("another key under the same key id is invalid", async () => {
  const other = parseKeyRing(makeKeyLine("k1"));
  expect(await makeSigner().verify(await makeSigner({ ring: other }).sign(claims))).toEqual(
    invalid,
  );
});

test("a token of another environment is invalid although the key ring is the same", async () => {
  const token = await makeSigner({ environment: "prod" }).sign(claims);
  expect(await makeSigner().verify(token)).toEqual(invalid);
});

test("a token for another audience or of another issuer is invalid although our key signed it", async () => {
  const header = { alg: "HS256", kid: "k1" };
  for (const wrong of [{ aud: "exchange:prod" }, { iss: "other" }, { exp: undefined }]) {
    const token = forge(header, { ...(await realPayload()), ...wrong });
    expect(await makeSigner().verify(token)).toEqual(invalid);
  }
});

test("after a roll the old key still verifies and the new one signs", async () => {
  const rolled = parseKeyRing(makeKeyLine("k2") + line);
  expect((await makeSigner({ ring: rolled }).verify(await makeSigner().sign(claims))).ok).toBe(
    true,
  );
  expect(await makeSigner().verify(await makeSigner({ ring: rolled }).sign(claims))).toEqual(
    invalid,
  );
});

test("a key that was published as the second line verifies before and after it signs", async () => {
  const next = makeKeyLine("k2");
  const steps = [line, line + next, next + line].map((text) =>
    makeSigner({ ring: parseKeyRing(text) }),
  );
  // While a step is rolled out, processes of both steps answer requests.
  for (const [index, signer] of steps.entries()) {
    for (const verifier of steps.slice(Math.max(index - 1, 0), index + 2)) {
      expect((await verifier.verify(await signer.sign(claims))).ok).toBe(true);
    }
  }
});

test("text that is not a token is invalid", async () => {
  for (const text of ["", ".", "..", "a.b.c", "e30.e30.", `${"a".repeat(100_000)}.b.c`]) {
    expect(await makeSigner().verify(text)).toEqual(invalid);
  }
});
