import { reloadLater } from "./ui/reload-later.ts";

// The page has the notice itself, because the file of the texts may be the one that is missing.
import("./start.tsx").catch((error: unknown) => {
  const notice = document.getElementById("not-loaded");
  if (notice) notice.hidden = false;
  reportError(error);
  reloadLater();
});
