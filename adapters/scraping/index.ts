/** What the platform adapters share: a paced, rotating, deadline-bound HTTP client and careful readers of pages. */
export { parseRetryAfter } from './backoff.ts';
export { createScrapingClient, type ScrapingClient, type ScrapingClientOptions } from './client.ts';
export type { CallTime } from './deadline.ts';
export { type EmbeddedScript, embeddedScripts } from './html.ts';
export * from './json.ts';
export { attemptTimeout, callTimeout, scrapingOptions, webUrl } from './options.ts';
export type { LimiterConnection, PacingMode } from './pacing.ts';
export type { SessionState } from './session-pool.ts';
export { BodyEncodingError, BodyTooLargeError, createUndiciTransport } from './transport.ts';
export type * from './types.ts';
