/** What the platform adapters share: a paced, rotating, deadline-bound HTTP client and careful readers of pages. */
export { clearRefusal, DRIFTED, readTrouble, refusalOf, whyNoJson } from './answers.ts';
export { AttemptEnded } from './attempt.ts';
export { parseRetryAfter } from './backoff.ts';
export { browserHeaders, DEFAULT_USER_AGENT, NAVIGATION_HEADERS, SCRIPT_HEADERS } from './browser.ts';
export { createScrapingClient, type ScrapingClient, type ScrapingClientOptions } from './client.ts';
export type { CallTime } from './deadline.ts';
export {
  type CommentList,
  type Entry,
  joinEntries,
  type ReadPlace,
  readAuthor,
  readEntries,
  readPage,
  readThreads,
  type ThreadReader,
} from './entries.ts';
export { embeddedScripts, scriptWithId } from './html.ts';
export * from './json.ts';
export {
  browserUserAgent,
  callTimeout,
  type ScrapedPlatformOptions,
  scrapingOptions,
  scrapingTransport,
  webUrl,
} from './options.ts';
export type { LimiterConnection, PacingMode } from './pacing.ts';
export { lentOptions, type ScrapingContext, scrapedPlatform } from './platform-value.ts';
export { createReader, type ReadPage, type ReadPost, textPosition } from './reader.ts';
export { BodyEncodingError, BodyTooLargeError, createUndiciTransport, UnknownEncodingError } from './transport.ts';
export type * from './types.ts';
