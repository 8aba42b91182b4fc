import type { Me, Permission } from "@exchange/contract/admin";
import { useLayoutEffect, useState } from "preact/hooks";

/** The place in the console: the parts of the path behind #, and its filters. */
export interface Route {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** The person and the place, as every screen of a signed-in person receives them. */
export interface ScreenProps {
  readonly me: Me;
  readonly route: Route;
  readonly may: (permission: Permission) => boolean;
}

/** Returns the place that the address names now. */
export function readRoute(): Route {
  const [path = "", search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** Returns a part of an address that a person may have typed: a wrong escape stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  // The address can change before the first paint. An effect after it would miss that change.
  useLayoutEffect(() => {
    const changed = (): void => setRoute(readRoute());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

/** Returns an address of the console. A filter without a value is left out. */
export function linkTo(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const members = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, value]],
  );
  const search = new URLSearchParams(members).toString();
  return `#/${path}${search === "" ? "" : `?${search}`}`;
}

export const goTo = (
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): void => {
  location.hash = linkTo(path, query);
};
