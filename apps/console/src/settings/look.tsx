import type { MerchantSettings } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { linkTo } from "../route.ts";
import { say } from "../say.ts";
import { OWN_COLOUR, Preview } from "./preview.tsx";

/** Saves changed settings and shows them as they were stored, or why the changes cannot be read. */
export type Save = (changes: () => Promise<Readonly<Record<string, unknown>>>) => void;

const LOGO_BYTES_MAX = 36_000;

/** The merchant's logo and colour, as the popup will show them in light and dark. */
export function LookForm(props: {
  readonly settings: MerchantSettings;
  readonly isBusy: boolean;
  /** Absent for a person who may only look. */
  readonly save: Save | undefined;
  /** It is the person's own merchant, whose pages may have a look of their own. */
  readonly isOwn: boolean;
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
    save?.(async () => ({ logoUrl: logo, primaryColor: colour === OWN_COLOUR ? null : colour }));
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
      {props.isOwn && (
        <p class="muted">
          {say("settings.page_look")} <a href={linkTo("install")}>{say("nav.install")}</a>
        </p>
      )}
      {save && (
        <div class="actions">
          <button type="submit" class="button primary" aria-disabled={isBusy}>
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
