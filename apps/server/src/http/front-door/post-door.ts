import type { Endpoint } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { parseJsonBody } from "../body/parse.ts";
import { tellError } from "../errors/answer.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import { makeValidator } from "../validation.ts";
import { jsonBodyHeaders, type RawHeaders, rawBaseHeaders, send, takeOne } from "./answering.ts";
import type { Door, House } from "./door.ts";
import { CLOSING, plainJsonLength, readBody } from "./json-body.ts";

/** An endpoint that merchants post JSON to. */
export interface Post<Body> {
  readonly endpoint: Endpoint & { readonly body: NonNullable<Endpoint["body"]> };
  readonly limiter: RateLimiter;
  /** The body of the success answer to a valid request, as JSON; throws a refusal. */
  readonly answer: (merchantId: string, body: Body) => string | Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly connection: RawHeaders;
}

interface Asked {
  readonly bytes: Buffer;
  readonly merchantId: string;
  readonly requestId: string;
}

/** Once the body is read the request is ours, whatever is wrong in it. */
export function makePostDoor<Body>({ deps, merchantOf }: House, post: Post<Body>): Door {
  const route = routeOf(post);
  const base = rawBaseHeaders(deps.publicUrl);
  const answerTo = makeAnswerer(deps, post);
  return (request, response) => {
    const length = request.url === route ? plainJsonLength(request) : undefined;
    if (length === undefined) return false;
    const merchantId = merchantOf(request);
    const use = merchantId === undefined ? undefined : takeOne(post.limiter, merchantId);
    if (merchantId === undefined || use === undefined) return false;
    readBody(request, length, (bytes) => {
      const requestId = deps.ids.uuid();
      const respond = ({ status, text, connection }: Answer): void => {
        const byteLength = Buffer.byteLength(text);
        const body = [...connection, ...jsonBodyHeaders(byteLength)];
        send(response, { base, requestId, use, body }, { status, payload: text, byteLength });
      };
      const answer = answerTo({ bytes, merchantId, requestId });
      if (!(answer instanceof Promise)) return respond(answer);
      answer.then(respond).catch((error: unknown) => {
        deps.log.error({ err: error, requestId }, "an answer could not be sent");
        response.destroy();
      });
    });
    return true;
  };
}

const routeOf = ({ endpoint }: Pick<Post<never>, "endpoint">): string => `/v1${endpoint.path}`;

function makeAnswerer<Body>(
  deps: Deps,
  { endpoint, answer }: Post<Body>,
): (asked: Asked) => Answer | Promise<Answer> {
  const validate = makeValidator("body", endpoint.body);
  const route = routeOf({ endpoint });
  const { status } = endpoint.success;
  return ({ bytes, merchantId, requestId }) => {
    let connection = CLOSING;
    const succeed = (text: string): Answer => ({ status, text, connection });
    const refuse = (error: unknown): Answer => ({
      ...tellError(deps, error, { requestId, endpoint, route }),
      connection,
    });
    try {
      const body = parseJsonBody(bytes);
      connection = [];
      validate(body);
      const text = answer(merchantId, body as Body);
      return text instanceof Promise ? text.then(succeed, refuse) : succeed(text);
    } catch (error) {
      return refuse(error);
    }
  };
}
