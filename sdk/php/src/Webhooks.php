<?php

declare(strict_types=1);

namespace Exchange\Client;

/** Verifies signed webhooks. The body is the received text, before any JSON parser: `php://input`. */
final class Webhooks
{
    private const SIGNATURES_MAX = 16;
    private const SECRETS_MAX = 10;
    private const KEY_BYTES_MIN = 16;

    /**
     * Returns the webhook if its signature is valid and its timestamp is recent. Throws a WebhookError with the
     * reason otherwise, and a TypeError for invalid arguments.
     *
     * @param array<string, string|list<string>> $headers by name, in any letter case, such as `getallheaders()`
     * @param string|list<string> $secret the endpoint's secret; during a rotation, all valid ones
     * @param string $scheme `standard` covers every byte of the body, `documented` covers id, timestamp, event type
     *     and order id, `both` requires both; there is no fallback from one to the other
     */
    public static function verify(
        string $body,
        array $headers,
        string|array $secret,
        string $scheme = 'standard',
        int $toleranceSeconds = 300,
        ?int $now = null,
    ): WebhookEvent {
        if (!in_array($scheme, ['standard', 'documented', 'both'], true)) {
            throw new \TypeError('scheme must be standard, documented or both.');
        }
        if ($toleranceSeconds < 0) {
            throw new \TypeError('toleranceSeconds must be 0 or more.');
        }
        $keys = self::readSecrets($secret);
        $names = [];
        foreach ($headers as $name => $value) {
            $key = strtolower((string) $name);
            $names[$key] = [...$names[$key] ?? [], ...array_values((array) $value)];
        }
        $proofs = [];
        if ($scheme !== 'documented') {
            $proofs[] = self::proveStandard($names, $body, $keys);
        }
        if ($scheme !== 'standard') {
            $proofs[] = self::proveDocumented($names, $body, $keys);
        }
        [$id, $timestamp] = $proofs[0];
        if ($proofs[count($proofs) - 1] !== $proofs[0]) {
            throw self::mismatch('x-webhook-signature');
        }
        self::requireFresh((int) $timestamp, $toleranceSeconds, $now ?? time());
        $payload = self::readPayload($body);
        $attempt = $names['x-webhook-attempt'][0] ?? '';
        return new WebhookEvent(
            $id,
            (int) $timestamp,
            is_string($attempt) && preg_match('/\A\d{1,6}\z/', $attempt) ? (int) $attempt : null,
            $payload['eventType'],
            $payload['sessionId'],
            $payload['details'],
            $payload['details']['orderId'] === 0,
            $scheme !== 'documented',
        );
    }

    /**
     * Returns the headers that the service would send with this body, for the tests of your receiver.
     *
     * @return array<string, string>
     */
    public static function signForTest(string $body, string $secret, ?string $id = null, ?int $sentAt = null): array
    {
        [$documented, $standard] = self::readSecrets($secret)[0];
        $id ??= bin2hex(random_bytes(16));
        $timestamp = (string) ($sentAt ?? time());
        return [
            'content-type' => 'application/json',
            'x-webhook-id' => $id,
            'x-webhook-timestamp' => $timestamp,
            'x-webhook-signature' => self::documented($documented, $id, $timestamp, self::readPayload($body)),
            'x-webhook-attempt' => '1',
            'webhook-id' => $id,
            'webhook-timestamp' => $timestamp,
            'webhook-signature' => self::standard($standard, $id, $timestamp, $body),
        ];
    }

    /**
     * @param array<string, list<mixed>> $names
     * @param list<array{string, string}> $keys
     * @return array{string, string}
     */
    private static function proveStandard(array $names, string $body, array $keys): array
    {
        [$id, $timestamp] = $proof = self::readProof($names, 'webhook-');
        $received = array_slice(explode(' ', self::require($names, 'webhook-signature')), 0, self::SIGNATURES_MAX);
        $expected = array_map(static fn (array $key): string => self::standard($key[1], $id, $timestamp, $body), $keys);
        return self::hasAny($expected, $received) ? $proof : throw self::mismatch('webhook-signature');
    }

    /**
     * @param array<string, list<mixed>> $names
     * @param list<array{string, string}> $keys
     * @return array{string, string}
     */
    private static function proveDocumented(array $names, string $body, array $keys): array
    {
        [$id, $timestamp] = $proof = self::readProof($names, 'x-webhook-');
        $received = [strtolower(self::require($names, 'x-webhook-signature'))];
        $payload = self::readPayload($body);
        $expected = array_map(static fn (array $key): string => self::documented($key[0], $id, $timestamp, $payload), $keys);
        return self::hasAny($expected, $received) ? $proof : throw self::mismatch('x-webhook-signature');
    }

