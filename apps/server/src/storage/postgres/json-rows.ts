/**
 * Returns a select of a list's records in a statement's first parameter, which is a JSON object of lists. Each
 * record names its list in `is_a`, so that the planner expects few records and finds their rows by key
 * (docs/internals/query-plans.md).
 */
export const jsonRows = (list: string, columns: string): string =>
  `select * from jsonb_to_recordset($1::jsonb->'${list}') as ${list} (is_a text, ${columns})
   where is_a = '${list}'`;
