import { useMemo } from "preact/hooks";
import { t } from "../copy/later.ts";
import { fetchedOnce } from "../fetched-once.ts";
import { lazyScreens } from "../ui/lazy.tsx";

const encoder = lazyScreens(fetchedOnce(() => import("@exchange/contract/qr")));

interface QrProps {
  readonly text: string;
  readonly label: string;
}

/** A text as a QR code, always dark on light: scanners need that. */
export function QrCode({ text, label }: QrProps) {
  const { screens: loaded, failed } = encoder.use();
  const drawn = useMemo(() => (loaded ? loaded.drawQr(text) : undefined), [loaded, text]);
  if (failed) return <p class="hint">{t("crypto.qr.failed")}</p>;
  return (
    <div class="qr" aria-busy={drawn === undefined}>
      {drawn && (
        <svg role="img" aria-label={label} viewBox={`0 0 ${drawn.size} ${drawn.size}`}>
          <path d={drawn.path} fill="currentColor" shape-rendering="crispEdges" />
        </svg>
      )}
    </div>
  );
}
