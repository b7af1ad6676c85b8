/**
 * The `Idempotency-Key` header (IETF draft-ietf-httpapi-idempotency-key-header): which rows take it, how it is read, and how the
 * OpenAPI document tells of it.
 */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import type { Route } from './route.ts';

/** The header's name in lower case. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/** The header of an answer that was stored under a key. */
export const REPLAYED = 'idempotent-replayed' as const;

const MAX_LENGTH = 255;
/** The draft has a text in quotes; most clients send the key without them. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const BARE = /^[!#-+\--~]+$/;

/** Whether repeated requests to this row are answered once. Anonymous rows are left out: strangers could fill the storage. */
export function takesIdempotencyKey({ method, access, checkSender, idempotencyKeys = true }: Route): boolean {
  const isKnown = !['public', 'callback', 'anyone'].includes(access) || checkSender !== undefined;
  return method === 'POST' && isKnown && idempotencyKeys;
}

/**
 * Returns the key that a header holds.
 * @throws DomainError with the code of the row for invalid input
 */
export function readIdempotencyKey(header: string, { invalidCode = 'INVALID_REQUEST' }: Route): string {
  const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : '');
  if (key !== '' && key.length <= MAX_LENGTH) return key;
  throw new DomainError(
    invalidCode,
    `Invalid request: the header Idempotency-Key must be 1 to ${MAX_LENGTH} printable ASCII characters, such as a UUID. Put a key with blanks, commas or quotes in double quotes.`,
  );
}

/** The header parameter of the OpenAPI document. */
export const idempotencyHeader = z.object({
  'Idempotency-Key': z.string().min(1).max(MAX_LENGTH).optional().meta({
    description:
      'A new UUID for each operation. Repeat a request with its key, and it is answered as the first time, for 24 hours, without running again.',
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  }),
});
