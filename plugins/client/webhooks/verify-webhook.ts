/** The receiver's side of Credence's webhooks (docs/specification/engagement.md#events). */
import { EVENT_NAMES, TEST_EVENT } from '../../../core/engagement/webhooks/outbox.ts';
import { isStandardSecret } from '../../../core/engagement/webhooks/secret.ts';
import { matchesStandardSignature, verifyServiceSignature } from '../../../core/engagement/webhooks/signature.ts';
import { parseJson } from '../../../core/json-reader.ts';
import type { WebhookBodies } from '../api.ts';
import { headerOf, type WebhookHeaders } from './headers.ts';
import { WebhookVerificationError } from './verification-error.ts';

/** The names of all events, and `webhook.test`, which somebody asked for. */
export type WebhookEventName = keyof WebhookBodies;

/** An event as it was sent. `event` tells which one it is: check it, and TypeScript knows the `data`. */
export type WebhookEvent<N extends WebhookEventName = WebhookEventName> = {
  [E in N]: WebhookBodies[E] & {
    /** The same on every delivery of this event: remember it to ignore repetitions. Null without Standard Webhooks headers. */
    messageId: string | null;
  };
}[N];

/** The secret of the webhook (`whsec_…`). While it is rotated: the new one and the old one. */
export type WebhookSecret = string | readonly string[];

/** The body as it was received: bytes, or their text. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** How strictly `verifyWebhook` checks the time. */
export interface VerifyWebhookOptions {
  /** How far `webhook-timestamp` may be from now, either way. 300 by default. */
  readonly toleranceSeconds?: number;
  /** The receiver's clock. The system's by default. */
  readonly now?: () => Date;
}

const TOLERANCE_SECONDS = 300;

const KNOWN: readonly unknown[] = [...EVENT_NAMES, TEST_EVENT] satisfies WebhookEventName[];

/** What a receiver can do about a parsed body, by framework. */
const READ_BYTES =
  'Pass the bytes: in Express use express.raw({ type: "application/json" }) on this route, before express.json(); ' +
  'in Fastify a content type parser with parseAs: "buffer"; with fetch handlers await request.text(). ' +
  'Or use webhookExpress, webhookFastify or webhookFetch, which read the body themselves.';

/**
 * Checks the signature of a webhook and returns its event. If the Standard Webhooks headers are there, they are checked, with
 * the time; otherwise `X-Service-Signature`, which has no time. Constant time in the signatures and secrets. An event can come
 * twice: remember `messageId`, or `attemptId` and `event`. Runs wherever JavaScript does.
 *
 * @param rawBody the bytes as received, not what a JSON parser made of them
 * @param secret one, or several while a secret is rotated; one that fits is enough
 * @example
 * ```ts
 * import { verifyWebhook } from '@credence/client/webhooks';
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const event = verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET ?? '');
 *   if (event.event === 'reward.issued') console.log(event.data.userId, event.data.points);
 *   return new Response(null, { status: 204 });
 * }
 * ```
 * @throws WebhookVerificationError whose `code` says why
 * @throws RangeError for a tolerance that is not a number of seconds, and a clock that returns no valid date
 */
export function verifyWebhook(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: WebhookSecret,
  options: VerifyWebhookOptions = {},
): WebhookEvent {
  const body = bytesOf(rawBody);
  const secrets = secretsOf(secret);
  const standard = headerOf(headers, 'webhook-signature');
  const messageId = standard === undefined ? null : checkStandard(standard, headers, body, secrets, options);
  if (standard === undefined) checkService(headers, body, secrets);
  return { ...eventOf(body), messageId };
}

/**
 * Checks that the secrets are ones. For receivers, so that a wrong setting fails when they start.
 * @throws WebhookVerificationError `INVALID_SECRET`
 */
