import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** A document or file that is held in memory, with its type and its validator (RFC 9110, section 8.8). */
export interface Representation {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly etag: string;
  /** Compresses the bytes once, when first needed. */
  readonly encoded: (encoding: Encoding) => Buffer;
}

export type Encoding = "br" | "gzip";

const COMPRESSIBLE = /javascript|json|text\/|svg/;
/** A smaller body gains nothing from compression. */
const COMPRESSED_BYTES_MIN = 512;
const BROTLI_QUALITY = 9;
/** Brotli's sizes of a window, as powers of two. */
const WINDOW_BITS = { min: constants.BROTLI_MIN_WINDOW_BITS, max: 22 } as const;

export function makeRepresentation(content: string | Buffer, contentType: string): Representation {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const compressed = new Map<Encoding, Buffer>();
  return {
    bytes,
    contentType,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`,
    encoded(encoding) {
      const made = compressed.get(encoding) ?? compress(bytes, encoding);
      compressed.set(encoding, made);
      return made;
    },
  };
}

const compress = (bytes: Buffer, encoding: Encoding): Buffer =>
  encoding === "gzip" ? gzipSync(bytes) : brotliCompressSync(bytes, { params: brotliFor(bytes) });

/**
 * Brotli prepares its whole window before the first byte. A window of 4 MB costs twenty times as much
 * time as one that just holds a script, and strangers choose how often a script is compressed.
 */
const brotliFor = ({ length }: Buffer): Record<number, number> => ({
  [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
  [constants.BROTLI_PARAM_SIZE_HINT]: length,
  [constants.BROTLI_PARAM_LGWIN]: Math.min(
    Math.max(Math.ceil(Math.log2(length)), WINDOW_BITS.min),
    WINDOW_BITS.max,
  ),
});

/** Sends the body in the best encoding the client accepts, or 304 when the client has it already. */
export function sendRepresentation(
  exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { bytes, contentType, etag, encoded }: Representation,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const { request, reply } = exchange;
  reply.headers({ vary: "accept-encoding", ...headers, etag });
  if (isNotModified(request, etag)) return reply.code(304).send();
  reply.header("content-type", contentType);
  const encoding = acceptedEncoding(request.headers["accept-encoding"]);
  const isSmaller = COMPRESSIBLE.test(contentType) && bytes.length >= COMPRESSED_BYTES_MIN;
  if (encoding === undefined || !isSmaller) return reply.send(bytes);
  return reply.header("content-encoding", encoding).send(encoded(encoding));
}

/** Compresses the text answers of a scope, in the best encoding the client accepts. Call it before `cacheAnswers`. */
export function compressAnswers(scope: FastifyInstance): void {
  scope.addHook("onSend", async (request, reply, payload) => {
    const isText = typeof payload === "string" && payload.length >= COMPRESSED_BYTES_MIN;
    if (!isText || reply.hasHeader("content-encoding")) return payload;
    // The answer may already depend on another header. A cached one names this header too.
    const names = String(reply.getHeader("vary") ?? "").split(", ");
    const others = names.filter((name) => name !== "" && name !== "accept-encoding");
    reply.header("vary", [...others, "accept-encoding"].join(", "));
    const encoding = acceptedEncoding(request.headers["accept-encoding"]);
    if (encoding === undefined) return payload;
    reply.header("content-encoding", encoding).removeHeader("content-length");
    return compress(Buffer.from(payload), encoding);
  });
}

/** Whether the client has this version. A cache may have weakened the tag when it compressed. */
export function isNotModified({ headers }: FastifyRequest, etag: string): boolean {
  const tags = (headers["if-none-match"] ?? "").split(",");
  return tags.some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}

/** Returns the best encoding that the client accepts; undefined when it accepts none of ours. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  const names = String(header ?? "")
    .split(",")
    .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
    .map((item) => item.split(";")[0]?.trim());
  return (["br", "gzip"] as const).find((encoding) => names.includes(encoding));
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "application/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/**
 * Reads the files of a folder, by their names below it. No path of a request reaches the file system
 * (docs/decisions/0050-serve-static-files-from-memory.md).
 */
export function readFolder(url: URL): ReadonlyMap<string, Representation> {
  const files = new Map<string, Representation>();
  const folder = fileURLToPath(url);
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).split(path.sep).join("/");
    const type = CONTENT_TYPES[path.extname(name)] ?? "application/octet-stream";
    files.set(name, makeRepresentation(readFileSync(file), type));
  }
  return files;
}
