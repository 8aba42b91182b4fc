import { linkTo } from "../route.ts";
import { say } from "../say.ts";

/** Says that there is nothing at an address, and leads back to a place of the console. */
export const NotFound = (props: {
  readonly text: string;
  readonly place: string;
  readonly label: string;
}) => (
  <div class="card empty">
    <p role="alert">{props.text}</p>
    <a class="button" href={linkTo(props.place)}>
      {say("common.back_to", { place: props.label })}
    </a>
  </div>
);
