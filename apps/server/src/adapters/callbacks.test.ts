import { describe, expect, test } from "vitest";
import type { CallbackSubject, ProviderCallbacks } from "../domain/ports/provider-callbacks.ts";
import { sandboxCallbacks, signCallback } from "../sandbox/callbacks/callbacks.ts";

const NOW = new Date("2026-11-22T08:00:00Z");
const [SECRET, OLD_SECRET] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

/** A provider's callbacks, and its words for an event of ours. */
interface Source {
  read(secrets: readonly Uint8Array[], now: Date): ProviderCallbacks;
  print(event: { readonly id: string; readonly about: CallbackSubject }): string;
  /** A signed event of a kind that does not concern us. */
  readonly foreign: string;
  sign(secret: Uint8Array, body: Uint8Array, now: Date): Readonly<Record<string, string>>;
}

/** Every provider that has callbacks. */
const SOURCES: Readonly<Record<string, Source>> = {
  sandbox: {
    read: (secrets, now) => sandboxCallbacks(secrets, () => now),
    print: ({ id, about }) => `{ "id": "${id}", "about": ${JSON.stringify(about)} }`,
    foreign: '{"id":"evt_2","about":{"kind":"account_updated"}}',
    sign: (secret, body, now) => ({ "sandbox-signature": signCallback(secret, body, now) }),
  },
};

const ABOUT: CallbackSubject = {
  kind: "payment",
  reference: "0199ffff-0000-7000-8000-000000000000",
};

describe.each(Object.entries(SOURCES))("callbacks of %s", (_name, source) => {
  const body = Buffer.from(source.print({ id: "evt_1", about: ABOUT }));
  const reader = source.read([SECRET, OLD_SECRET], NOW);
  const event = { eventId: "evt_1", subjects: [ABOUT] };

  test("a signed event has its id and our reference, in each repetition", () => {
    const headers = source.sign(SECRET, body, NOW);
    expect(reader.read({ headers, body })).toEqual(event);
    expect(reader.read({ headers, body })).toEqual(event);
  });

  test("the old secret is valid while it is replaced, and not after that", () => {
    const headers = source.sign(OLD_SECRET, body, NOW);
    expect(reader.read({ headers, body })).toEqual(event);
    expect(source.read([SECRET], NOW).read({ headers, body })).toBeUndefined();
  });

  test("a signed event that does not concern us names nothing", () => {
    const foreign = Buffer.from(source.foreign);
    const headers = source.sign(SECRET, foreign, NOW);
    expect(reader.read({ headers, body: foreign })?.subjects).toEqual([]);
  });

  const headers = source.sign(SECRET, body, NOW);
  const [name = "", signature = ""] = Object.entries(headers)[0] ?? [];
  const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
  test.each([
    ["a changed byte", headers, Buffer.from(body.toString().replace("evt_1", "evt_2"))],
    [
      "a body that was parsed and printed",
      headers,
      Buffer.from(JSON.stringify(JSON.parse(body.toString()))),
    ],
    ["another secret", source.sign(Buffer.alloc(32, 3), body, NOW), body],
    ["no signature", {}, body],
    ["an empty signature", { [name]: "" }, body],
    ["two signatures in one header", { [name]: [signature, signature] }, body],
    ["half a signature", { [name]: signature.slice(0, -2) }, body],
    ["a signature of six minutes ago", source.sign(SECRET, body, later(-360)), body],
    ["a signature of six minutes ahead", source.sign(SECRET, body, later(360)), body],
  ])("%s is not the provider's", (_case, sent, bytes) => {
    expect(reader.read({ headers: sent, body: bytes })).toBeUndefined();
  });
});
