import type { IdSource } from "../domain/ports/id-source.ts";
import type { Deps } from "../flows/deps.ts";
import type { RegisterRoutes } from "../http/registrar.ts";
import type { Database } from "../storage/postgres/database.ts";
import type { DeliveryFaults } from "../webhooks/delivery-faults.ts";
import { sandboxBank } from "./banks/bank.ts";
import { makeSendCallback, sandboxCallbacks } from "./callbacks/callbacks.ts";
import { sandboxIssuer } from "./cards/issuer.ts";
import { sandboxCardProcessor } from "./cards/processor.ts";
import { type SandboxChainOptions, sandboxChain } from "./chains/chain.ts";
import type { ClockMover } from "./deps.ts";
import { makeDeliveryFaults } from "./faults/planted-faults.ts";
import { registerChallengePage } from "./routes/challenge.ts";
import {
  registerSandboxClock,
  registerSandboxWorld,
  registerWebhookFaults,
} from "./routes/endpoints.ts";
import { registerExplorer } from "./routes/explorer.ts";
import { sandboxScreener } from "./screening/screener.ts";
import { sandboxWorld } from "./world/world.ts";

export interface SandboxOptions {
  readonly database: Database;
  /** The books of the rails: the service's database, or another one that a restore leaves as it is. */
  readonly books: Database;
  readonly ids: IdSource;
  readonly publicUrl: string;
  /** The secrets that sign the callbacks of the processor and the bank. Without one they send none. */
  readonly callbackSecrets?: readonly Uint8Array[] | undefined;
  readonly clockMover: ClockMover;
  readonly network: SandboxChainOptions["network"];
}

/** The rehearsal world of `dev` and `staging`. Only `start/` builds one, and `prod` has none. */
export interface Sandbox {
  readonly rails: Pick<Deps, "cardProcessor" | "chain" | "bank" | "screener" | "callbacks">;
  readonly deliveryFaults: DeliveryFaults;
  /** Adds the sandbox's endpoints, its bank's page for 3-D Secure challenges, and its explorer. */
  readonly registerRoutes: RegisterRoutes;
}

export function makeSandbox(options: SandboxOptions): Sandbox {
  const { database, books, ids, publicUrl, clockMover, network, callbackSecrets = [] } = options;
  const sendCallback = makeSendCallback({ secrets: callbackSecrets, publicUrl, ids });
  return {
    rails: {
      cardProcessor: sandboxCardProcessor({ database: books, ids, publicUrl }),
      chain: sandboxChain({ database: books, ids, network }),
      bank: sandboxBank(books),
      screener: sandboxScreener(),
      callbacks: new Map([["sandbox", sandboxCallbacks(callbackSecrets)]]),
    },
    deliveryFaults: makeDeliveryFaults(database),
    registerRoutes: ({ app, register, deps }) => {
      registerWebhookFaults(register, deps);
      const sandboxDeps = { ...deps, world: sandboxWorld(books, sendCallback), clockMover };
      registerSandboxClock(register, sandboxDeps);
      registerSandboxWorld(register, sandboxDeps);
      registerChallengePage(app, sandboxIssuer(books, sendCallback));
      registerExplorer(app, { ...deps, database: books });
    },
  };
}
