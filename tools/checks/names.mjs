import { parseSync, Visitor } from "oxc-parser";

const REFUSED = new Set(["told", "known", "kept", "asked"]);
/** Most files have none of the words, and are not parsed. */
const MAY_DECLARE = new RegExp(`\\b(${[...REFUSED].join("|")})\\b`);
const ADVICE =
  'does not say what it holds; use a noun of the field, such as "requests" or "savedViews"';

/** Returns the identifiers that a pattern declares. The name of a destructured member is not one of them. */
function declaredBy(pattern) {
  switch (pattern?.type) {
    case "Identifier":
    case "PrivateIdentifier":
      return [pattern];
    case "ObjectPattern":
      return pattern.properties.flatMap((one) => declaredBy(one.value ?? one.argument));
    case "ArrayPattern":
      return pattern.elements.flatMap(declaredBy);
    case "AssignmentPattern":
      return declaredBy(pattern.left);
    case "RestElement":
      return declaredBy(pattern.argument);
    case "TSParameterProperty":
      return declaredBy(pattern.parameter);
    default:
      return [];
  }
}

const ofFunction = ({ id, params }) => [id, ...params];
const ofMember = ({ computed, key, params = [] }) => [computed ? undefined : key, ...params];
const ofImport = ({ local }) => [local];

/** The patterns that a node declares, by the node's type. */
const PATTERNS = {
  VariableDeclarator: ({ id }) => [id],
  CatchClause: ({ param }) => [param],
  ClassDeclaration: ({ id }) => [id],
  FunctionDeclaration: ofFunction,
  FunctionExpression: ofFunction,
  ArrowFunctionExpression: ofFunction,
  TSDeclareFunction: ofFunction,
  TSEmptyBodyFunctionExpression: ofFunction,
  TSFunctionType: ofFunction,
  TSCallSignatureDeclaration: ofFunction,
  TSPropertySignature: ofMember,
  TSMethodSignature: ofMember,
  PropertyDefinition: ofMember,
  MethodDefinition: ofMember,
  ImportSpecifier: ofImport,
  ImportDefaultSpecifier: ofImport,
  ImportNamespaceSpecifier: ofImport,
};

/**
 * Returns the declarations of a file whose name is a participle that names nothing. An object of a library may have a
 * member of such a name. Only members of our own types and classes are declarations.
 */
export function identifierFaults(file, text) {
  if (!MAY_DECLARE.test(text)) return [];
  const faults = [];
  const addFaults = (patterns) => {
    for (const { name, start } of patterns.flatMap(declaredBy)) {
      if (!REFUSED.has(name)) continue;
      faults.push(`${file}:${text.slice(0, start).split("\n").length}: "${name}" ${ADVICE}`);
    }
  };
  const visitors = Object.entries(PATTERNS).map(([type, patternsOf]) => [
    type,
    (node) => addFaults(patternsOf(node)),
  ]);
  new Visitor(Object.fromEntries(visitors)).visit(parseSync(file, text).program);
  return faults;
}
