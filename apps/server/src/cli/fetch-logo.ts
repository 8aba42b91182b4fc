import { Agent, request } from "undici";
import {
  assertAllowedTarget,
  type TargetPolicy,
  TargetRefused,
} from "../domain/webhooks/targets.ts";
import { makeConnector } from "../webhooks/connector.ts";
import { UsageError } from "./command.ts";

/** A data URL of more bytes is refused. */
const BYTES_MAX = 36_000;
const TIMEOUT_MS = 10_000;

/** The beginnings of images, by their type. */
const IMAGES: readonly (readonly [type: string, begins: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/webp", /^RIFF.{4}WEBP/s],
  // A comment ends at its first "-->", so that no answer makes the pattern try every combination of comments.
  [
    "image/svg+xml",
    /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:(?:<!--(?:(?!-->).)*-->|<!DOCTYPE[^<>[\]]*>)\s*)*<svg[\s>]/s,
  ],
];

/**
 * Fetches an image once and returns it as a data URL, so that the popup loads nothing from other sites. The address is
 * checked as those of webhooks are, redirects are not followed, and the image's own bytes say its type.
 */
export async function fetchLogo(url: string, policy: TargetPolicy): Promise<string> {
  const connect = makeConnector({ policy, timeoutMs: TIMEOUT_MS });
  const dispatcher = new Agent({ connect, maxResponseSize: BYTES_MAX });
  try {
    const target = assertAllowedTarget(url, policy);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { statusCode, body } = await request(target, { dispatcher, signal });
    if (statusCode !== 200)
      throw new UsageError(`the answer has the status ${statusCode}, not 200`);
    const bytes = Buffer.from(await body.arrayBuffer());
    const [type] = IMAGES.find(([, begins]) => begins.test(bytes.toString("latin1"))) ?? [];
    if (type === undefined)
      throw new UsageError("the answer is not a PNG, JPEG, WebP or SVG image");
    return `data:${type};base64,${bytes.toString("base64")}`;
  } catch (error) {
    const reason =
      error instanceof TargetRefused
        ? `its ${error.reason} is not allowed`
        : (error as Error).message;
    throw new UsageError(
      `--logo cannot be fetched from ${url}: ${reason}. Name an image of at most 36 kB on a public https:// address, or a file.`,
    );
  } finally {
    await dispatcher.destroy();
  }
}
