import { type Example, OPERATIONS } from "./examples.ts";
import { type Html, html } from "./html.ts";
import { renderFrame } from "./layout.ts";
import { VARIANTS } from "./variants.ts";

const GROUPS: Readonly<Record<Example["group"], string>> = {
  operations: "The four operations",
  display: "Where the checkout opens",
  values: "Who decides what is sold",
  sessions: "Sessions and tokens",
  looks: "Looks and languages",
  policies: "Security policies",
};

const link = ({ path, name, intro, about = intro }: Example): Html => html`
      <li class="card"><h3><a href="${path}">${name}</a></h3>
        <p class="hint">${about}</p></li>`;

const group = ([id, title]: readonly [string, string]): Html => html`
  <section aria-labelledby="group-${id}">
    <h2 id="group-${id}">${title}</h2>
    <ul class="cards">${[...OPERATIONS, ...VARIANTS].filter((each) => each.group === id).map(link)}
    </ul>
  </section>`;

const REACT = html`
  <section aria-labelledby="group-react">
    <h2 id="group-react">React</h2>
    <p class="hint">A button and a hook around the same script: <code>@exchange/react</code>, described in
      <code>sdk/react/README.md</code> of the repository.</p>
  </section>`;

/** Every page of the shop with a sentence on it. */
export const INDEX_PAGE = renderFrame({
  path: "/examples",
  title: "Examples",
  language: "en",
  theme: "auto",
  skip: "Skip to the examples",
  data: {},
  main: html`
  <section class="intro">
    <h1>See it, then copy it</h1>
    <p>Each page shows one thing that the checkout does, logs what it says, and offers the code that does it.</p>
  </section>
  ${Object.entries(GROUPS).map(group)}${REACT}`,
});