export function secretsOf(secret: WebhookSecret): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw invalidSecret('No secret is given.');
  }
  for (const one of secrets) {
    if (typeof one !== 'string' || one === '') throw invalidSecret('The secret is empty.');
    if (!isStandardSecret(one)) throw invalidSecret('The secret does not read "whsec_" and base64.');
  }
  return secrets;
}

function invalidSecret(reason: string): WebhookVerificationError {
  const advice = 'Give the whole secret that was shown when the webhook was made or its secret rotated.';
  return new WebhookVerificationError('INVALID_SECRET', `${reason} ${advice}`);
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  // Not `instanceof`: test runners and sandboxes have a class of their own for each realm.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer);
  const found = body === undefined || body === null ? 'The body is missing' : 'The body was parsed already';
  throw new WebhookVerificationError('PARSED_BODY', `${found}; the signature covers the raw bytes. ${READ_BYTES}`);
}

/** Returns the id of the message. */
function checkStandard(
  signature: string,
  headers: WebhookHeaders,
  body: Uint8Array,
  secrets: readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = () => new Date() }: VerifyWebhookOptions,
): string {
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0) {
    throw new RangeError('toleranceSeconds must be a number of seconds from 0 up.');
  }
  const id = requiredHeader(headers, 'webhook-id');
  const timestamp = requiredHeader(headers, 'webhook-timestamp');
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('INVALID_HEADER', 'The header webhook-timestamp is not a number of seconds.');
  }
  const seconds = Number(timestamp);
  let isSigned = false;
  for (const secret of secrets) {
    isSigned = matchesStandardSignature(secret, { id, seconds, signature }, body) || isSigned;
  }
  if (!isSigned) throw wrongSignature('webhook-signature');
  const age = Math.round(now().getTime() / 1_000 - seconds);
  // No comparison with it would hold, so that the request would pass, however old.
  if (Number.isNaN(age)) throw new RangeError('now() must return a valid Date: fix the clock of the receiver.');
  if (Math.abs(age) > toleranceSeconds) {
    const when = age > 0 ? `${age} s old` : `${-age} s in the future`;
    throw new WebhookVerificationError(
      'STALE_TIMESTAMP',
      `The request is ${when}; ${toleranceSeconds} s are allowed. It is a replay, or a clock is wrong: check the receiver's.`,
    );
  }
  return id;
}

function checkService(headers: WebhookHeaders, body: Uint8Array, secrets: readonly string[]): void {
  const signature = headerOf(headers, 'x-service-signature');
  if (!signature) {
    throw new WebhookVerificationError(
      'MISSING_HEADER',
      'The request has neither the header webhook-signature nor X-Service-Signature. It is not from Credence, or a proxy removed them.',
    );
  }
  let isSigned = false;
  for (const secret of secrets) isSigned = verifyServiceSignature(secret, signature, body) || isSigned;
  if (!isSigned) throw wrongSignature('X-Service-Signature');
}

function requiredHeader(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value) return value;
  throw new WebhookVerificationError('MISSING_HEADER', `The header ${name} is missing. A proxy may have removed it.`);
}

function wrongSignature(header: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'WRONG_SIGNATURE',
    `The signature in ${header} does not fit. Check that the secret is the one of this webhook, and that the body is the bytes as received, not JSON that was written again.`,
  );
}

/** Who signed it also made it, so that its fields are not checked again: those of later releases are there too. */
function eventOf(body: Uint8Array): WebhookEvent {
  const value = parse(body);
  if (isKnown(value)) return value;
  const name = isObject(value) && typeof value.event === 'string' ? ` ("${value.event.slice(0, 100)}")` : '';
  throw new WebhookVerificationError(
    'UNKNOWN_EVENT',
    `The body is signed, but it is no event that this version knows${name}. Update the package @credence/client.`,
  );
}

function isKnown(value: unknown): value is WebhookEvent {
  return isObject(value) && KNOWN.includes(value.event) && typeof value.timestamp === 'string' && isObject(value.data);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function parse(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
