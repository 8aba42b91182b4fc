import { type Call, saveFile } from "../api.ts";
import { ErrorNotice } from "./error-notice.tsx";
import { useAction } from "./use-data.ts";

/** A button that saves a file of the service. A file that is refused says why. */
export function FileButton(props: {
  readonly label: string;
  readonly path: string;
  readonly query: Call["query"];
}) {
  const { isBusy, error, run } = useAction();
  return (
    <>
      <button
        type="button"
        class="button"
        aria-disabled={isBusy}
        onClick={() => run(() => saveFile(props.path, props.query))}
      >
        {props.label}
      </button>
      <ErrorNotice error={error} />
    </>
  );
}
