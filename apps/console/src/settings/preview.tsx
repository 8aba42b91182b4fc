import {
  CONTRAST_MIN,
  contrast,
  inkOn,
  readColour,
  SURFACES,
  toCss,
} from "@exchange/contract/appearance";
import { say } from "../say.ts";

/** The popup's own colour. */
export const OWN_COLOUR = "#2456e6";

/** One background with the logo and the button, by the rule of the popup. */
export function Preview(props: {
  readonly theme: "light" | "dark";
  readonly name: string;
  readonly colour: string;
  readonly logo: string | null;
  /** The corners in pixels; those of the popup when absent. */
  readonly radius?: number | undefined;
  /** The exchange that the popup begins with, in words. */
  readonly exchange?: readonly string[];
}) {
  const { theme, name, logo, radius, exchange = [] } = props;
  const surface = SURFACES[theme];
  const chosen = readColour(props.colour);
  const ratio = chosen === undefined ? 0 : contrast(chosen, surface);
  const used = chosen !== undefined && ratio >= CONTRAST_MIN.button ? chosen : undefined;
  const words = !used ? "none" : ratio >= CONTRAST_MIN.text ? "text" : "button";
  const corners = radius === undefined ? {} : { borderRadius: `${radius}px` };
  const button = {
    ...corners,
    ...(used && { background: toCss(used), color: toCss(inkOn(used)) }),
  };
  return (
    <figure class="sample">
      <div style={{ background: toCss(surface), color: toCss(inkOn(surface)) }}>
        {logo ? <img src={logo} alt={name} /> : <strong>{name}</strong>}
        {exchange.map((line) => (
          <span key={line} class="sample-line" style={corners}>
            {line}
          </span>
        ))}
        <span class="button primary" style={button}>
          {say("settings.continue")}
        </span>
      </div>
      <figcaption class="small">
        {say(`settings.on_${theme}`)}.{" "}
        {say(`settings.contrast_${words}`, { ratio: ratio.toFixed(1) })}
      </figcaption>
    </figure>
  );
}
