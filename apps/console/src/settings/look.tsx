import type { ShopSettings } from "@exchange/contract/admin";
import {
  CONTRAST_MIN,
  contrast,
  inkOn,
  readColour,
  SURFACES,
  toCss,
} from "@exchange/contract/appearance";
import { useState } from "preact/hooks";
import { linkTo } from "../route.ts";
import { say } from "../say.ts";

/** Saves members of the settings and shows what was stored. */
export type Save = (changes: Readonly<Record<string, unknown>>) => void;

const LOGO_BYTES_MAX = 36_000;
/** The popup's own colour. */
const OWN_COLOUR = "#2456e6";

/** The merchant's logo and colour, as the popup will show them in light and dark. */
export function LookForm(props: {
  readonly settings: ShopSettings;
  readonly isBusy: boolean;
  /** Absent for a person who may only look. */
  readonly save: Save | undefined;
}) {
  const { settings, isBusy, save } = props;
  const [colour, setColour] = useState(settings.primaryColor ?? OWN_COLOUR);
  const [logo, setLogo] = useState(settings.logoUrl);
  const [isLarge, setLarge] = useState(false);
  const choose = async (file: File | undefined): Promise<void> => {
    setLarge(file !== undefined && file.size > LOGO_BYTES_MAX);
    if (file && file.size <= LOGO_BYTES_MAX) setLogo(await readAsDataUrl(file));
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save?.({ logoUrl: logo, primaryColor: colour === OWN_COLOUR ? null : colour });
  };
  return (
    <form class="card" onSubmit={submit}>
      <h2>{say("install.look")}</h2>
      {save && (
        <LookFields
          colour={colour}
          isLarge={isLarge}
          onColour={setColour}
          onLogo={(file) => void choose(file)}
        />
      )}
      <div class="columns">
        <Preview theme="light" name={settings.name} colour={colour} logo={logo} />
        <Preview theme="dark" name={settings.name} colour={colour} logo={logo} />
      </div>
      <p class="muted">
        {say("settings.page_look")} <a href={linkTo("install")}>{say("nav.install")}</a>
      </p>
      {save && (
        <div class="actions">
          <button type="submit" class="button primary" disabled={isBusy}>
            {say("common.save")}
          </button>
          {logo && (
            <button type="button" class="button" onClick={() => setLogo(null)}>
              {say("settings.logo_remove")}
            </button>
          )}
        </div>
      )}
    </form>
  );
}

function LookFields(props: {
  readonly colour: string;
  readonly isLarge: boolean;
  readonly onColour: (colour: string) => void;
  readonly onLogo: (file: File | undefined) => void;
}) {
  return (
    <div class="filters">
      <div class="field">
        <label for="colour">{say("settings.colour")}</label>
        <input
          id="colour"
          type="color"
          value={props.colour}
          onInput={({ currentTarget }) => props.onColour(currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="logo">{say("settings.logo")}</label>
        <input
          id="logo"
          type="file"
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          aria-describedby="logo-hint"
          onChange={({ currentTarget }) => props.onLogo(currentTarget.files?.[0])}
        />
        <small id="logo-hint" class="muted" role="status">
          {say(props.isLarge ? "settings.logo_large" : "settings.logo_hint")}
        </small>
      </div>
    </div>
  );
}

const readAsDataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** One background with the logo and the button, by the rule of the popup. */
function Preview(props: {
  readonly theme: "light" | "dark";
  readonly name: string;
  readonly colour: string;
  readonly logo: string | null;
}) {
  const { theme, name, logo } = props;
  const surface = SURFACES[theme];
  const chosen = readColour(props.colour);
  const ratio = chosen === undefined ? 0 : contrast(chosen, surface);
  const used = chosen !== undefined && ratio >= CONTRAST_MIN.button ? chosen : undefined;
  const words = !used ? "none" : ratio >= CONTRAST_MIN.text ? "text" : "button";
  const button = used && { background: toCss(used), color: toCss(inkOn(used)) };
  return (
    <figure class="sample">
      <div style={{ background: toCss(surface), color: toCss(inkOn(surface)) }}>
        {logo ? <img src={logo} alt={name} /> : <strong>{name}</strong>}
        <span class="button primary" {...(button && { style: button })}>
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
