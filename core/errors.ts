/**
 * The one error model of Credence. Every refusal is a `DomainError` whose code is in `ERROR_CATALOGUE`. The catalogue
 * feeds the TypeScript type of codes, the HTTP statuses, the OpenAPI document and the docs. What is not a `DomainError` is
 * a defect: it becomes a 500 with a request id and never shows its text.
 */

/** What kind of refusal a code is; decides whether a caller should fix the request, wait, or stop. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'unprocessable'
  | 'rate-limited'
  | 'upstream'
  | 'unsupported'
  | 'internal';

/** What is known of a code. */
export interface CatalogueEntry {
  readonly status: number;
  readonly kind: ErrorKind;
  readonly description: string;
}

const entry = (status: number, kind: ErrorKind, description: string): CatalogueEntry => ({ status, kind, description });

const catalogue = {
  INVALID_REQUEST: entry(400, 'invalid', 'The body, query or path does not match its schema.'),
  INVALID_PRESENTATION: entry(400, 'invalid', 'The data cannot be decoded as a presentation.'),
  UNAUTHORIZED: entry(401, 'unauthenticated', 'The bearer token is missing, unknown or revoked.'),
  FORBIDDEN: entry(403, 'forbidden', 'The token lacks the right that this route needs.'),
  NOT_FOUND: entry(404, 'not-found', 'The addressed resource does not exist.'),
  POST_NOT_FOUND: entry(404, 'not-found', 'The post does not exist or was deleted.'),
  PROFILE_NOT_FOUND: entry(404, 'not-found', 'The profile does not exist on the platform.'),
  METHOD_NOT_ALLOWED: entry(405, 'invalid', 'The path exists, but not with this method.'),
  REQUEST_TIMEOUT: entry(408, 'invalid', 'The request did not arrive in time.'),
  CONFLICT: entry(409, 'conflict', 'The request contradicts the current state.'),
  ATTEMPT_EXISTS: entry(409, 'conflict', 'The creator already has an attempt at this challenge.'),
  INVALID_TRANSITION: entry(409, 'conflict', 'The attempt cannot do this in its current state.'),
  CAMPAIGN_INACTIVE: entry(409, 'conflict', 'The campaign is ended or outside its dates.'),
  CAMPAIGN_HAS_ATTEMPTS: entry(409, 'conflict', 'A campaign with attempts cannot be deleted.'),
  HANDLE_NOT_LINKED: entry(409, 'conflict', 'The creator has no active handle on the platform of this challenge.'),
  EVENT_NOT_ELIGIBLE: entry(409, 'conflict', 'No requested event fits the state of the attempt.'),
  IDEMPOTENCY_KEY_IN_USE: entry(
    409,
    'rate-limited',
    'The first request with this Idempotency-Key is still running; see Retry-After.',
  ),
  PAYLOAD_TOO_LARGE: entry(413, 'invalid', 'The body is larger than this route accepts.'),
  UNSUPPORTED_MEDIA_TYPE: entry(415, 'invalid', 'The body is not application/json.'),
  EXPECTATION_FAILED: entry(417, 'invalid', 'The Expect header is not 100-continue.'),
  VALIDATION_ERROR: entry(422, 'unprocessable', 'A URL is not an accepted post URL, or the batch is malformed.'),
  POST_AGE_RESTRICTED: entry(
    422,
    'unprocessable',
    'The post is age restricted; only its author can change that, by posting it again without the restriction.',
  ),
  POST_PRIVATE: entry(422, 'unprocessable', 'The post is visible to approved followers only.'),
  POST_UNAVAILABLE: entry(422, 'unprocessable', 'The post exists but cannot be read (region, review).'),
  PROFILE_PRIVATE: entry(422, 'unprocessable', 'The profile is private and cannot be read.'),
  PROOF_NOT_SEALABLE: entry(422, 'invalid', 'The web proof is valid, but no seal is made of it; the message says why.'),
  IDEMPOTENCY_KEY_REUSED: entry(
    422,
    'invalid',
    'The Idempotency-Key was sent with another request before; use a new key.',
  ),
  SCRAPING_RATE_LIMITED: entry(429, 'rate-limited', 'A rate limit is exceeded; see Retry-After.'),
  QUOTA_EXCEEDED: entry(429, 'rate-limited', 'The quota of the token is used up; see Retry-After.'),
  HEADERS_TOO_LARGE: entry(431, 'invalid', 'The request line and headers are too large.'),
  INTERNAL_ERROR: entry(500, 'internal', 'An unexpected failure; quote the request id.'),
  INTERNAL_SERVER_ERROR: entry(500, 'internal', 'Proving or verifying failed; the message says why.'),
  PROOF_GENERATION_FAILED: entry(
    500,
    'internal',
    'The zero-knowledge proof could not be generated; the message says why.',
  ),
  NOT_IMPLEMENTED: entry(501, 'unsupported', 'Reserved; not implemented.'),
  NOT_SUPPORTED: entry(501, 'unsupported', 'The platform or the configuration does not support this.'),
  PLATFORM_UNAVAILABLE: entry(502, 'upstream', 'The platform could not be read; try again later.'),
  SERVICE_UNAVAILABLE: entry(503, 'upstream', 'The storage or the service is not ready; try again.'),
  NAME_LOOKUP_TIMEOUT: entry(
    504,
    'upstream',
    'The name servers of the host to prove did not answer in time; try again later.',
  ),
  PLATFORM_TIMEOUT: entry(504, 'upstream', 'The platform did not answer in time.'),
  BATCH_TIMEOUT: entry(504, 'upstream', 'The lookup was not finished at the deadline of the batch.'),
};

/** Every code that a `DomainError` can have. */
export type ErrorCode = keyof typeof catalogue;

/** Status, kind and description of every code. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = catalogue;

const BRAND = Symbol.for('credence.DomainError');

/** What a `DomainError` has besides code and message. */
export interface DomainErrorOptions {
  /** Machine-readable facts that help the caller, for example the id of the attempt that already exists. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What went wrong underneath; logged, never sent. */
  readonly cause?: unknown;
  /** Sent as `Retry-After`, whole seconds rounded up. */
  readonly retryAfterSeconds?: number;
}

/** A refusal that the caller may see: code, message and details are sent as they are. */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, options: DomainErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** What kind of refusal the code is. */
  get kind(): ErrorKind {
    return ERROR_CATALOGUE[this.code].kind;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }
}

/** True for a `DomainError`, also for one made by another copy of this package; with codes, only for one of these. */
export function isDomainError(error: unknown, ...codes: readonly ErrorCode[]): error is DomainError {
  if (typeof error !== 'object' || error === null || (error as Record<symbol, unknown>)[BRAND] !== true) return false;
  return codes.length === 0 || codes.includes((error as DomainError).code);
}

/** The refusal of an id that nothing has. */
export const noSuch = (what: string, id: number) => new DomainError('NOT_FOUND', `There is no ${what} ${id}.`);

/** The code that Node.js, a driver or a library has given an error; empty if there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
