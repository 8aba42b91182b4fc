import type { FastifyInstance, FastifyRequest } from "fastify";
import { takeCallback } from "../../flows/callbacks/take.ts";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import { holderOf } from "../limits/holder.ts";
import { makeRateLimiter, steadyMs } from "../limits/rate-limiter.ts";
import { spend } from "../limits/rate-limits.ts";

/** Larger bodies are refused. Providers send references, not documents. */
export const CALLBACK_BYTES_MAX = 256 * 1024;
/** Callbacks without a valid signature, for each address. After that its bodies are not read. */
const STRANGE_PER_MINUTE = 60;
/** Verified callbacks of one provider, in each process. The provider repeats the others later. */
const VERIFIED_PER_MINUTE = 6_000;
const WINDOW_MS = 60_000;

/**
 * Registers the door of providers' callbacks, `POST /rails/<provider>/callbacks`. It is not a part of the merchants'
 * API, so it has neither their version nor their credentials: the provider's signature over the exact bytes decides
 * (docs/decisions/0069-use-callbacks-only-to-look-sooner.md).
 */
export function registerCallbacks(app: FastifyInstance, deps: Deps): void {
  const window = { windowMs: WINDOW_MS, nowMs: steadyMs };
  const strange = makeRateLimiter({ limit: STRANGE_PER_MINUTE, ...window });
  const verified = makeRateLimiter({ limit: VERIFIED_PER_MINUTE, ...window });
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", async (request: FastifyRequest) => {
      try {
        return await request.receiveBody(CALLBACK_BYTES_MAX);
      } catch (error) {
        // A body that gave way to others says nothing about its sender.
        if (!isRefusedFor(error, "SERVICE_UNAVAILABLE")) strange.take(holderOf(request.ip));
        throw isRefusedFor(error, "PAYLOAD_TOO_LARGE") ? tooLarge() : error;
      }
    });
    scope.post<{ Params: { provider: string } }>("/rails/:provider/callbacks", {
      config: { addressLimit: "none" },
      // Before the body is read, which is the larger part of the work that a stranger can cause.
      onRequest: async ({ ip, params }, reply) => {
        const use = strange.look(holderOf(ip));
        if (use.remaining === 0) spend({ ...use, allowed: false }, reply);
        if (!deps.callbacks.has(params.provider)) {
          strange.take(holderOf(ip));
          throw new Refusal("NOT_FOUND");
        }
      },
      handler: async ({ ip, params: { provider }, headers, body }, reply) => {
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
        const admit = (): void => spend(verified.take(provider), reply);
        await takeCallback(deps, { provider, headers, body: bytes, admit }).catch((error) => {
          if (isRefusedFor(error, "UNAUTHORIZED")) strange.take(holderOf(ip));
          throw error;
        });
        return reply.code(204).send();
      },
    });
  });
}

const isRefusedFor = (error: unknown, code: Refusal["code"]): boolean =>
  error instanceof Refusal && error.code === code;

const tooLarge = (): Refusal =>
  new Refusal("PAYLOAD_TOO_LARGE", {
    message: `The callback's body is larger than ${CALLBACK_BYTES_MAX / 1024} kB.`,
  });
