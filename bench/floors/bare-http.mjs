import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("./http-server.mjs", import.meta.url));
/** What node:http sets by itself. */
const OWN = new Set(["connection", "content-length", "date", "keep-alive"]);

/**
 * Starts bare node:http, in a process of its own as the service is, that sends the bytes of the
 * service's answer. Gives its address, its process and a stop.
 */
export async function startBareHttp(response, { parses = false } = {}) {
  const headers = [...response.headers].filter(([name]) => !OWN.has(name)).flat();
  const child = fork(SERVER);
  child.send({ text: await response.text(), headers, parses });
  const [{ port }] = await once(child, "message");
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill("SIGKILL") };
}
