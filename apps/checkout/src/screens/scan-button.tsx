import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../copy/later.ts";
import { fetchedOnce } from "../fetched-once.ts";
import { Dialog } from "../ui/dialog.tsx";
import { MainButton } from "../ui/parts.tsx";
import type { QrDetector } from "./qr-scanner.ts";

type DetectorClass = new (options: { readonly formats: readonly string[] }) => QrDetector;

interface Abilities {
  readonly BarcodeDetector?: DetectorClass;
}
interface Policies {
  readonly featurePolicy?: { allowsFeature(name: string): boolean };
}

/** Returns the detector, unless the browser has none or the page around the frame keeps the camera from it. */
function detectorIn(view: Window & Abilities): QrDetector | undefined {
  const { featurePolicy } = view.document as Document & Policies;
  const hasCamera = "mediaDevices" in view.navigator && featurePolicy?.allowsFeature("camera");
  if (!view.BarcodeDetector || hasCamera === false) return undefined;
  return new view.BarcodeDetector({ formats: ["qr_code"] });
}

const fetchScanner = fetchedOnce(() => import("./qr-scanner.ts"));

/** Reads an address from a QR code, such as the one in a wallet on a second device. */
export function ScanButton({ onText }: { readonly onText: (text: string) => void }) {
  const [detector] = useState(() => detectorIn(window));
  const [isOpen, setOpen] = useState(false);
  if (!detector) return null;
  return (
    <>
      <button type="button" class="quiet-button" onClick={() => setOpen(true)}>
        {t("wallet.scan")}
      </button>
      {isOpen && (
        <Scanner
          detector={detector}
          onText={(text) => {
            setOpen(false);
            onText(text);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface ScannerProps {
  readonly detector: QrDetector;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

/** Shows the camera's picture until it has a code. */
function Scanner({ detector, onText, onClose }: ScannerProps) {
  const picture = useRef<HTMLVideoElement>(null);
  const [isRefused, setRefused] = useState(false);
  // The cleanup of an effect after paint could come after the next picture, which may have a code.
  useLayoutEffect(() => {
    const closing = new AbortController();
    const scan = async (): Promise<void> => {
      const { scanQr } = await fetchScanner();
      const video = picture.current;
      const text = video && (await scanQr({ detector, video, signal: closing.signal }));
      if (text) onText(text);
    };
    scan().catch(() => setRefused(true));
    return () => closing.abort();
  }, []);
  return (
    <Dialog title={t("wallet.scan.title")} onStay={onClose}>
      {isRefused ? (
        <p role="alert">{t("wallet.scan.refused")}</p>
      ) : (
        <video ref={picture} class="scan" muted playsInline aria-hidden="true" />
      )}
      <div class="leave-actions">
        <MainButton onClick={onClose}>{t("back")}</MainButton>
      </div>
    </Dialog>
  );
}
