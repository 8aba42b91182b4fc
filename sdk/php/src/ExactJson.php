<?php

declare(strict_types=1);

namespace Exchange\Client;

use Exchange\Client\Generated\Decimals;

/** JSON without floats: amounts are text with the exact digits of the wire. */
final class ExactJson
{
    private const TOKEN = '/"(?:[^"\\\\]++|\\\\.)*+"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/s';
    private const NUMBER = '/\A-?(0|[1-9]\d{0,30})(\.\d{1,30})?\z/';
    /** Returns the value. A member of the contract that is an amount or a rate becomes text. */
    public static function read(string $text): mixed
    {
        // Marks the numbers. Nobody can guess it and put it into a text of the answer.
        $mark = bin2hex(random_bytes(16));
        $marked = preg_replace_callback(
            self::TOKEN,
            static fn (array $match): string => $match[0][0] === '"' ? $match[0] : "\"$mark{$match[0]}\"",
            $text,
        );
        return self::restore(json_decode((string) $marked, true, 64, JSON_THROW_ON_ERROR), $mark, false, false);
    }

    private static function restore(mixed $value, string $mark, bool $isDecimal, bool $isFree): mixed
    {
        if (is_array($value)) {
            $isList = array_is_list($value);
            $restored = [];
            foreach ($value as $key => $item) {
                $restored[$key] = self::restore(
                    $item,
                    $mark,
                    $isList ? $isDecimal : !$isFree && in_array($key, Decimals::NAMES, true),
                    $isFree || in_array($key, Decimals::FREE_MAPS, true),
                );
            }
            return $restored;
        }
        if (!is_string($value) || !str_starts_with($value, $mark)) {
            return $value;
        }
        $digits = substr($value, strlen($mark));
        return $isDecimal || !preg_match('/\A-?\d{1,18}\z/', $digits) ? $digits : (int) $digits;
    }

    /** Returns JSON. An amount may be text or an int; its digits are sent as they are. */
    public static function write(mixed $value, string $name = '', bool $isFree = false): string
    {
        if (is_array($value)) {
            return self::writeArray($value, $name, $isFree);
        }
        if (is_float($value)) {
            throw new \TypeError("$name is a float, which is not exact. Pass text such as '99.95'.");
        }
        if (is_string($value) && !$isFree && in_array($name, Decimals::NAMES, true)) {
            if (!preg_match(self::NUMBER, $value)) {
                throw new \TypeError("$name must be a decimal number such as '99.95'.");
            }
            return $value;
        }
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
    }

    /** @param array<int|string, mixed> $value */
    private static function writeArray(array $value, string $name, bool $isFree): string
    {
        $inner = $isFree || in_array($name, Decimals::FREE_MAPS, true);
        if ($value !== [] && array_is_list($value)) {
            $items = array_map(static fn (mixed $item): string => self::write($item, $name, $inner), $value);
            return '[' . implode(',', $items) . ']';
        }
        // A list of nothing in PHP is an object here, except for the members that are lists.
        if ($value === [] && in_array($name, Decimals::LISTS, true)) {
            return '[]';
        }
        $members = [];
        foreach ($value as $key => $item) {
            if ($item !== null) {
                $members[] = json_encode((string) $key, JSON_THROW_ON_ERROR) . ':' . self::write($item, (string) $key, $inner);
            }
        }
        return '{' . implode(',', $members) . '}';
    }
}
