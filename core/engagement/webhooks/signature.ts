/**
 * Signatures of webhook requests: ours (`X-Service-Signature`, docs/specification/engagement.md#events) and those of the
 * Standard Webhooks specification, both over the raw body, so that receivers may check either.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { encodeBase64 } from '../../security/base64.ts';
import { equalText } from '../../security/constant-time.ts';
import { standardKeyOf } from './secret.ts';

const encoder = new TextEncoder();

export interface SignatureInput {
  readonly secret: string;
  /** The secret before a rotation, while it is valid. */
  readonly previousSecret?: string | undefined;
  /** `webhook-id`: the same on every try. */
  readonly messageId: string;
  /** When this try is made. */
  readonly at: Date;
  readonly event: string;
  readonly body: string;
}

/** `X-Service-Signature`: base64 HMAC-SHA256 of the raw body, keyed with the bytes of the whole secret text. */
export function serviceSignature(secret: string, body: string | Uint8Array): string {
  return encodeBase64(hmac(sha256, encoder.encode(secret), bytesOf(body)));
}

/** One `v1,<base64>` of Standard Webhooks over `id.timestamp.body`. */
export function standardSignature(
  secret: string,
  messageId: string,
  timestampSeconds: number,
  body: string | Uint8Array,
): string {
  const mac = hmac.create(sha256, standardKeyOf(secret)).update(encoder.encode(`${messageId}.${timestampSeconds}.`));
  return `v1,${encodeBase64(mac.update(bytesOf(body)).digest())}`;
}

/**
 * Every header of one webhook request that does not depend on the transport. While a secret is rotated, `webhook-signature`
 * has one signature for each. `X-Service-Signature` can have one only: the previous secret's, which every receiver knows.
 */
export function webhookHeaders({ secret, previousSecret, messageId, at, event, body }: SignatureInput) {
  const bytes = encoder.encode(body);
  const timestamp = Math.floor(at.getTime() / 1000);
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Credence-Webhooks/1.0',
    'X-Service-Event': event,
    'X-Service-Signature': serviceSignature(previousSecret ?? secret, bytes),
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((each) => standardSignature(each, messageId, timestamp, bytes)).join(' '),
  };
}

export interface StandardHeaders {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  /** Space-separated signatures; one that fits is enough (secrets may be rotating). */
  readonly signature: string | undefined;
}

/** Replays older, and clocks further ahead, than this are refused. */
export const TIMESTAMP_TOLERANCE_SECONDS = 300;

/**
 * The receiver's side of Standard Webhooks: true when one signature fits and the timestamp is within five minutes of `now`.
 * Constant time in the signature. At most 10 signatures are looked at.
 */
export function verifyStandardSignature(
  secret: string,
  headers: StandardHeaders,
  body: string | Uint8Array,
  now: Date,
): boolean {
  const { id, timestamp, signature } = headers;
  if (!id || !signature || timestamp === undefined || !/^[0-9]{1,12}$/.test(timestamp)) return false;
  const seconds = Number(timestamp);
  // An invalid date is within nothing.
  if (!(Math.abs(now.getTime() / 1000 - seconds) <= TIMESTAMP_TOLERANCE_SECONDS)) return false;
  return matchesStandardSignature(secret, { id, seconds, signature }, body);
}

/** Whether one of at most 10 signatures fits, whatever the time. Constant time in the signatures. */
export function matchesStandardSignature(
  secret: string,
  { id, seconds, signature }: { readonly id: string; readonly seconds: number; readonly signature: string },
  body: string | Uint8Array,
): boolean {
  const expected = standardSignature(secret, id, seconds, body);
  let fits = false;
  for (const candidate of signature.split(' ', 10)) fits = equalText(candidate, expected) || fits;
  return fits;
}

/** The receiver's side of `X-Service-Signature`, in constant time. */
export function verifyServiceSignature(
  secret: string,
  signature: string | undefined,
  body: string | Uint8Array,
): boolean {
  return signature !== undefined && equalText(signature, serviceSignature(secret, body));
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? encoder.encode(body) : body;
}
