/** The browser's own detector, where it has one. */
export interface QrDetector {
  detect(image: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}

interface Scan {
  readonly detector: QrDetector;
  readonly video: HTMLVideoElement;
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 150;

/**
 * Reads a QR code with the camera. Returns its text, or undefined when the signal aborts. No picture leaves the device, and
 * the camera is off afterwards. The file imports nothing: a shared import would become another file of the first load.
 */
export async function scanQr({ detector, video, signal }: Scan): Promise<string | undefined> {
  const camera = { video: { facingMode: "environment" } };
  const stream = await navigator.mediaDevices.getUserMedia(camera);
  try {
    if (signal.aborted) return undefined;
    video.srcObject = stream;
    await video.play();
    while (!signal.aborted) {
      const [code] = await detector.detect(video);
      if (code && !signal.aborted) return code.rawValue;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return undefined;
  } catch (error) {
    // A video that was taken off the page does not play.
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
