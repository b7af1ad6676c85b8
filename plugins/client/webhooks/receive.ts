/** What the middleware of all frameworks have in common. */

import { joinBytes } from '../../../core/join-bytes.ts';
import type { WebhookHeaders } from './headers.ts';
import { type WebhookErrorCode, WebhookVerificationError } from './verification-error.ts';
import {
  type RawBody,
  secretsOf,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookSecret,
} from './verify-webhook.ts';

/**
 * Handles one event. When it has returned, the sender is told that the event was received. If it throws, the framework answers
 * the error, and Credence sends the event again later. The sender waits 10 seconds.
 */
export type WebhookHandler = (event: WebhookEvent) => unknown;

/** The answer to a webhook. */
export interface WebhookAnswer {
  readonly status: number;
  /** JSON, or undefined for none. */
  readonly body: string | undefined;
}

/** Events are far smaller. */
export const MAX_BODY_BYTES = 1024 * 1024;

export const TOO_LARGE: WebhookAnswer = refusal(413, 'TOO_LARGE', 'The body is larger than 1 MiB.');

const STATUSES: Readonly<Partial<Record<WebhookErrorCode, number>>> = {
  MISSING_HEADER: 400,
  INVALID_HEADER: 400,
  WRONG_SIGNATURE: 401,
  STALE_TIMESTAMP: 401,
  UNKNOWN_EVENT: 422,
};

/** @throws WebhookVerificationError `INVALID_SECRET` and TypeError without a handler, at once; the function it returns throws what the handler throws */
export function createReceiver(secret: WebhookSecret, handler: WebhookHandler, options: VerifyWebhookOptions) {
  const secrets = secretsOf(secret);
  if (typeof handler !== 'function') {
    throw new TypeError('The second argument must be a function that handles an event: async (event) => { … }.');
  }
  return async (rawBody: unknown, headers: WebhookHeaders): Promise<WebhookAnswer> => {
    let event: WebhookEvent;
    try {
      // It refuses a body that is neither bytes nor text.
      event = verifyWebhook(rawBody as RawBody, headers, secrets, options);
    } catch (error) {
      const status = error instanceof WebhookVerificationError ? STATUSES[error.code] : undefined;
      // The receiver's own mistakes are for its log, not for the sender.
      if (!(error instanceof WebhookVerificationError) || status === undefined) throw error;
      return refusal(status, error.code, error.message);
    }
    await handler(event);
    return { status: 204, body: undefined };
  };
}

function refusal(status: number, code: string, message: string): WebhookAnswer {
  return { status, body: JSON.stringify({ error: { code, message } }) };
}

/** Gathers pieces of a body; false as soon as they are more than a webhook has. */
export function createBodyCollector(): { add(piece: Uint8Array): boolean; bytes(): Uint8Array } {
  const pieces: Uint8Array[] = [];
  let size = 0;
  return {
    add(piece) {
      size += piece.length;
      if (size > MAX_BODY_BYTES) return false;
      pieces.push(piece);
      return true;
    },
    bytes: () => joinBytes(pieces),
  };
}
