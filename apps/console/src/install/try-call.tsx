import type { InstallKit, TriedAnswer, TriedCall } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { say } from "../say.ts";
import { Code } from "../ui/code.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Field, Select } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { Facts } from "../ui/table.tsx";
import { useAction } from "../ui/use-data.ts";

type Texts = Readonly<Record<string, string>>;

/** Sends a call of the API. The key is in its field and nowhere else. */
export function TryCall({ kit }: { readonly kit: InstallKit }) {
  const [chosen, setChosen] = useState(kit.calls[0]?.operationId);
  const tried = kit.calls.find(({ operationId }) => operationId === chosen);
  if (tried === undefined) return null;
  return (
    <section>
      <h2>{say("install.call")}</h2>
      <p>{say("install.call_text")}</p>
      <div class="filters">
        <Select
          label={say("install.operation")}
          name="call"
          value={tried.operationId}
          options={kit.calls.map((one) => [one.operationId, one.summary] as const)}
          onChoose={(value) => setChosen(value as TriedCall["operationId"])}
        />
      </div>
      <CallForm key={tried.operationId} kit={kit} tried={tried} />
    </section>
  );
}

function CallForm({ kit, tried }: { readonly kit: InstallKit; readonly tried: TriedCall }) {
  const { isBusy, error, run } = useAction();
  const [texts, setTexts] = useState<Texts>(() =>
    Object.fromEntries(tried.query.map((one) => [one.name, firstText(one)])),
  );
  const [body, setBody] = useState(tried.body);
  const [answer, setAnswer] = useState<TriedAnswer>();
  const query = queryOf(texts);
  const send = (event: SubmitEvent) => {
    const apiKey = readForm(event)("apiKey");
    const sent = {
      ...{ operationId: tried.operationId, apiKey },
      ...(query !== "" && { query }),
      ...(body !== null && { body }),
    };
    run(async () => {
      setAnswer(undefined);
      setAnswer(await call<TriedAnswer>("/install/try", { method: "POST", body: sent }));
    });
  };
  return (
    <>
      <form class="card" onSubmit={send} autocomplete="off">
        {tried.query.map((one) => (
          <QueryField
            key={one.name}
            field={one}
            value={texts[one.name] ?? ""}
            onChange={(value) => setTexts({ ...texts, [one.name]: value })}
          />
        ))}
        {body !== null && <BodyField value={body} onChange={setBody} />}
        <Field
          label={say("install.api_key")}
          hint={say("install.api_key_hint")}
          name="apiKey"
          type="password"
          autocomplete="off"
          required
        />
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {say("install.send")}
        </button>
      </form>
      <Code label={say("install.curl")} text={curlOf(kit, { tried, query, body })} />
      <ErrorNotice error={error} />
      <div role="status">{answer && <Answer answer={answer} />}</div>
    </>
  );
}

/** A field of the query, with the values that its schema accepts. */
function QueryField(props: {
  readonly field: TriedCall["query"][number];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { name, required, values, description } = props.field;
  const shared = { label: name, name: `call-${name}` };
  if (values.length > 0) {
    const listed = values.map((value) => [value, value] as const);
    const options = required ? listed : [["", "–"] as const, ...listed];
    return <Select {...shared} value={props.value} options={options} onChoose={props.onChange} />;
  }
  const take = (event: Event): void => props.onChange((event.target as HTMLInputElement).value);
  return (
    <div onInput={take}>
      <Field
        {...shared}
        hint={description}
        initial={firstText(props.field)}
        {...(required && { required })}
      />
    </div>
  );
}

function BodyField(props: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <div class="field">
      <label for="body">{say("install.body")}</label>
      <textarea
        id="body"
        class="source"
        rows={props.value.split("\n").length + 1}
        spellcheck={false}
        value={props.value}
        onInput={({ currentTarget }) => props.onChange(currentTarget.value)}
      />
    </div>
  );
}

/** An example of a text that may be left out would only narrow the answer. */
const firstText = ({ required, example }: TriedCall["query"][number]): string =>
  required ? example : "";

function Answer({ answer }: { readonly answer: TriedAnswer }) {
  const [isFormatted, setFormatted] = useState(false);
  return (
    <section>
      <h3>{say("install.answer", { status: answer.status })}</h3>
      <Facts
        facts={answer.headers.map(({ name, value }) => [name, <code key={name}>{value}</code>])}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={isFormatted}
          onChange={({ currentTarget }) => setFormatted(currentTarget.checked)}
        />
        <span>{say("install.format")}</span>
      </label>
      <Code
        label={say("install.answer_body")}
        text={isFormatted ? formatted(answer.body) : answer.body}
      />
    </section>
  );
}

/** Returns JSON in lines. Numbers may change their spelling, so the body as it was sent is shown first. */
function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const queryOf = (texts: Texts): string =>
  new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== "")).toString();

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf(
  kit: InstallKit,
  sent: { readonly tried: TriedCall; readonly query: string; readonly body: string | null },
): string {
  const { tried, query, body } = sent;
  const url = `${kit.apiUrl}${tried.path}${query === "" ? "" : `?${query}`}`;
  return [
    `curl -X ${tried.method} ${quoted(url)}`,
    `  -H ${quoted(`x-client-id: ${kit.clientId}`)}`,
    '  -H "x-api-key: $API_KEY"',
    ...(body === null ? [] : ["  -H 'content-type: application/json'", `  -d ${quoted(body)}`]),
  ].join(" \\\n");
}
