import type { RequestListener } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Door, House, HouseParts } from "./door.ts";
import { makeMerchantOf } from "./known-merchant.ts";
import { makeOrderDoor } from "./order-door.ts";
import { makeQuoteDoor } from "./quote-door.ts";
import { makeReadDoor } from "./read-door.ts";
import { makeScriptDoor } from "./script-door.ts";
import { makeTokenDoor } from "./token-door.ts";

/**
 * The front door answers what is asked most, before the router: a merchant's reads of the catalogue
 * and of an order, the script, a merchant's quotes and public tokens. A request is taken here only when
 * everything about it is as usual and it would be let in: the right credentials, within the limit,
 * nothing in its headers that changes the answer. Everything else is left, untouched, to the ordinary
 * path, which knows every refusal. What is taken gets the bytes that the ordinary path would have
 * sent: the same headers in the same order, an id of its own, its use of the rate limit told.
 * `front-door.storage.test.ts` asks both and compares.
 *
 * Puts it before the router. Call when every route is made, before listening.
 */
export function hangFrontDoor(app: FastifyInstance, parts: HouseParts): void {
  const admit = guarded(makeDoor(parts), parts.deps.log);
  let isClosing = false;
  app.addHook("preClose", (done) => {
    isClosing = true;
    done();
  });
  const [route] = app.server.listeners("request") as RequestListener[];
  if (!route) throw new Error("the router does not listen to requests");
  app.server.removeListener("request", route);
  app.server.on("request", (request, response) => {
    // The ordinary path ends the connections of a service that closes.
    if (isClosing || !admit(request, response)) route(request, response);
  });
}

/** A fault of ours in here must not end the process: the ordinary path answers, where it still can. */
function guarded(door: Door, log: House["deps"]["log"]): Door {
  return (request, response) => {
    try {
      return door(request, response);
    } catch (error) {
      log.error({ err: error }, "the front door failed");
      if (response.headersSent) response.destroy();
      return response.headersSent;
    }
  };
}

function makeDoor(parts: HouseParts): Door {
  const house: House = { ...parts, merchantOf: makeMerchantOf(parts.deps) };
  const takeRead = makeReadDoor(house);
  const takeScript = makeScriptDoor(house);
  const takeQuote = makeQuoteDoor(house);
  const takeToken = makeTokenDoor(house);
  const takeOrder = makeOrderDoor(house);
  return (request, response) => {
    if (request.method === "POST") {
      return takeQuote(request, response) || takeToken(request, response);
    }
    if (request.method !== "GET") return false;
    return (
      takeRead(request, response) || takeScript(request, response) || takeOrder(request, response)
    );
  };
}
