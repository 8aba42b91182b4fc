import type { ComponentChildren } from "preact";
import type { Listed } from "../api.ts";
import { linkTo } from "../route.ts";
import { say } from "../say.ts";
import { Loading } from "./loading.tsx";
import type { Loaded } from "./use-data.ts";

interface PagesProps {
  readonly place: string;
  readonly filters: Readonly<Record<string, string>>;
}

/** Shows a page of a list with links to other pages, or the empty state. */
export function ListOf<Item>({
  loaded,
  empty,
  children,
  ...pages
}: PagesProps & {
  readonly loaded: Loaded<Listed<Item>>;
  readonly empty: ComponentChildren;
  readonly children: (data: readonly Item[]) => ComponentChildren;
}) {
  return (
    <Loading loaded={loaded}>
      {({ data, nextCursor }) =>
        data.length === 0 ? (
          empty
        ) : (
          <>
            {children(data)}
            <Pages {...pages} nextCursor={nextCursor} />
          </>
        )
      }
    </Loading>
  );
}

/** Links to the first and the next page of a list. */
function Pages(props: PagesProps & { readonly nextCursor: string | null }) {
  const { place, filters, nextCursor } = props;
  return (
    <nav class="pages" aria-label={say("common.pages")}>
      {filters["cursor"] && (
        <a class="button" href={linkTo(place, { ...filters, cursor: undefined })}>
          {say("common.first_page")}
        </a>
      )}
      {nextCursor && (
        <a class="button" href={linkTo(place, { ...filters, cursor: nextCursor })}>
          {say("common.next_page")}
        </a>
      )}
    </nav>
  );
}
