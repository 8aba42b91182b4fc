<?php

declare(strict_types=1);

namespace Exchange\Client;

/** Reads whether an answer is an error, and which. */
final class Answers
{
    private const PASSING_STATUSES = [429, 500, 502, 503, 504];
    private const MESSAGE_CHARACTERS_MAX = 500;

    public static function errorOf(Transport $answer, Operation $operation, int $attempts, ?string $key): ?ExchangeError
    {
        $where = "{$operation->method} {$operation->path}";
        $status = $answer->status;
        if ($status === null) {
            $code = (string) $answer->failure;
            return new ExchangeError(
                "$where: $code: {$answer->why}",
                $code,
                $operation->id,
                retryable: true,
                attempts: $attempts,
                idempotencyKey: $key,
            );
        }
        $body = self::objectOf($answer->text);
        $member = $operation->isUnwrapped ? 'success' : 'data';
        $isSuccess = $status >= 200 && $status < 300;
        if ($status === 204 || ($isSuccess && $body !== null && array_key_exists($member, $body))) {
            return null;
        }
        $isOurs = $status >= 400 && is_string($body['code'] ?? null);
        $code = $isOurs ? $body['code'] : 'UNEXPECTED_ANSWER';
        // The first request with this key still runs.
        $isHeld = $code === 'IDEMPOTENCY_CONFLICT' && $answer->retryAfterSeconds !== null;
        $said = $isOurs ? (string) ($body['message'] ?? $code) : 'the answer is not of this service: check baseUrl';
        $requestId = is_string($body['requestId'] ?? null) ? $body['requestId'] : $answer->requestId;
        $named = $requestId === null ? '' : " (request $requestId)";
        return new ExchangeError(
            "$where: $status $code: " . substr($said, 0, self::MESSAGE_CHARACTERS_MAX) . $named,
            $code,
            $operation->id,
            $status,
            $requestId,
            is_array($body['details'] ?? null) ? array_values($body['details']) : [],
            in_array($status, self::PASSING_STATUSES, true) || $isHeld,
            $answer->retryAfterSeconds,
            $attempts,
            $key,
            $isOurs ? $body : null,
        );
    }

    /** @return array<string, mixed>|null */
    private static function objectOf(string $text): ?array
    {
        try {
            $value = ExactJson::read($text);
        } catch (\JsonException) {
            return null;
        }
        return is_array($value) ? $value : null;
    }
}
