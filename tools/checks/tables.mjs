import { parseSync } from "oxc-parser";

const CONTRACT = /^packages\/contract\/src\/(?!.*\.test\.)/;
const TABLE = /^[A-Z][A-Z\d_]*$/;
const WORD = /[A-Za-z_$][\w$]*/g;
const COMMENT_LINE = /^\s*(?:\/?\*|\/\/).*$/gm;
/** A table that is read as a whole. */
const LISTED = /\bObject\.(?:keys|values|entries)\(([A-Z][A-Z\d_]*)\)/g;

/** Returns the expression inside `as const` and `satisfies`. */
const bare = (expression) => {
  const isTyped = /^TS(As|Satisfies)Expression$/.test(expression?.type);
  return isTyped ? bare(expression.expression) : expression;
};

/** Returns the members of the tables that a file exports. */
function membersOf(file, text) {
  const exported = parseSync(file, text).program.body.flatMap(({ type, declaration }) =>
    type === "ExportNamedDeclaration" ? (declaration?.declarations ?? []) : [],
  );
  return exported
    .filter(({ id }) => TABLE.test(id.name))
    .flatMap(({ id, init }) => (bare(init)?.properties ?? []).map(({ key }) => ({ id, key })))
    .filter(({ key }) => key?.type === "Identifier")
    .map(({ id, key }) => ({ file, table: id.name, name: key.name }));
}

/** Returns the members of the contract's tables that no code reads. The rule of such a member has another home. */
export function tableFaults(sources, read) {
  const members = sources
    .filter((file) => CONTRACT.test(file))
    .flatMap((file) => membersOf(file, read(file)));
  const uses = new Map(members.map(({ name }) => [name, 0]));
  const listed = new Set();
  for (const file of sources) {
    const code = read(file).replaceAll(COMMENT_LINE, "");
    for (const [word] of code.matchAll(WORD)) {
      if (uses.has(word)) uses.set(word, uses.get(word) + 1);
    }
    for (const [, table] of code.matchAll(LISTED)) listed.add(table);
  }
  return members
    .filter(({ table, name }) => uses.get(name) === 1 && !listed.has(table))
    .map(
      ({ file, table, name }) => `${file}: nothing reads ${table}.${name}; remove it or read it`,
    );
}
