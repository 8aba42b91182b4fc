import { parseSync, Visitor } from "oxc-parser";

/**
 * Returns every module that a file names: by import, type import, re-export, dynamic import and
 * `import("…").Type`. Throws when the file cannot be parsed.
 */
export function importsOf(file, text) {
  const parsed = parseSync(file, text);
  if (parsed.errors.length > 0) throw new Error(`${file}: ${parsed.errors[0].message}`);
  const found = new Set();
  const add = (source) => source?.type === "Literal" && found.add(source.value);
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source ?? node.argument),
  }).visit(parsed.program);
  return [...found];
}

/**
 * Returns every identifier of a file, members of objects included. An import whose module is computed is
 * named "import()".
 */
export function namesIn(file, text) {
  const { program } = parseSync(file, text);
  const found = new Set();
  new Visitor({
    Identifier: (node) => found.add(node.name),
    MemberExpression: (node) => {
      if (node.computed && node.property.type === "Literal") found.add(node.property.value);
    },
    ImportExpression: (node) => {
      if (node.source.type !== "Literal") found.add("import()");
    },
  }).visit(program);
  return found;
}

/**
 * Returns the names that a file takes from a package, by import, type import or re-export. A whole module, such as of
 * `import * as x`, is named "*".
 */
export function namesTakenFrom(name, file, text) {
  const { program } = parseSync(file, text);
  const found = new Set();
  const isOf = (source) => source?.value === name || `${source?.value}`.startsWith(`${name}/`);
  const add = ({ source, specifiers = [{}] }) => {
    if (!isOf(source)) return;
    for (const { imported, local } of specifiers) found.add((imported ?? local)?.name ?? "*");
  };
  new Visitor({
    ImportDeclaration: ({ source, specifiers }) =>
      add({ source, specifiers: specifiers.map(({ imported }) => ({ imported })) }),
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
    TSImportType: ({ source, argument }) => add({ source: source ?? argument }),
  }).visit(program);
  return [...found];
}
