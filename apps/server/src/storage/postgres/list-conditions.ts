/** A member of a filter: its name, its values, and its condition by the number of its first parameter. */
export type FilterMember = readonly [
  name: string,
  values: readonly unknown[],
  condition: (at: number) => string,
];

export interface ListConditions {
  /** The name of the set of present members. Each set is one statement with a plan of its own. */
  readonly name: string;
  readonly where: string;
  readonly values: readonly unknown[];
}

/**
 * Returns the conditions of the members that are present. A member with an undefined value matches all rows.
 */
export function listConditions(members: readonly FilterMember[]): ListConditions {
  const present = members.filter(([, values]) => !values.includes(undefined));
  const values: unknown[] = [];
  const conditions = present.map(([, own, condition]) => {
    values.push(...own);
    return condition(values.length - own.length + 1);
  });
  return {
    name: present.map(([name]) => name).join("_"),
    where: conditions.join(" and "),
    values,
  };
}

/** Returns the time of a count since 1970. It is exact, because counts are below 2^53. */
export const sinceEpoch = (at: number, unit: "second" | "microsecond"): string =>
  `timestamptz 'epoch' + $${at}::bigint * interval '1 ${unit}'`;
