import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { en } from "../copy/en.ts";
import { operationCopy } from "../copy/operations.ts";
import { canRetryPayment, hasEnded } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { CheckIcon, ClockIcon, CrossIcon, LinkOutIcon } from "../ui/icons.tsx";
import { CopyRow, MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { amountsOf } from "../ui/words.ts";
import { Line } from "./price-lines.tsx";
import { type StatusWords, statusWords } from "./status-words.ts";

/** Where the order stands, live, until it has ended. */
export function StatusScreen({ stage }: { readonly stage: Ordered }) {
  const { announce } = useActions();
  const { order, session } = stage;
  const shop = session.merchant.name;
  const words = statusWords(order, stage.locale);
  useEffect(() => announce(`${words.title}. ${words.text}`), [words.title, words.text]);
  return (
    <Screen title={words.title} shop={shop}>
      <div class="outcome">
        <Emblem tone={words.tone} />
        <p class="lead">{words.text}</p>
      </div>
      {words.stepsDone !== undefined && <Steps stage={stage} done={words.stepsDone} />}
      {stage.connection !== "fine" && (
        <Notice tone="warning">
          <p>{stage.connection === "lost" ? en.status.lost : en.status.timedOut(shop)}</p>
        </Notice>
      )}
      <Details stage={stage} />
      {stage.reopened && (
        <Notice>
          <p>{en.status.reopened(shop)}</p>
        </Notice>
      )}
      <NextAction stage={stage} />
    </Screen>
  );
}

const EMBLEMS: Readonly<Record<StatusWords["tone"], ComponentChildren>> = {
  going: <span class="spinner spinner-large" />,
  good: <CheckIcon />,
  bad: <CrossIcon />,
  neutral: <ClockIcon />,
};

const Emblem = ({ tone }: { readonly tone: StatusWords["tone"] }) => (
  <span class={`emblem emblem-${tone}`} aria-hidden="true">
    {EMBLEMS[tone]}
  </span>
);

function Steps({ stage, done }: { readonly stage: Ordered; readonly done: number }) {
  const { steps } = operationCopy(stage.order.operationType);
  const states = en.status.stepState;
  return (
    <ol class="steps" aria-label={en.status.progress}>
      {steps.map((name, index) => {
        const state = index < done ? "done" : index === done ? "now" : "next";
        return (
          <li
            key={name}
            class={`step step-${state}`}
            aria-current={state === "now" ? "step" : undefined}
          >
            <span class="step-mark" aria-hidden="true">
              {state === "done" && <CheckIcon />}
            </span>
            <span>{name}</span>
            <span class="visually-hidden">{`, ${states[state]}`}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Details({ stage }: { readonly stage: Ordered }) {
  const { order, locale } = stage;
  const amounts = amountsOf(order.quote, order.operationType, locale);
  const { walletAddress, transactionHash, explorerUrl } = order.delivery;
  const copy = operationCopy(order.operationType);
  return (
    <dl class="lines">
      <Line label={copy.spendLabel} value={amounts.spend} />
      <Line label={copy.receiveLabel} value={amounts.receive} />
      {walletAddress && (
        <div class="row row-tall">
          <dt>{en.status.to}</dt>
          <dd class="mono" dir="ltr">
            {walletAddress}
          </dd>
        </div>
      )}
      {transactionHash && (
        <CopyRow label={en.status.transaction} value={transactionHash}>
          {explorerUrl && isWebAddress(explorerUrl) && (
            <a
              class="link link-target"
              href={explorerUrl}
              target="_blank"
              rel="noopener noreferrer"
            >
              {en.status.explorer}
              <LinkOutIcon />
            </a>
          )}
        </CopyRow>
      )}
      <CopyRow label={en.status.orderNumber} value={String(order.orderId)} />
    </dl>
  );
}

const isWebAddress = (url: string): boolean => /^https?:\/\//.test(url);

/** Another card after a decline, the way back once nothing more happens here. */
function NextAction({ stage }: { readonly stage: Ordered }) {
  const { dispatch, exit, hosted } = useActions();
  const shop = stage.session.merchant.name;
  if (canRetryPayment(stage.order) && stage.connection !== "timed_out") {
    return (
      <div class="actions">
        <MainButton onClick={() => dispatch({ type: "orderedScreenOpened", screen: "card" })}>
          {en.status.tryCard}
        </MainButton>
      </div>
    );
  }
  if (!hosted) return null;
  const completed = stage.order.status === "completed";
  return (
    <div class="actions">
      <button
        type="button"
        class={hasEnded(stage.order) ? "main-button" : "second-button wide"}
        onClick={() => exit.ask(completed ? "completed" : "user")}
      >
        {completed && !stage.reopened ? en.status.done : en.backTo(shop)}
      </button>
    </div>
  );
}
