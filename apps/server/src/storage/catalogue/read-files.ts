import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv, type ErrorObject } from "ajv";
import { CATALOGUE_FILES, type CatalogueFileName, type CatalogueFiles } from "./file-schemas.ts";

/** A problem in the catalogue's files. */
export interface CatalogueProblem {
  /** The file and the member, as in `pricing.json[2].minEuro`. */
  readonly path: string;
  /** A sentence for the operator. */
  readonly sentence: string;
}

/** The files cannot be loaded. The message lists every problem on a line of its own. */
export class CatalogueError extends Error {
  readonly problems: readonly CatalogueProblem[];

  constructor(problems: readonly CatalogueProblem[]) {
    const lines = problems.map(({ path, sentence }) => `  ${path}: ${sentence}`);
    super(`The catalogue files have ${problems.length} problem(s):\n${lines.join("\n")}`);
    this.name = "CatalogueError";
    this.problems = problems;
  }
}

/** Compiles each schema once. It does not check our own schemas, because every start of the service waits. */
const SHAPES = new Ajv({ allErrors: true, meta: false, validateSchema: false });

/** Reads every file and checks it by its schema. Throws a `CatalogueError` with all problems. */
export async function readCatalogueFiles(directory: string): Promise<CatalogueFiles> {
  const names = Object.keys(CATALOGUE_FILES) as CatalogueFileName[];
  const results = await Promise.all(names.map((name) => readCatalogueFile(directory, name)));
  const problems = results.flatMap((result) => result.problems);
  if (problems.length > 0) throw new CatalogueError(problems);
  return Object.fromEntries(results.map(({ name, items }) => [name, items])) as CatalogueFiles;
}

interface FileResult {
  readonly name: CatalogueFileName;
  readonly items: unknown;
  readonly problems: readonly CatalogueProblem[];
}

async function readCatalogueFile(directory: string, name: CatalogueFileName): Promise<FileResult> {
  const failed = (sentence: string): FileResult => ({
    name,
    items: undefined,
    problems: [{ path: name, sentence }],
  });
  let text: string;
  try {
    text = await readFile(join(directory, name), "utf8");
  } catch {
    return failed(`The file cannot be read in ${directory}.`);
  }
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch (error) {
    return failed(`The file is not valid JSON: ${(error as Error).message}.`);
  }
  return { name, items, problems: shapeProblems(name, items) };
}

function shapeProblems(name: CatalogueFileName, items: unknown): readonly CatalogueProblem[] {
  const validate = SHAPES.compile(CATALOGUE_FILES[name]);
  if (validate(items)) return [];
  return (validate.errors ?? []).map((error) => ({
    path: name + readablePath(error.instancePath),
    sentence: `The value ${describe(error)}.`,
  }));
}

/** Turns a JSON pointer such as "/3/perEuro" into "[3].perEuro". */
const readablePath = (pointer: string): string =>
  pointer.replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".");

function describe(error: ErrorObject): string {
  const message = error.message ?? "is not valid";
  switch (error.keyword) {
    case "additionalProperties":
      return `${message} (${String(error.params["additionalProperty"])})`;
    case "enum":
      return `must be one of ${(error.params["allowedValues"] as string[]).join(", ")}`;
    default:
      return message;
  }
}