    private static function standard(string $key, string $id, string $timestamp, string $body): string
    {
        return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    }

    /** @param array<string, mixed> $payload */
    private static function documented(string $key, string $id, string $timestamp, array $payload): string
    {
        return hash_hmac('sha256', "$id.$timestamp.{$payload['eventType']}.{$payload['details']['orderId']}", $key);
    }

    /**
     * Compares every pair in constant time, so the duration reveals nothing about a forgery.
     *
     * @param list<string> $expected
     * @param list<string> $received
     */
    private static function hasAny(array $expected, array $received): bool
    {
        $found = false;
        foreach ($expected as $right) {
            foreach ($received as $candidate) {
                $found = hash_equals($right, $candidate) || $found;
            }
        }
        return $found;
    }

    /**
     * Returns the keys of the documented and of the standard signature, for each secret.
     *
     * @param string|list<string> $secret
     * @return list<array{string, string}>
     */
    private static function readSecrets(string|array $secret): array
    {
        $secrets = (array) $secret;
        if ($secrets === [] || count($secrets) > self::SECRETS_MAX) {
            throw new \TypeError("Pass the endpoint's webhook secret, or a list of 1 to " . self::SECRETS_MAX . '.');
        }
        return array_map(static function (string $text): array {
            $encoded = preg_match('/\Awhsec_([A-Za-z0-9+\/]+={0,2})\z/', $text, $match) ? $match[1] : '';
            $key = (string) base64_decode($encoded, true);
            if (strlen($key) < self::KEY_BYTES_MIN || base64_encode($key) !== $encoded) {
                throw new \TypeError('A webhook secret must be whsec_ and base64, without white space around it.');
            }
            return [$text, $key];
        }, array_values($secrets));
    }

    /**
     * @param array<string, list<mixed>> $names
     * @return array{string, string}
     */
    private static function readProof(array $names, string $prefix): array
    {
        $id = self::require($names, "{$prefix}id");
        $timestamp = self::require($names, "{$prefix}timestamp");
        // Without a period in the id, the signed text is unambiguous.
        if (!preg_match('/\A[A-Za-z0-9_-]{1,128}\z/', $id)) {
            throw self::malformed("{$prefix}id");
        }
        return preg_match('/\A\d{1,12}\z/', $timestamp) ? [$id, $timestamp] : throw self::malformed("{$prefix}timestamp");
    }

    /** @param array<string, list<mixed>> $names by name in small letters; headers that no signature needs may be repeated */
    private static function require(array $names, string $name): string
    {
        if (count($names[$name] ?? []) > 1) {
            throw new WebhookError('malformed_header', "The header $name is repeated. Pass it once.");
        }
        $value = $names[$name][0] ?? '';
        if ($value === '') {
            throw new WebhookError('missing_header', "The header $name is missing. Pass all headers of the request.");
        }
        return is_string($value) ? $value : throw self::malformed($name);
    }

    private static function requireFresh(int $timestamp, int $tolerance, int $now): void
    {
        $age = $now - $timestamp;
        if ($age > $tolerance) {
            throw new WebhookError(
                'timestamp_too_old',
                "The webhook was signed $age seconds ago. At most $tolerance are accepted. Check this server's clock.",
            );
        }
        if (-$age > $tolerance) {
            $ahead = -$age;
            throw new WebhookError(
                'timestamp_in_future',
                "The webhook's timestamp is $ahead seconds in the future. Check this server's clock.",
            );
        }
    }

    /** @return array<string, mixed> */
    private static function readPayload(string $body): array
    {
        try {
            $payload = ExactJson::read($body);
        } catch (\JsonException) {
            $payload = null;
        }
        $orderId = is_array($payload) ? ($payload['details']['orderId'] ?? null) : null;
        $isWebhook = is_int($orderId) && $orderId >= 0 && is_string($payload['sessionId'] ?? null)
            && is_string($payload['eventType'] ?? null) && preg_match('/\A[A-Za-z]{1,64}\z/', $payload['eventType']);
        return $isWebhook ? $payload : throw new WebhookError('malformed_body', 'The body is not a webhook from Exchange. Pass it as it was received.');
    }

    private static function malformed(string $name): WebhookError
    {
        return new WebhookError('malformed_header', "The header $name is malformed. Pass it as it was received.");
    }

    private static function mismatch(string $name): WebhookError
    {
        return new WebhookError(
            'signature_mismatch',
            "The signature in $name matches no secret that you passed. Pass this endpoint's secret, and the body "
            . 'before any parser reads it. Otherwise the webhook is a forgery.',
        );
    }
}
