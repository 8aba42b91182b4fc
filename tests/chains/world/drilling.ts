import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import type { Merchant } from "../../support/orders/merchant.ts";
import { type CommandResult, runHere } from "../../support/service/command-line.ts";
import type { StartedService } from "../../support/service/service.ts";

/** Linux records a login for all commands of a desktop's session, which then count as one person. */
const NO_LOGIN = "4294967295";
export const HAS_LOGIN = ((): boolean => {
  try {
    return readFileSync("/proc/self/loginuid", "utf8").trim() !== NO_LOGIN;
  } catch {
    return false;
  }
})();

export interface Step {
  readonly step: string;
  readonly state: string;
  readonly found: string;
  readonly todo?: readonly string[];
}

export interface DrillAnswer {
  readonly ok: boolean;
  readonly orderId: number | null;
  readonly steps: readonly Step[];
}

/** The drill of the first payout of a network, as two people follow it. */
export interface Drilling {
  /** The variables of a person with an operating-system account. */
  variablesOf(person: string): NodeJS.ProcessEnv;
  /** Most of the time of a command is the start of its process, so commands run in this one. */
  runAs(person: string, ...words: string[]): Promise<CommandResult>;
  /** Waits until the drill asks a person for this step. Fails at once when a step after `ready` is blocked. */
  untilNext(step: string): Promise<Step>;
  /** Runs a command of the step as it is printed, with other words for some of its words. */
  paste(
    step: Step,
    start: string,
    changes?: Readonly<Record<string, string>>,
  ): Promise<CommandResult>;
  /** Waits until every step is done. */
  finished(): Promise<DrillAnswer>;
}

/** It only ends what hangs. */
const NEXT_WITHIN_MS = 120_000;

const isOpen = ({ state }: Step): boolean => state !== "done" && state !== "skipped";

export function drillOf(
  service: StartedService,
  { network, merchant }: { readonly network: string; readonly merchant?: Merchant },
): Drilling {
  const variablesOf: Drilling["variablesOf"] = (person) => ({
    ...service.env,
    SUDO_USER: person,
    EXCHANGE_URL: `${service.url}/v1`,
    ...(merchant && {
      EXCHANGE_CLIENT_ID: merchant.clientId,
      EXCHANGE_API_KEY: merchant.apiKey,
    }),
  });
  const runAs: Drilling["runAs"] = (person, ...words) =>
    runHere({ env: variablesOf(person) }, ...words);
  const drill = async (): Promise<DrillAnswer> => {
    const { stdout, stderr } = await runAs("anna", "drill", "first-payout", network, "--json");
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as DrillAnswer;
  };
  // The step that the person has done. The service sees what was done only at its next look.
  let doneStep = "";
  // A check of `doctor` fails for a moment, as while the scanner has read nothing or a node is slow.
  const mayPass = ({ state, step }: Step): boolean =>
    state === "waiting" ||
    (state === "next" && step === doneStep) ||
    (state === "blocked" && step === "ready");
  return {
    variablesOf,
    runAs,
    untilNext: async (step) => {
      const untilMs = performance.now() + NEXT_WITHIN_MS;
      for (;;) {
        const open = (await drill()).steps.find(isOpen);
        if (open?.state === "next" && open.step === step) {
          doneStep = step;
          return open;
        }
        if (!open || !mayPass(open) || performance.now() > untilMs) {
          throw new Error(`at ${step}: ${JSON.stringify(open)}`);
        }
        await sleep(200);
      }
    },
    paste: async (step, start, changes = {}) => {
      const line = step.todo?.find((one) => one.startsWith(`exchange ${start}`));
      const words = [...(line ?? "").matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, text, word]) => text ?? word ?? "",
      );
      const person = words.includes("--as") ? (words[words.indexOf("--as") + 1] ?? "") : "anna";
      const typed = words.slice(1).map((word) => changes[word] ?? word);
      let result = await runAs(person, ...typed);
      // The service reads its stock every few seconds. A person who has just sent the coins is slower than that.
      for (let run = 0; run < 300 && result.stderr.includes("LIQUIDITY_UNAVAILABLE"); run += 1) {
        await sleep(200);
        result = await runAs(person, ...typed);
      }
      expect(result, result.stderr).toMatchObject({ status: 0 });
      return result;
    },
    finished: () =>
      vi.waitUntil(
        async () => {
          const answer = await drill();
          const open = answer.steps.find(isOpen);
          if (open && !mayPass(open)) throw new Error(JSON.stringify(open));
          return answer.ok ? answer : undefined;
        },
        { timeout: 60_000, interval: 200 },
      ),
  };
}
