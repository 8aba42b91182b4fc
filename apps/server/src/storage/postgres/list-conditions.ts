/** A member of a filter: its name, its values, and the condition with the place of the first of them. */
export type FilterMember = readonly [
  name: string,
  values: readonly unknown[],
  condition: (at: number) => string,
];

export interface ListConditions {
  /** Names the set of members that are given: each set is one statement with a plan of its own. */
  readonly name: string;
  readonly where: string;
  readonly values: readonly unknown[];
}

/** The members of a filter that are given, as conditions; one with an undefined value matches all. */
export function listConditions(members: readonly FilterMember[]): ListConditions {
  const given = members.filter(([, values]) => !values.includes(undefined));
  const values: unknown[] = [];
  const conditions = given.map(([, own, condition]) => {
    values.push(...own);
    return condition(values.length - own.length + 1);
  });
  return { name: given.map(([name]) => name).join("_"), where: conditions.join(" and "), values };
}

/** A moment from a count since 1970; exact, as counts stay below 2^53. */
export const sinceEpoch = (at: number, unit: "second" | "microsecond"): string =>
  `timestamptz 'epoch' + $${at}::bigint * interval '1 ${unit}'`;
