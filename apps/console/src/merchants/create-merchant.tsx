import type { CatalogueView, CreatedMerchantWithKey } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { countriesByName, say } from "../say.ts";
import { FormDialog } from "../ui/dialogs.tsx";
import { Field, Select } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { useAction, useData } from "../ui/use-data.ts";

const COUNTRY_BEGUN = "DE";

/** Asks for the name, country and origins of a new merchant, and creates it. */
export function CreateMerchant(props: {
  readonly onMade: (made: CreatedMerchantWithKey) => void;
  readonly onClose: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const [countryCode, setCountry] = useState(COUNTRY_BEGUN);
  const catalogue = useData("catalogue", () => call<CatalogueView>("/catalogue"));
  const countries = catalogue.data?.countries ?? [];
  const create = (event: SubmitEvent) => {
    const text = readForm(event);
    const origins = text("origins")
      .split(/[\s,]+/)
      .filter(Boolean);
    const body = { name: text("name"), countryCode, ...(origins.length > 0 && { origins }) };
    run(async () =>
      props.onMade(await call<CreatedMerchantWithKey>("/merchants", { method: "POST", body })),
    );
  };
  return (
    <FormDialog
      title={say("merchants.create")}
      text={say("merchants.create_text")}
      submit={say("merchants.create")}
      isBusy={isBusy}
      error={error}
      onSubmit={create}
      onClose={props.onClose}
    >
      <Field label={say("order.name")} name="name" maxLength={200} required />
      <Select
        label={say("order.country")}
        name="countryCode"
        value={countryCode}
        options={countriesByName(countries.map(({ code }) => code))}
        onChoose={setCountry}
      />
      <Field label={say("origins.title")} hint={say("merchants.origins_hint")} name="origins" />
    </FormDialog>
  );
}
