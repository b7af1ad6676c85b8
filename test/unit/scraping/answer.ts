/** One answer of a platform and one identity, for tests of what reads answers. */
import { parseRetryAfter } from '../../../adapters/scraping/backoff.ts';
import type { Identity, ScrapingResponse } from '../../../adapters/scraping/index.ts';

export interface Answer {
  readonly status?: number;
  readonly text?: string;
  readonly url?: string;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function answer({ status = 200, text = '', url = 'https://platform.test/p', headers = {} }: Answer) {
  const retryAfterSeconds = parseRetryAfter(headers['retry-after'] ?? null, new Date('2026-11-22T08:00:00Z'));
  return { status, text, url, retryAfterSeconds, header: (name) => headers[name] ?? null } satisfies ScrapingResponse;
}

/** With the cookies that were set. */
export function visitor(kind: Identity['kind'] = 'anonymous'): Identity & { readonly cookies: Map<string, string> } {
  const cookies = new Map<string, string>();
  return {
    kind,
    label: `${kind}-1`,
    memory: new Map(),
    cookies,
    cookie: async (name) => cookies.get(name),
    async setCookie(name, value) {
      cookies.set(name, value);
    },
  };
}
