import { say } from "../say.ts";
import { Field } from "./parts.tsx";

/** The field of a password that the person has. */
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

/** The field of a password that the person chooses, with what it must have. */
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

/** The field of the six digits that an authenticator shows. */
export const AuthenticatorCode = () => (
  <Field
    label={say("sign_in.code")}
    name="code"
    autocomplete="one-time-code"
    inputMode="numeric"
    required
  />
);
