<?php

declare(strict_types=1);

namespace Exchange\Client;

use Exchange\Client\Generated\Resources;

/**
 * A client of the service. A call is tried again after a failure that may pass, `maxRetries` times. Every
 * attempt of a POST carries the same Idempotency-Key, so it runs once.
 */
final class Exchange extends Resources
{
    /**
     * @param string $baseUrl address of the service, such as `https://exchange.example`, with or without `/v1`
     * @param (callable(string, int, int|null): void)|null $onAttempt called after every attempt, with the
     *     operation, the number of the attempt and the HTTP status
     * @param (callable(float): void)|null $sleep replaces the wait between attempts, for tests
     */
    public function __construct(
        string $baseUrl,
        string $apiKey,
        string $clientId,
        float $timeoutSeconds = 15.0,
        int $maxRetries = 2,
        bool $allowPlainHttp = false,
        ?callable $onAttempt = null,
        ?callable $sleep = null,
    ) {
        parent::__construct(new Caller(
            self::readBaseUrl($baseUrl, $allowPlainHttp),
            [
                'x-api-key: ' . self::readCredential('apiKey', $apiKey),
                'x-client-id: ' . self::readCredential('clientId', $clientId),
            ],
            $timeoutSeconds,
            $maxRetries,
            \Closure::fromCallable($onAttempt ?? static function (): void {
            }),
            \Closure::fromCallable($sleep ?? static fn (float $seconds) => usleep((int) ($seconds * 1e6))),
        ));
    }

    private static function readCredential(string $name, string $value): string
    {
        if ($value === '') {
            throw new \TypeError("$name is missing: pass the one from your onboarding.");
        }
        if (!preg_match('/\A[\x21-\x7e]+\z/', $value)) {
            throw new \TypeError("$name contains white space or other characters that no key has: trim it.");
        }
        return $value;
    }

    private static function readBaseUrl(string $baseUrl, bool $allowPlainHttp): string
    {
        $url = parse_url($baseUrl);
        $scheme = $url['scheme'] ?? '';
        $host = $url['host'] ?? '';
        if (!in_array($scheme, ['http', 'https'], true) || $host === '') {
            throw new \TypeError('baseUrl must be an address such as https://exchange.example');
        }
        if (isset($url['user']) || isset($url['query']) || isset($url['fragment'])) {
            throw new \TypeError('baseUrl must have no user, password, query or fragment.');
        }
        $isLoopback = preg_match('/\A(localhost|\[::1\]|127(\.\d+){3})\z/', $host) === 1;
        if ($scheme === 'http' && !$isLoopback && !$allowPlainHttp) {
            throw new \TypeError(
                'baseUrl is plain HTTP, which sends the API key unencrypted: use https, or set allowPlainHttp.',
            );
        }
        $path = rtrim($url['path'] ?? '', '/');
        $port = isset($url['port']) ? ":{$url['port']}" : '';
        return "$scheme://$host$port" . (str_ends_with($path, '/v1') ? $path : "$path/v1");
    }
}
