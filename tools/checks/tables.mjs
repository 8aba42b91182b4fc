import { parseSync } from "oxc-parser";

const CONTRACT = /^packages\/contract\/src\/(?!.*\.test\.)/;
const TABLE = /^[A-Z][A-Z\d_]*$/;
const WORD = /[A-Za-z_$][\w$]*/g;

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

/** Returns the members of the contract's tables that no other place names. Its rule then has another home. */
export function tableFaults(sources, read) {
  const members = sources
    .filter((file) => CONTRACT.test(file))
    .flatMap((file) => membersOf(file, read(file)));
  const uses = new Map(members.map(({ name }) => [name, 0]));
  for (const file of sources) {
    for (const [word] of read(file).matchAll(WORD)) {
      if (uses.has(word)) uses.set(word, uses.get(word) + 1);
    }
  }
  return members
    .filter(({ name }) => uses.get(name) === 1)
    .map(
      ({ file, table, name }) => `${file}: nothing reads ${table}.${name}; remove it or read it`,
    );
}
