import type { Command } from "../command.ts";
import {
  checkBooks,
  checkCompleted,
  checkRelease,
  checkSent,
  checkStatement,
  checkWebhook,
} from "../drill/after-payout.ts";
import {
  checkLimits,
  checkOrder,
  checkPaid,
  checkReady,
  checkStop,
} from "../drill/before-payout.ts";
import { checkFloat } from "../drill/check-float.ts";
import { type DrillFacts, readFacts } from "../drill/facts.ts";
import { inTurn, isPassed, type Outcome, type Step, type StepState } from "../drill/step.ts";
import { withFlows } from "../with-flows.ts";

export const drillFirstPayout: Command = {
  name: "drill first-payout",
  summary:
    "Guide you through the first live payout of a network, and check each step. It changes nothing.",
  options: {
    network: { value: "CODE", required: true, description: "A live network, such as ethereum." },
  },
  argument: "network",
  example: "drill first-payout --network ethereum",
  run: (context, input) =>
    withFlows(context, async (deps) => {
      const network = input.required("network");
      const facts = await readFacts(context, deps, network);
      const steps = inTurn(await checkEach(facts));
      const ok = steps.every(({ state }) => isPassed(state));
      const orderId = facts.view ? Number(facts.view.order.id) : null;
      const payoutId = facts.payout?.intent.id ?? null;
      const text = [...steps.map(showStep), "", closing(steps, network)].join("\n");
      return { json: { network, ok, orderId, payoutId, steps }, text, ok };
    }),
};

/** The steps in their order. Each is decided by the database and the chain as they are now. */
const STEPS: readonly {
  readonly step: string;
  readonly title: string;
  readonly check: (facts: DrillFacts) => Outcome | Promise<Outcome>;
}[] = [
  { step: "ready", title: "The installation is ready", check: checkReady },
  { step: "limits", title: "Limits are low", check: checkLimits },
  { step: "stop", title: "Payouts are stopped", check: checkStop },
  { step: "float", title: "The float is there, and booked", check: checkFloat },
  { step: "order", title: "A small order is placed", check: checkOrder },
  { step: "paid", title: "It is paid", check: checkPaid },
  { step: "release", title: "Its payout waits, and two people resume", check: checkRelease },
  { step: "sent", title: "The chain has the transaction", check: checkSent },
  { step: "completed", title: "The order is completed", check: checkCompleted },
  { step: "webhook", title: "The merchant has its webhook", check: checkWebhook },
  { step: "books", title: "Books and balances are equal", check: checkBooks },
  { step: "statement", title: "The statement has the payout", check: checkStatement },
];

async function checkEach(facts: DrillFacts): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { step, title, check } of STEPS) steps.push({ step, title, ...(await check(facts)) });
  return steps;
}

const MARKS: Readonly<Record<StepState, string>> = {
  done: "done   ",
  skipped: "skipped",
  next: "NEXT   ",
  waiting: "wait   ",
  blocked: "BLOCKED",
  later: "later  ",
};

function showStep({ state, title, found, todo = [] }: Step, at: number): string {
  const number = String(at + 1).padStart(2);
  if (state === "later") return `${MARKS[state]} ${number}. ${title}`;
  const lines = [`${MARKS[state]} ${number}. ${title}: ${found}`, ...todo.map(indented)];
  return lines.join("\n");
}

const indented = (line: string): string =>
  line.startsWith("npx ") ? `                ${line}` : `            ${line}`;

function closing(steps: readonly Step[], network: string): string {
  const open = steps.find(({ state }) => !isPassed(state));
  if (open === undefined) {
    return `The first payout on ${network} is complete. Continue with docs/operating/go-live.md#after-the-first-payout.`;
  }
  const again = `exchange drill first-payout --network ${network}`;
  return open.state === "waiting" ? `Run again in a moment: ${again}` : `Then run again: ${again}`;
}
