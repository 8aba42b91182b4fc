import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A text that the service makes itself, with its type and its validator (RFC 9110, section 8.8). */
export interface Representation {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly etag: string;
  /** Compresses the bytes once, when first needed. */
  readonly encoded: (encoding: Encoding) => Buffer;
}

export type Encoding = "br" | "gzip";

/** A smaller text gains nothing from compression. */
const COMPRESSED_BYTES_MIN = 512;
const BROTLI_QUALITY = 9;

export function makeRepresentation(text: string | Buffer, contentType: string): Representation {
  const bytes = Buffer.from(text as string);
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
  encoding === "gzip"
    ? gzipSync(bytes)
    : brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });

/** Sends the text in the best encoding the client accepts, or 304 when the client has it already. */
export function sendRepresentation(
  exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { bytes, contentType, etag, encoded }: Representation,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const { request, reply } = exchange;
  reply.headers({ ...headers, etag, vary: "accept-encoding" });
  if (isNotModified(request, etag)) return reply.code(304).send();
  reply.header("content-type", contentType);
  const encoding = acceptedEncoding(request.headers["accept-encoding"]);
  if (encoding === undefined || bytes.length < COMPRESSED_BYTES_MIN) return reply.send(bytes);
  return reply.header("content-encoding", encoding).send(encoded(encoding));
}

/** Whether the client has this version. A cache may have weakened the tag when it compressed. */
export function isNotModified({ headers }: FastifyRequest, etag: string): boolean {
  const tags = (headers["if-none-match"] ?? "").split(",");
  return tags.some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}

/** The better encoding that the client accepts; undefined when it accepts none of ours. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  const names = String(header ?? "")
    .split(",")
    .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
    .map((item) => item.split(";")[0]?.trim());
  return (["br", "gzip"] as const).find((encoding) => names.includes(encoding));
}
