import type { FastifyInstance } from "fastify";

/** Writes what was gathered at this pace while the server runs, and once more when it closes. */
export function flushRegularly(
  app: FastifyInstance,
  gathered: { flush(): Promise<unknown> },
  everyMs: number,
): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook("onReady", async () => {
    timer = setInterval(() => void gathered.flush(), everyMs);
    timer.unref();
  });
  app.addHook("onClose", async () => {
    clearInterval(timer);
    await gathered.flush();
  });
}
