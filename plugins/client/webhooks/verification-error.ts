/**
 * Why a webhook was not accepted:
 *
 * - `MISSING_HEADER`, `INVALID_HEADER`: the request is not one of Credence's, or a proxy changed its headers.
 * - `WRONG_SIGNATURE`: no secret fits, or the body is not what was sent.
 * - `STALE_TIMESTAMP`: the signature fits, but the request is a replay, or a clock is wrong.
 * - `UNKNOWN_EVENT`: the signature fits, but the body is no event that this version knows.
 * - `PARSED_BODY`: something parsed the body before; the signature covers the bytes. Fix the receiver.
 * - `INVALID_SECRET`: the secret that the receiver gave is none. Fix the receiver.
 */
export type WebhookErrorCode =
  | 'MISSING_HEADER'
  | 'INVALID_HEADER'
  | 'WRONG_SIGNATURE'
  | 'STALE_TIMESTAMP'
  | 'UNKNOWN_EVENT'
  | 'PARSED_BODY'
  | 'INVALID_SECRET';

/** A webhook that was not accepted. The message says what to do, and holds no secret. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
