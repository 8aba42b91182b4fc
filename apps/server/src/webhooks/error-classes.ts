import { errors } from "undici";
import { TargetRefused } from "../domain/webhooks/targets.ts";

/**
 * The reason why an attempt failed. `interrupted`: the dispatcher stopped or its lease ended, and the endpoint may have the
 * webhook or not. `dropped`: the sandbox lost it on purpose.
 */
export type ErrorClass =
  | "refused_address"
  | "dns"
  | "connect"
  | "tls"
  | "timeout"
  | "reset"
  | "protocol"
  | "http_status"
  | "redirect"
  | "secret"
  | "interrupted"
  | "dropped"
  | "unknown";

const CLASS_OF_CODE: Readonly<Record<string, ErrorClass>> = {
  ENOTFOUND: "dns",
  ENODATA: "dns",
  ESERVFAIL: "dns",
  EREFUSED: "dns",
  EFORMERR: "dns",
  EBADNAME: "dns",
  EBADRESP: "dns",
  ENOTIMP: "dns",
  ETIMEOUT: "dns",
  EAI_AGAIN: "dns",
  EAI_FAIL: "dns",
  EAI_NODATA: "dns",
  ECONNREFUSED: "connect",
  EHOSTUNREACH: "connect",
  ENETUNREACH: "connect",
  EADDRNOTAVAIL: "connect",
  ETIMEDOUT: "connect",
  UND_ERR_CONNECT_TIMEOUT: "connect",
  EPROTO: "tls",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  UND_ERR_HEADERS_OVERFLOW: "protocol",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "protocol",
};

const TLS_CODE = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_)/;

/** Returns the class of an error of the connection or of the HTTP client. */
export function classifyError(error: unknown): ErrorClass {
  if (error instanceof TargetRefused) return "refused_address";
  if (error instanceof errors.HTTPParserError) return "protocol";
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string") return "unknown";
  if (TLS_CODE.test(code)) return "tls";
  return CLASS_OF_CODE[code] ?? "unknown";
}

/** Returns undefined for 2xx, the only success. Redirects are not followed. */
export function classifyStatus(status: number): ErrorClass | undefined {
  if (status >= 200 && status <= 299) return undefined;
  return status >= 300 && status <= 399 ? "redirect" : "http_status";
}
