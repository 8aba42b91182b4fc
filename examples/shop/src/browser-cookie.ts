import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Settings } from "./settings.ts";

const NAME = "shop-browser";
const DAY_SECONDS = 24 * 60 * 60;

/** The browser of a request: its id, and the header that makes it keep the id. */
export interface Browser {
  readonly id: string;
  readonly setCookie: string;
}

/**
 * Recognizes the browser that began a purchase. A session id is in addresses and logs, so it does not say who
 * asks. No script can read this cookie, and no other site can make a browser send it.
 */
export function browserOf({ headers }: FastifyRequest, { environment }: Settings): Browser {
  const [, cookieId] = /(?:^|;\s*)shop-browser=([\w-]{36})(?:;|$)/.exec(headers.cookie ?? "") ?? [];
  const id = cookieId ?? randomUUID();
  // Safari keeps no secure cookie of http://localhost.
  const secure = environment === "dev" ? "" : "; Secure";
  const setCookie = `${NAME}=${id}; Max-Age=${DAY_SECONDS}; Path=/api; HttpOnly; SameSite=Strict${secure}`;
  return { id, setCookie };
}
