import { acceptedOf, ENDPOINTS } from "@exchange/contract";
import { ADMIN_ENDPOINTS } from "@exchange/contract/admin";
import type { TSchema } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import type { Refusal } from "../flows/refusal.ts";
import { compileValidator } from "./validation.ts";

interface Checked {
  readonly operationId: string;
  readonly query?: TSchema;
  readonly body?: TSchema;
}
type Part = readonly [name: string, place: "query" | "body", schema: TSchema];

const CALLS: readonly Checked[] = [...Object.values(ENDPOINTS), ...Object.values(ADMIN_ENDPOINTS)];
const PARTS = CALLS.flatMap(({ operationId, query, body }): Part[] => [
  ...(query ? [[operationId, "query", query] as const] : []),
  ...(body ? [[operationId, "body", body] as const] : []),
]);

const propertiesOf = (schema: TSchema): Readonly<Record<string, TSchema>> =>
  schema["properties"] ?? {};

function refusalOf([, place, schema]: Part, value: object): Refusal {
  const httpPart = place === "query" ? "querystring" : "body";
  const answer = compileValidator({ schema, httpPart })(value);
  if (!("error" in answer)) throw new Error("it was accepted");
  return answer.error;
}

const ACCEPTED_TIME = "a time in Unix seconds, a whole number such as 1795392000";
const TIMES = PARTS.flatMap(([name, place, schema]) =>
  Object.entries(propertiesOf(schema))
    .filter(([, property]) => acceptedOf(property) === ACCEPTED_TIME)
    .map(([member]) => [`${name} ${member}`, member, [name, place, schema] as Part] as const),
);

describe("a time that is refused says its unit", () => {
  test("in every list and call that takes one", () => {
    expect(TIMES.length).toBeGreaterThan(10);
  });

  test.each(TIMES)("%s", (_name, member, part) => {
    for (const wrong of ["2026-11-22", 1_795_392_000_000, -1, 1.5]) {
      const [, place] = part;
      const { details } = refusalOf(part, { [member]: wrong });
      const issue = details?.find(({ path }) => path === `${place}.${member}`)?.issue;
      expect(issue).toBe(`must be ${ACCEPTED_TIME}`);
    }
  });
});

const RANGES = [
  ["createdFrom", "createdTo"],
  ["from", "before"],
] as const;
const RANGED = PARTS.flatMap((part) =>
  RANGES.filter((members) =>
    members.every((member) => acceptedOf(propertiesOf(part[2])[member] ?? {}) === ACCEPTED_TIME),
  ).map(([first, second]) => [`${part[0]} ${first}`, first, second, part] as const),
);

describe("a range whose end is before its beginning is refused, and not answered with nothing", () => {
  test("in every list that takes one", () => {
    expect(RANGED.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        "listOrders createdFrom",
        "listWebhookDeliveries createdFrom",
        "replayWebhookDeliveries createdFrom",
      ]),
    );
  });

  test.each(RANGED)("%s", (_name, first, second, part) => {
    const [, place] = part;
    const needed = place === "body" ? { endpointId: crypto.randomUUID() } : {};
    const { message, details } = refusalOf(part, { ...needed, [first]: 200, [second]: 100 });
    expect(message).toContain(`${place}.${first} is later than ${place}.${second}`);
    expect(details).toEqual([
      { path: `${place}.${first}`, issue: expect.stringContaining("Unix seconds") },
    ]);
    const [, , schema] = part;
    const accept = compileValidator({
      schema,
      httpPart: place === "query" ? "querystring" : "body",
    });
    expect(accept({ ...needed, [first]: 100, [second]: 100 })).not.toHaveProperty("error");
  });
});
