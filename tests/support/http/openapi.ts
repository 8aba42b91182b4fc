import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> };
  readonly responses: Record<string, ResponseObject>;
  readonly security?: readonly Record<string, readonly string[]>[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

interface ResponseObject {
  readonly $ref?: string;
  readonly content?: Record<string, { readonly schema: JsonSchema }>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly servers?: readonly { readonly url: string }[];
}

/** An answer that a test received. */
export interface SeenAnswer {
  readonly method: string;
  /** From the root, without the query: `/v1/exchange/quotes`. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

const SCHEMA_ID = "https://openapi.example/document";
const escapePointer = (part: string): string =>
  encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Validates answers against the served document. */
export class ContractWatch {
  readonly document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.#ajv.addSchema({ ...document, $id: SCHEMA_ID }, SCHEMA_ID);
  }

  /** Returns a sentence for everything in the answer that the document does not allow. */
  faultsOf(answer: SeenAnswer): string[] {
    const pointer = this.#schemaPointer(answer);
    if (typeof pointer !== "string") return pointer.faults;
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: pointer });
    this.#compiled.set(pointer, validate);
    if (validate(answer.body)) return [];
    const issues = (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
    return [`${answer.method} ${answer.path} ${answer.status}: ${issues.join("; ")}`];
  }

  /** Returns the path of the document that matches an address. */
  templateOf(path: string): string | undefined {
    const matching = Object.keys(this.document.paths).filter((template) => {
      const pattern = template.replace(/\{[^}]+\}/g, "[^/]+");
      return new RegExp(`^(/v1)?${pattern}$`).test(path);
    });
    // A literal path wins over one with a parameter in its place.
    return matching.find((template) => !template.includes("{")) ?? matching[0];
  }

  #schemaPointer(answer: SeenAnswer): string | { readonly faults: string[] } {
    const template = this.templateOf(answer.path);
    const method = answer.method.toLowerCase();
    const operation = template === undefined ? undefined : this.document.paths[template]?.[method];
    if (template === undefined || operation === undefined) return { faults: [] };
    const where = `${answer.method} ${template} ${answer.status}`;
    const response = operation.responses[String(answer.status)];
    if (response === undefined) return { faults: [`${where}: status is not documented`] };
    const isEmpty = response.$ref === undefined && response.content === undefined;
    if (isEmpty) return { faults: answer.body === "" ? [] : [`${where}: has a body`] };
    const type = answer.contentType.split(";")[0]?.trim() ?? "";
    const from =
      response.$ref ??
      `#/paths/${[template, method, "responses", String(answer.status)].map(escapePointer).join("/")}`;
    const resolved = response.$ref === undefined ? response : this.#resolve(response.$ref);
    const media = resolved?.content?.[type];
    if (media === undefined) return { faults: [`${where}: ${type} is not documented`] };
    return `${SCHEMA_ID}${from}/content/${escapePointer(type)}/schema`;
  }

  #resolve(reference: string): ResponseObject | undefined {
    const parts = reference.replace("#/", "").split("/");
    let at: unknown = this.document;
    for (const part of parts) at = (at as Record<string, unknown> | undefined)?.[part];
    return at as ResponseObject | undefined;
  }
}
