import type { CreatedMerchantWithKey, ListedMerchant } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { callWhole, type Listed } from "../api.ts";
import { goTo, linkTo, type ScreenProps } from "../route.ts";
import { say, sayTime } from "../say.ts";
import { SecretDialog } from "../ui/dialogs.tsx";
import { Field } from "../ui/fields.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { readForm } from "../ui/form.ts";
import { ListOf } from "../ui/list-of.tsx";
import { Empty } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";
import { CreateMerchant } from "./create-merchant.tsx";

/** All merchants, by a part of their name that lives in the address. A new one is created here. */
export function Merchants({ route, may }: ScreenProps) {
  const filters = route.query;
  const loaded = useData(JSON.stringify(filters), () =>
    callWhole<Listed<ListedMerchant>>("/merchants", { query: filters }),
  );
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<CreatedMerchantWithKey>();
  const create = may("merchants.manage") && (
    <button type="button" class="button primary" onClick={() => setCreating(true)}>
      {say("merchants.create")}
    </button>
  );
  return (
    <Screen title={say("nav.merchants")} actions={create}>
      <Search filters={filters} />
      <ListOf
        loaded={loaded}
        place="merchants"
        filters={filters}
        empty={
          <Empty text={say(filters["name"] ? "merchants.not_found" : "merchants.empty")}>
            {filters["name"] && (
              <a class="button" href={linkTo("merchants")}>
                {say("merchants.show_all")}
              </a>
            )}
          </Empty>
        }
      >
        {(data) => <MerchantTable merchants={data} />}
      </ListOf>
      {isCreating && (
        <CreateMerchant
          onMade={(answer) => {
            setCreating(false);
            setMade(answer);
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {made && (
        <SecretDialog
          title={say("merchants.made")}
          text={say("merchants.made_text")}
          secret={made.apiKey}
          onClose={() => goTo(`merchants/${made.merchant.merchantId}`)}
        />
      )}
    </Screen>
  );
}

function Search({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const search = (event: SubmitEvent) => goTo("merchants", { name: readForm(event)("name") });
  return (
    <form role="search" class="filters" onSubmit={search}>
      <Field label={say("merchants.find")} name="name" initial={filters["name"] ?? ""} />
      <button type="submit" class="button">
        {say("audit.search")}
      </button>
      <FileButton
        label={say("file.csv")}
        path="/merchants/export"
        query={{ ...filters, cursor: "" }}
      />
    </form>
  );
}

const MerchantTable = ({ merchants }: { readonly merchants: readonly ListedMerchant[] }) => (
  <Table
    caption={say("nav.merchants")}
    columns={[
      say("order.name"),
      say("order.state"),
      say("merchants.client_id"),
      say("merchants.keys"),
      say("nav.people"),
      say("keys.created"),
    ]}
    rows={merchants.map((merchant) => ({
      key: merchant.merchantId,
      cells: [
        <a key="link" href={linkTo(`merchants/${merchant.merchantId}`)}>
          {merchant.name}
        </a>,
        <Status key="state" word={merchant.disabledAt === null ? "active" : "disabled"} />,
        <code key="id">{merchant.merchantId}</code>,
        merchant.keys,
        merchant.people,
        sayTime(merchant.createdAt),
      ],
    }))}
  />
);
