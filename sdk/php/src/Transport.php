<?php

declare(strict_types=1);

namespace Exchange\Client;

/** One HTTP request. Redirects are not followed. `failure` is a code of the library where no answer came. */
final class Transport
{
    /** Twenty times the size of a page of a hundred orders. */
    private const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

    private function __construct(
        public readonly ?int $status,
        public readonly string $text,
        public readonly ?string $requestId,
        public readonly ?float $retryAfterSeconds,
        public readonly ?string $failure = null,
        public readonly string $why = '',
    ) {
    }

    /** @param list<string> $headers */
    public static function send(string $method, string $address, array $headers, ?string $body, float $timeoutSeconds): self
    {
        $received = [];
        $text = '';
        $handle = curl_init($address);
        curl_setopt_array($handle, [
            CURLOPT_CUSTOMREQUEST => $method,
            // Without a body, curl would send no length either, which some servers refuse for a POST.
            CURLOPT_HTTPHEADER => [
                ...$headers,
                'expect:',
                ...($body === null && $method === 'POST' ? ['content-length: 0'] : []),
            ],
            CURLOPT_TIMEOUT_MS => max(1, (int) ($timeoutSeconds * 1000)),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$received): int {
                [$name, $value] = [...explode(':', $line, 2), ''];
                $received[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($_, string $chunk) use (&$text): int {
                $text .= $chunk;
                return strlen($text) > self::ANSWER_BYTES_MAX ? 0 : strlen($chunk);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]));
        curl_exec($handle);
        $error = curl_errno($handle);
        $status = (int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        if ($error === CURLE_OPERATION_TIMEDOUT) {
            return new self(null, '', null, null, 'TIMEOUT', "no answer within $timeoutSeconds s");
        }
        if ($error !== 0) {
            return new self(null, '', null, null, 'CONNECTION_FAILED', (string) curl_strerror($error));
        }
        $retryAfter = self::readRetryAfter($received['retry-after'] ?? null, time());
        return new self($status, $text, $received['x-request-id'] ?? null, $retryAfter);
    }

    /** Returns the seconds of a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). */
    private static function readRetryAfter(?string $value, int $now): ?float
    {
        if ($value !== null && preg_match('/\A\d{1,9}\z/', $value)) {
            return (float) $value;
        }
        $at = $value !== null && preg_match('/\A[A-Z][a-z]{2},/', $value) ? strtotime($value) : false;
        return $at === false ? null : max($at - $now, 0.0);
    }
}
