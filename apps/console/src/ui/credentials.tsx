import { say } from "../say.ts";
import { Field } from "./fields.tsx";

/** A field for the person's present password. */
export const CurrentPassword = ({
  label = say("sign_in.password"),
  name = "password",
}: {
  readonly label?: string;
  readonly name?: string;
}) => (
  <Field
    label={label}
    name={name}
    type="password"
    autocomplete="current-password"
    maxLength={128}
    required
  />
);

/** A field for a new password, with its rules. */
export const NewPassword = ({
  label = say("sign_in.password"),
  name = "password",
}: {
  readonly label?: string;
  readonly name?: string;
}) => (
  <Field
    label={label}
    hint={say("invitation.password_hint")}
    name={name}
    type="password"
    autocomplete="new-password"
    minLength={12}
    maxLength={128}
    required
  />
);

/** A field for the six digits that an authenticator shows. */
export const AuthenticatorCode = () => (
  <Field
    label={say("sign_in.code")}
    name="code"
    autocomplete="one-time-code"
    inputMode="numeric"
    required
  />
);
