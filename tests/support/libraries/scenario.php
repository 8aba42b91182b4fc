<?php

/** Uses the library as a merchant's server does, and prints what it saw as JSON. */

declare(strict_types=1);

use Exchange\Client\CallOptions;
use Exchange\Client\Exchange;
use Exchange\Client\ExchangeError;
use Exchange\Client\WebhookError;
use Exchange\Client\Webhooks;

$given = json_decode((string) file_get_contents('php://stdin'), true, flags: JSON_THROW_ON_ERROR);

$client = static fn (?string $url = null, ?string $apiKey = null, mixed ...$options): Exchange =>
    new Exchange($url ?? $given['url'], $apiKey ?? $given['apiKey'], $given['clientId'], ...$options);

$faultOf = static function (callable $run): mixed {
    try {
        $run();
    } catch (ExchangeError $error) {
        return [$error->errorCode, $error->status, $error->requestId !== null];
    } catch (WebhookError $error) {
        return $error->reason;
    } catch (\TypeError $error) {
        return $error->getMessage();
    }
    return null;
};

$exchange = $client();
$lock = ['operationType' => 'B', 'baseCurrency' => 'cad', 'baseAmount' => $given['amount']];
$token = $exchange->publicTokens->create([
    'sessionId' => $given['sessionId'],
    'lock' => $lock,
    'metadata' => ['amount' => '007'],
]);
$session = $exchange->sessions->read($given['sessionId']);
$order = $exchange->orders->read($given['orderId']);
$listed = [];
foreach ($exchange->orders->list(['limit' => 1]) as $each) {
    $listed[] = $each['orderId'];
}

$end = $exchange->events->pages(['after' => 'now'])->current();
$events = iterator_to_array($exchange->events->list(), false);

$sameKey = new CallOptions(idempotencyKey: $given['key']);
$made = array_map(
    static fn (int $_): string => $exchange->webhookEndpoints->create(['url' => $given['webhookUrl']], $sameKey)['id'],
    [1, 2],
);
$exchange->webhookEndpoints->remove($made[0]);

$waits = [];
$attempts = [];
$flaky = $client(
    $given['flakyUrl'],
    onAttempt: static function (string $operation, int $attempt, ?int $status) use (&$attempts): void {
        $attempts[] = [$attempt, $status];
    },
    sleep: static function (float $seconds) use (&$waits): void {
        $waits[] = $seconds;
    },
);
$flakyOrder = $flaky->orders->cancel(7);
$cutOrder = $flaky->orders->cancel(8);
$heldOrder = $flaky->orders->cancel(9);
$usedKey = $faultOf(static fn () => $flaky->orders->cancel(10));
$slow = $client($given['flakyUrl'], timeoutSeconds: 0.5, maxRetries: 0);
$began = microtime(true);
$slowOrder = $faultOf(static fn () => $slow->orders->cancel(11));
$slowSeconds = microtime(true) - $began;
$noKey = $faultOf(static fn () => $flaky->orders->cancel(12, new CallOptions(idempotencyKey: '')));
$noTime = $faultOf(static fn () => $flaky->orders->cancel(12, new CallOptions(timeoutSeconds: 0.0)));
$away = $client('http://127.0.0.1:1', maxRetries: 0);

['body' => $body, 'headers' => $headers, 'secret' => $secret] = $given['webhook'];
$event = Webhooks::verify($body, $headers, $secret, 'both');
$forged = str_replace('"totalPrice":100', '"totalPrice":1', $body);
// A framework's headers, each with all its values.
$received = array_map(static fn (string $value): array => [$value], $headers) + ['Via' => ['1.1 a', '1.1 b']];
$repeated = Webhooks::verify($body, $received, $secret);
$twice = [...$received, 'Webhook-Id' => $headers['webhook-id']];
$tested = Webhooks::verify($body, Webhooks::signForTest($body, $secret), [$secret], 'both');

echo json_encode([
    'hasToken' => strlen($token['accessToken']) > 20,
    'lock' => $session['lock']['baseAmount'],
    'metadata' => $session['metadata'],
    'price' => $order['totalPrice'],
    'sent' => $order['exchangeDetails']['amountToSend'],
    'listed' => $listed,
    'made' => count(array_unique($made)),
    'removed' => null,
    'flaky' => $flakyOrder['orderId'],
    'attempts' => $attempts,
    'waits' => count($waits),
    'cut' => $cutOrder['orderId'],
    'held' => $heldOrder['orderId'],
    'slow' => $slowSeconds < 2,
    'end' => $end->data === [] && $end->nextCursor === (string) end($events)['sequence'],
    'repeated' => $repeated->eventType,
    'faults' => [
        'unknown' => $faultOf(static fn () => $exchange->orders->read(1)),
        'key' => $faultOf(static fn () => $client(null, 'exk_wrong')->countries->list()),
        'used' => $usedKey,
        'slow' => $slowOrder,
        'noKey' => $noKey,
        'noTime' => $noTime,
        'away' => $faultOf(static fn () => $away->countries->list()),
        'float' => $faultOf(static fn () => $exchange->orders->refund(1, ['amount' => 1.5])),
        'address' => $faultOf(static fn () => $client('http://exchange.example')),
        'forged' => $faultOf(static fn () => Webhooks::verify($forged, $headers, $secret)),
        'old' => $faultOf(static fn () => Webhooks::verify($body, $headers, $secret, now: $event->sentAt + 301)),
        'future' => $faultOf(static fn () => Webhooks::verify($body, $headers, $secret, now: $event->sentAt - 301)),
        'unsigned' => $faultOf(static fn () => Webhooks::verify($body, [], $secret)),
        'repeated' => $faultOf(static fn () => Webhooks::verify($body, $twice, $secret)),
        'deep' => $faultOf(static fn () => Webhooks::verify(str_repeat('[', 200_000), $headers, $secret, 'documented')),
        'otherSecret' => $faultOf(static fn () => Webhooks::verify($body, $headers, $given['otherSecret'])),
        'secret' => $faultOf(static fn () => Webhooks::verify($body, $headers, "$secret ")),
    ],
    'event' => [$event->eventType, $event->details['orderId'], $event->details['totalPrice'], $event->isBodyProven],
    'tested' => $tested->eventType,
], JSON_THROW_ON_ERROR);
