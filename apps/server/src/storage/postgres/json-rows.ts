/**
 * Rows of a list in a statement's first parameter, which is JSON. Each says in `is_a` which list it is
 * of, so that the planner expects few: it then looks keys up, however small the tables were when it
 * made its plan, and goes on so when they are large.
 */
export const jsonRows = (list: string, columns: string): string =>
  `select * from jsonb_to_recordset($1::jsonb->'${list}') as ${list} (is_a text, ${columns})
   where is_a = '${list}'`;
