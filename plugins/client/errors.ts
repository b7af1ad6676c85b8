/** What goes wrong with calls. */
import type { ErrorCode } from './api.ts';

/** What is known of a refusal. */
export interface Refusal {
  readonly status: number;
  readonly code: string | null;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

/**
 * The API refused a call. Rely on `code`; messages may change.
 * @example
 * ```ts
 * import { CredenceApiError, createCredenceClient } from '@credence/client';
 *
 * const client = createCredenceClient({ url: 'http://localhost:3000', token: process.env.CREDENCE_TOKEN });
 * try {
 *   await client.brands.create({ name: 'Acme', slug: 'acme' });
 * } catch (error) {
 *   if (!(error instanceof CredenceApiError) || error.code !== 'CONFLICT') throw error;
 * }
 * ```
 */
export class CredenceApiError extends Error {
  override readonly name = 'CredenceApiError';
  /** The HTTP status. */
  readonly status: number;
  /** Null if the answer has none, for example one of a proxy. A newer server may have codes that this version does not know. */
  readonly code: ErrorCode | (string & {}) | null;
  /** Names the request in the logs of the server. */
  readonly requestId: string | null;
  /** Facts for a program, such as the `issues` of an invalid body. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** What `Retry-After` says. */
  readonly retryAfterSeconds: number | null;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.details = refusal.details;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
  }
}

/** No answer came, not in time, or it was not one of Credence. `cause` says what `fetch` said. */
export class CredenceConnectionError extends Error {
  override readonly name = 'CredenceConnectionError';
  /** No answer came within `timeoutMs`. */
  readonly isTimeout: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly isTimeout?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isTimeout = options.isTimeout ?? false;
  }
}
