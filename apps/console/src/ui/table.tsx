import type { ComponentChildren } from "preact";

/**
 * A table that becomes a list of cards on a phone: each cell repeats the name of its column. The cards of a dense one have no
 * names, their first four cells in two lines, and each other cell in a line of its own.
 */
export function Table(props: {
  readonly caption: string;
  readonly columns: readonly string[];
  /** The columns of figures, which end in one line below each other. */
  readonly figures?: readonly string[];
  readonly isDense?: true;
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
}) {
  const classOf = (name: string | undefined) =>
    name !== undefined && props.figures?.includes(name) ? "figure" : undefined;
  return (
    <table class={props.isDense ? "table dense" : "table"}>
      <caption class="hidden">{props.caption}</caption>
      <thead>
        <tr>
          {props.columns.map((name) => (
            <th key={name} scope="col" class={classOf(name)}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, index) => (
              <td
                key={props.columns[index]}
                class={classOf(props.columns[index])}
                data-label={props.columns[index]}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A list of names and values. */
export function Facts(props: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  const shown = props.facts.filter(([, value]) => value !== null && value !== "");
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
