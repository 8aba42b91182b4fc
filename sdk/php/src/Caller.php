<?php

declare(strict_types=1);

namespace Exchange\Client;

/** Sends a request until it succeeds, fails permanently or has no attempts left. */
final class Caller
{
    private const FIRST_WAIT_SECONDS = 0.25;
    private const WAIT_SECONDS_MAX = 8.0;
    /** A longer `Retry-After` ends the retries. */
    private const RETRY_AFTER_SECONDS_MAX = 60.0;
    private const RETRIES_MAX = 10;
    /** The longest timeout of the libraries in every language. */
    private const TIMEOUT_SECONDS_MAX = 2_147_483;

    /** @param list<string> $credentials */
    public function __construct(
        private readonly string $baseUrl,
        private readonly array $credentials,
        private readonly float $timeoutSeconds,
        private readonly int $maxRetries,
        private readonly \Closure $onAttempt,
        private readonly \Closure $sleep,
    ) {
    }

    /**
     * Returns the content of the answer's envelope, or null without a body.
     *
     * @param list<int|string> $params
     * @param array<string, mixed>|null $data
     */
    public function call(Operation $operation, array $params, ?array $data, ?CallOptions $options): mixed
    {
        $body = $this->send($operation, $params, $data ?? [], $options ?? new CallOptions());
        return $body === null || $operation->isUnwrapped ? $body : $body['data'];
    }

    /**
     * Yields the items of a list, and fetches the pages on the way. No request is sent before you iterate.
     *
     * @param list<int|string> $params
     * @param array<string, mixed>|null $data
     * @return \Generator<int, mixed>
     */
    public function items(Operation $operation, array $params, ?array $data, ?CallOptions $options): \Generator
    {
        foreach ($this->pages($operation, $params, $data, $options) as $page) {
            foreach ($page->data as $item) {
                yield $item;
            }
        }
    }

    /**
     * Yields the pages of a list. No request is sent before you iterate.
     *
     * @param list<int|string> $params
     * @param array<string, mixed>|null $data
     * @return \Generator<int, Page<mixed>>
     */
    public function pages(Operation $operation, array $params, ?array $data, ?CallOptions $options): \Generator
    {
        $query = $data ?? [];
        while (true) {
            $body = $this->send($operation, $params, $query, $options ?? new CallOptions());
            $next = $body['nextCursor'] ?? null;
            yield new Page($body['data'], $next);
            if ($next === null) {
                return;
            }
            if ($next === ($query[$operation->cursor] ?? null)) {
                throw new ExchangeError(
                    "{$operation->method} {$operation->path}: nextCursor does not change, so the list would never end",
                    'UNEXPECTED_ANSWER',
                    $operation->id,
                );
            }
            $query[$operation->cursor] = $next;
        }
    }

    /**
     * @param list<int|string> $params
     * @param array<string, mixed> $data
     * @return array<string, mixed>|null
     */
    private function send(Operation $operation, array $params, array $data, CallOptions $options): ?array
    {
        $key = $operation->method === 'POST' ? self::readKey($options) : null;
        $target = self::path($operation, $params) . ($operation->input === 'query' ? self::query($data) : '');
        $body = $operation->input === 'body' ? ExactJson::write($data) : null;
        $retries = $options->maxRetries ?? $this->maxRetries;
        if ($retries < 0 || $retries > self::RETRIES_MAX) {
            throw new \TypeError('maxRetries must be a whole number from 0 to ' . self::RETRIES_MAX . '.');
        }
        $headers = $this->headers($key, $body);
        $timeout = $options->timeoutSeconds ?? $this->timeoutSeconds;
        if (!($timeout > 0 && $timeout <= self::TIMEOUT_SECONDS_MAX)) {
            throw new \TypeError('timeoutSeconds must be above 0 and at most ' . self::TIMEOUT_SECONDS_MAX . '.');
        }
        $isUnknown = false;
        for ($attempt = 1;; $attempt++) {
            $answer = Transport::send($operation->method, $this->baseUrl . $target, $headers, $body, $timeout);
            ($this->onAttempt)($operation->id, $attempt, $answer->status);
            $error = Answers::errorOf($answer, $operation, $attempt, $key);
            if ($error === null) {
                return $answer->text === '' ? null : ExactJson::read($answer->text);
            }
            // An earlier attempt without an answer has already deleted it.
            if ($isUnknown && $operation->method === 'DELETE' && $error->errorCode === 'NOT_FOUND') {
                return null;
            }
            // Our own earlier attempt still holds the key and will finish soon.
            $isOurs = $isUnknown && $error->errorCode === 'IDEMPOTENCY_CONFLICT';
            $requested = $error->retryAfterSeconds ?? 0.0;
            $isLast = $attempt > $retries || $requested > self::RETRY_AFTER_SECONDS_MAX;
            if ($isLast || !($error->retryable || $isOurs)) {
                throw $error;
            }
            $isUnknown = $isUnknown || $error->status === null || $error->status >= 500;
            ($this->sleep)(max($requested, self::backoff($attempt)));
        }
    }

    /** Exponential back-off. Jitter takes between half and all of it. */
    private static function backoff(int $attempt): float
    {
        $full = min(self::FIRST_WAIT_SECONDS * 2 ** ($attempt - 1), self::WAIT_SECONDS_MAX);
        return $full / 2 + $full / 2 * (random_int(0, 999) / 1000);
    }

    private static function readKey(CallOptions $options): string
    {
        $key = $options->idempotencyKey ?? bin2hex(random_bytes(16));
        if (!preg_match('/\A[\x20-\x7e]{1,255}\z/', $key)) {
            throw new \TypeError('idempotencyKey must be 1 to 255 printable ASCII characters.');
        }
        return $key;
    }

    /** @return list<string> */
    private function headers(?string $key, ?string $body): array
    {
        return [
            'accept: application/json',
            'user-agent: exchange-php/0.1.0',
            ...$this->credentials,
            ...($body === null ? [] : ['content-type: application/json']),
            ...($key === null ? [] : ["idempotency-key: $key"]),
        ];
    }

    /** @param list<int|string> $params */
    private static function path(Operation $operation, array $params): string
    {
        return (string) preg_replace_callback('/\{(\w+)\}/', static function (array $match) use (&$params, $operation): string {
            $value = (string) array_shift($params);
            // "." and ".." would address another endpoint.
            if (in_array($value, ['', '.', '..'], true)) {
                throw new \TypeError("{$operation->id}: {$match[1]} must be a number or a text. An address cannot hold an empty one, \".\" or \"..\".");
            }
            return rawurlencode($value);
        }, $operation->path);
    }

    /** @param array<string, mixed> $data */
    private static function query(array $data): string
    {
        $pairs = [];
        foreach ($data as $name => $value) {
            if (is_array($value) || is_float($value) || is_object($value)) {
                throw new \TypeError("$name must be a text, a whole number or a boolean.");
            }
            if ($value !== null) {
                $pairs[$name] = is_bool($value) ? ($value ? 'true' : 'false') : (string) $value;
            }
        }
        return $pairs === [] ? '' : '?' . http_build_query($pairs, '', '&', PHP_QUERY_RFC3986);
    }
}
