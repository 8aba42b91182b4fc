import { parseSync, Visitor } from "oxc-parser";

/** A file without a match is not parsed. Most have none. */
const MAY_DECLARE = /\bboolean\b|=\s*(true|false)\b/;
const ADVICE =
  "is a boolean parameter beside others, and a call does not say what true means; take an object, or make two functions";

/** Returns whether a type is boolean, or boolean and absent. */
function isBooleanType(type) {
  if (type?.type === "TSBooleanKeyword") return true;
  const present = (type?.types ?? []).filter((each) => !/^TS(Undefined|Null)/.test(each.type));
  return type?.type === "TSUnionType" && present.length > 0 && present.every(isBooleanType);
}

/** Returns whether a parameter has the type boolean, or true or false as its default. */
function isBoolean(parameter) {
  if (parameter.type !== "AssignmentPattern") {
    return isBooleanType(parameter.typeAnnotation?.typeAnnotation);
  }
  return typeof parameter.right.value === "boolean" || isBoolean(parameter.left);
}

/** Returns the boolean parameters of a file's functions. The only parameter of a function is its subject. */
export function parameterFaults(file, text) {
  if (!MAY_DECLARE.test(text)) return [];
  const faults = [];
  const addFaults = ({ params }) => {
    if (params.length < 2) return;
    for (const parameter of params.filter(isBoolean)) {
      const { name, start } = parameter.left ?? parameter;
      faults.push(`${file}:${text.slice(0, start).split("\n").length}: "${name}" ${ADVICE}`);
    }
  };
  new Visitor({
    FunctionDeclaration: addFaults,
    FunctionExpression: addFaults,
    ArrowFunctionExpression: addFaults,
    TSEmptyBodyFunctionExpression: addFaults,
    TSCallSignatureDeclaration: addFaults,
    TSDeclareFunction: addFaults,
    TSFunctionType: addFaults,
    TSMethodSignature: addFaults,
  }).visit(parseSync(file, text).program);
  return faults;
}
