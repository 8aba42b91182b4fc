// Run as a process of its own: the service as `npm start` runs it, on a database that outlives it. Told
// over its channel to arm a failpoint, it kills itself there as `kill -9` would; told to watch, it
// answers with every place it passes.
import { armFailpoint, watchFailpoints } from "../../../apps/server/dist/failpoints.js";
import { readConfig, startService } from "../../../apps/server/dist/main.js";

process.on("disconnect", () => process.exit(1));
process.on("message", (message) => {
  if (message.arm !== undefined) armFailpoint(message.arm ?? undefined);
  if (message.watch) watchFailpoints((name) => process.send?.({ passed: name }));
  process.send?.({ done: message.id });
});
const { url } = await startService(readConfig(process.env), { progress: () => {} });
process.send?.({ ready: url });
