import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const GENERATOR = fileURLToPath(new URL("./load-generator.mjs", import.meta.url));

/**
 * Requests a second and their latencies (milliseconds, with fractions). Without `perSecond` it is a
 * closed loop, as fast as answers come. `url` may be a list: the requests take turns. `{uuid}` in
 * `body` is a new UUID in each request. Throws when an answer is no success: an error is not a fast
 * answer.
 */
export async function load({
  url,
  method = "GET",
  headers = {},
  body,
  connections,
  seconds,
  perSecond,
}) {
  const child = fork(GENERATOR);
  try {
    child.send({ urls: [url].flat(), method, headers, body, connections, seconds, perSecond });
    const [result] = await once(child, "message");
    if (result.error) throw new Error(`${[url].flat()[0]}: ${result.error}`);
    if (result.failures > 0) {
      throw new Error(`${[url].flat()[0]}: ${result.failures} of ${result.requests} were refused`);
    }
    return result;
  } finally {
    child.kill("SIGKILL");
  }
}
