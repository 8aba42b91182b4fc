import { goTo } from "../route.ts";
import { say } from "../say.ts";
import { Select } from "./fields.tsx";

type Filters = Readonly<Record<string, string>>;

/** Returns a function that sets one filter in the address and opens the first page of the list. */
export const filterOf =
  (place: string, filters: Filters) =>
  (name: string, value: string): void =>
    goTo(place, { ...filters, cursor: undefined, [name]: value });

/** Chooses the value of one filter of a list, or all. */
export const Filter = (props: {
  readonly place: string;
  readonly filters: Filters;
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}) => (
  <Select
    label={props.label}
    name={props.name}
    value={props.filters[props.name] ?? ""}
    options={[["", say("common.all")], ...props.options]}
    onChoose={(value) => filterOf(props.place, props.filters)(props.name, value)}
  />
);
