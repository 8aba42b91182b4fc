import type { LoggedRequest } from "@exchange/contract/admin";
import { callWhole, type Listed } from "../api.ts";
import { goTo, linkTo, type ScreenProps } from "../route.ts";
import { say, sayTime } from "../say.ts";
import { Field } from "../ui/fields.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { Filter } from "../ui/filter.tsx";
import { readForm } from "../ui/form.ts";
import { ListOf } from "../ui/list-of.tsx";
import { Empty } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";

const FAILED_STATUS_MIN = 400;

/** Lists calls of the API. The address has the filters, and a request id finds one call. */
export function Requests({ route }: ScreenProps) {
  const filters = route.query;
  const isFiltered = Object.keys(filters).length > 0;
  const loaded = useData(JSON.stringify(filters), () =>
    callWhole<Listed<LoggedRequest>>("/requests", { query: filters }),
  );
  const find = (event: SubmitEvent) =>
    goTo("requests", { requestId: readForm(event)("requestId") });
  return (
    <Screen
      title={say("nav.requests")}
      actions={
        <button type="button" class="button" onClick={loaded.reload}>
          {say("common.refresh")}
        </button>
      }
    >
      <p class="muted">{say("requests.text")}</p>
      <form role="search" class="filters" onSubmit={find}>
        <Field
          label={say("requests.id")}
          name="requestId"
          initial={filters["requestId"] ?? ""}
          maxLength={36}
        />
        <button type="submit" class="button">
          {say("orders.find")}
        </button>
        <Filter
          place="requests"
          filters={{ ...filters, requestId: "" }}
          name="outcome"
          label={say("requests.outcome")}
          options={[["failed", say("requests.failed")]]}
        />
        <FileButton
          label={say("file.csv")}
          path="/requests/export"
          query={{ ...filters, cursor: "" }}
        />
      </form>
      <ListOf
        loaded={loaded}
        place="requests"
        filters={filters}
        empty={
          <Empty text={say(isFiltered ? "requests.not_found" : "requests.empty")}>
            <a class="button" href={linkTo(isFiltered ? "requests" : "install")}>
              {say(isFiltered ? "requests.show_all" : "nav.install")}
            </a>
          </Empty>
        }
      >
        {(data) => <RequestTable requests={data} />}
      </ListOf>
    </Screen>
  );
}

const RequestTable = ({ requests }: { readonly requests: readonly LoggedRequest[] }) => (
  <Table
    caption={say("nav.requests")}
    columns={[
      say("requests.answer"),
      say("requests.call"),
      say("requests.by"),
      say("orders.order"),
      say("requests.took"),
      say("order.at"),
      say("requests.id"),
    ]}
    rows={requests.map((request) => ({
      key: request.requestId,
      cells: [
        <Answer key="answer" request={request} />,
        <code key="call">
          {request.method} {request.path}
        </code>,
        request.keyId === null ? say("requests.browser") : <code key="key">{request.keyId}</code>,
        request.orderId === null ? (
          ""
        ) : (
          <a key="order" href={linkTo(`orders/${request.orderId}`)}>
            {request.orderId}
          </a>
        ),
        `${request.milliseconds} ms`,
        sayTime(request.at),
        <code key="id" class="small">
          {request.requestId}
        </code>,
      ],
    }))}
  />
);

/** The status with its code, and for a refused key the reason. */
const Answer = ({ request }: { readonly request: LoggedRequest }) => (
  <span>
    <span class={`tag ${request.status < FAILED_STATUS_MIN ? "good" : "danger"}`}>
      {request.status}
    </span>{" "}
    {request.code && <code class="small">{request.code}</code>}{" "}
    {request.reason && <code class="small">({request.reason})</code>}
  </span>
);
