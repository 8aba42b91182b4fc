import { readFileSync } from "node:fs";
import { Command as Program } from "commander";
import {
  ADMIN_OPTIONS,
  type AdminDocument,
  type AdminOperation,
  type DocumentSchema,
  openAdminApi,
} from "../admin-api.ts";
import { answerTable } from "../answer-table.ts";
import { type Command, type CommandInput, type CommandResult, UsageError } from "../command.ts";
import { listing, table, WHOLE } from "../table.ts";

const STANDARD_INPUT = 0;

export const apiCommand: Command = {
  name: "api",
  summary:
    "Call an operation of the console's interface as a service account, or list the operations.",
  options: {
    operation: {
      value: "NAME",
      description: "The operation, such as listPayouts. Default: list the operations.",
    },
    param: {
      value: "NAME=VALUE",
      multiple: true,
      description: "A parameter of the path or of the query.",
    },
    body: {
      value: "FILE",
      description: "A file with the JSON of the request's body, or - for standard input.",
    },
    describe: { description: "Describe the operation, and do not call it." },
    ...ADMIN_OPTIONS,
  },
  argument: "operation",
  example: "api listPayouts --param which=waiting --key-file support.key",
  run: async (context, input) => {
    const api = openAdminApi(context, input);
    const document = await api.readDocument();
    const name = input.one("operation");
    if (name === undefined) return listOperations(document);
    const operation = findOperation(document, name);
    if (input.hasFlag("describe")) return describe(operation, document);
    const { method } = operation;
    const path = fillPath(operation, input);
    const answer = await api.call({ method, path, body: readBody(operation, input) });
    if (answer === undefined) return { json: null, text: "Done." };
    if ("json" in answer) {
      const { json } = answer;
      return { json, text: answerTable(json) };
    }
    await context.write(answer.text);
    return { json: answer.text, text: answer.text, written: true };
  },
};

const isCallable = ({ security }: AdminOperation): boolean =>
  security.some((one) => "serviceAccount" in one);

function listOperations({ operations }: AdminDocument): CommandResult {
  const callable = operations.filter(isCallable);
  const rows = callable.map(({ operationId, tags, summary }) => [
    operationId,
    tags[0] ?? "",
    summary,
  ]);
  const json = callable.map(({ operationId, method, path, summary }) => ({
    operationId,
    method,
    path,
    summary,
  }));
  const text = listing(["OPERATION", "ABOUT", "SUMMARY"], rows, "There is no operation.");
  return { json, text: `${text}\n\nDescribe one: exchange api <operation> --describe` };
}

function findOperation({ operations }: AdminDocument, name: string): AdminOperation {
  const found = operations.find(({ operationId }) => operationId === name);
  if (found) return found;
  const names = operations.filter(isCallable).map(({ operationId }) => operationId);
  throw new UsageError(
    `"${name}" is not an operation.${suggestion(name, names)} List them: exchange api`,
  );
}

/** Returns the sentence that the command line says about a mistyped command. */
function suggestion(word: string, names: readonly string[]): string {
  const program = new Program().exitOverride().configureOutput({ writeErr: () => {} });
  for (const name of names) program.command(name);
  try {
    program.parse([word], { from: "user" });
    return "";
  } catch (error) {
    const [, sentence] = /\((Did you mean .*)\)/s.exec((error as Error).message) ?? [];
    return sentence === undefined ? "" : ` ${sentence}`;
  }
}

/** Descriptions are never shortened. */
const wholeTable = (rows: readonly (readonly string[])[]): string => table(rows, WHOLE);

function describe(operation: AdminOperation, { schemas }: AdminDocument): CommandResult {
  const { method, path, operationId, summary, description, parameters = [] } = operation;
  const body = operation.requestBody?.content["application/json"]?.schema;
  const members = body && resolved(body, schemas);
  const example = `exchange api ${operationId}${parameters
    .filter(({ required }) => required)
    .map((one) => ` --param ${one.name}=…`)
    .join("")}${body ? " --body request.json" : ""}`;
  const parts = [
    `${method} /v1${path}\n${summary}`,
    description,
    isCallable(operation)
      ? ""
      : "A service account may not call it. A person does it in the console.",
    parameters.length > 0
      ? wholeTable([
          ["PARAMETER", "IN", "NEEDED", "VALUE"],
          ...parameters.map((one) => [
            one.name,
            one.in,
            one.required ? "yes" : "",
            wordsOf({ ...resolved(one.schema ?? {}, schemas), ...described(one.description) }),
          ]),
        ])
      : "",
    members?.properties
      ? wholeTable([
          ["MEMBER OF THE BODY", "NEEDED", "VALUE"],
          ...Object.entries(members.properties).map(([name, schema]) => [
            name,
            members.required?.includes(name) ? "yes" : "",
            wordsOf(resolved(schema, schemas)),
          ]),
        ])
      : "",
    `Call it: ${example}`,
  ];
  return { json: operation, text: parts.filter((part) => part !== "").join("\n\n") };
}

const described = (description: string | undefined) => description !== undefined && { description };

const resolved = (schema: DocumentSchema, schemas: AdminDocument["schemas"]): DocumentSchema =>
  schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;

const wordsOf = ({ type, enum: values, description }: DocumentSchema): string =>
  [values ? values.join(" | ") : [type ?? ""].flat().join(" | "), description ?? ""]
    .filter((text) => text !== "")
    .join("; ");

/** Returns the path with its parameters, and the query. Refuses a parameter that the operation does not have. */
function fillPath({ operationId, path, parameters = [] }: AdminOperation, input: CommandInput) {
  const query = new URLSearchParams();
  let filled = path;
  const given = new Set<string>();
  for (const text of input.many("param")) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    const parameter = parameters.find((one) => one.name === name);
    if (!parameter) {
      const names = parameters.map((one) => one.name).join(", ");
      throw new UsageError(
        `"${text}" is not a parameter of ${operationId}. Write NAME=VALUE with one of: ${names || "it has none"}.`,
      );
    }
    given.add(name);
    if (parameter.in === "query") query.append(name, value);
    else filled = filled.replace(`{${name}}`, encodeURIComponent(value));
  }
  const missing = parameters.find(({ required, name }) => required && !given.has(name));
  if (missing) throw new UsageError(`${operationId} needs --param ${missing.name}=VALUE.`);
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}

function readBody({ operationId, requestBody }: AdminOperation, input: CommandInput) {
  const path = input.one("body");
  if (path === undefined) {
    if (requestBody === undefined) return undefined;
    throw new UsageError(
      `${operationId} needs --body with a file of JSON. Describe it: exchange api ${operationId} --describe`,
    );
  }
  if (requestBody === undefined) throw new UsageError(`${operationId} has no body.`);
  try {
    return JSON.stringify(JSON.parse(readFileSync(path === "-" ? STANDARD_INPUT : path, "utf8")));
  } catch (error) {
    const where = path === "-" ? "Standard input" : path;
    throw new UsageError(`${where} cannot be read as JSON: ${(error as Error).message}`);
  }
}
