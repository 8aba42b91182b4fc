import { API_ERRORS, type ErrorCode } from "@exchange/contract";
import { Refusal } from "../flows/refusal.ts";

const TIMEOUT_MS = 20_000;

interface Envelope<Data> {
  readonly data?: Data;
  readonly code?: string;
  readonly message?: string;
}

/** Calls an endpoint of the popup with the session's token. */
export async function callCheckout<Data>(url: string, token: string, body?: object): Promise<Data> {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { data, code, message } = (await response.json()) as Envelope<Data>;
  if (response.ok && data !== undefined) return data;
  const errorCode = Object.keys(API_ERRORS).find((one): one is ErrorCode => one === code);
  throw new Refusal(errorCode ?? "INTERNAL_ERROR", {
    message: `The service refused (${code ?? response.status}): ${message ?? "no reason"}`,
  });
}
