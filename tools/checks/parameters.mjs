import { parseSync, Visitor } from "oxc-parser";

/** Most files have neither, and are not parsed. */
const MAY_DECLARE = /:\s*boolean\b|=\s*(true|false)\b/;
const ADVICE =
  "is a boolean parameter beside others, and a call does not say what true means; take an object, or make two functions";

/** Returns whether a parameter has the type boolean, or true or false as its default. */
function isBoolean(parameter) {
  if (parameter.type !== "AssignmentPattern") {
    return parameter.typeAnnotation?.typeAnnotation.type === "TSBooleanKeyword";
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
    TSFunctionType: addFaults,
    TSMethodSignature: addFaults,
  }).visit(parseSync(file, text).program);
  return faults;
}
