import type { HttpHeader } from '../http/message.ts';
import { hides, type Selection } from './schema.ts';

/** Needed to make sense of a message; never hidden, whatever a selection says. */
const ALWAYS_REVEALED = new Set(['content-length', 'transfer-encoding', 'content-type', 'content-encoding']);

/**
 * Headers that say how to talk, not who is talking or what about. An allowlist hides them too, and then their values, which
 * may well stand elsewhere (`vary: accept-encoding`), are no secrets. A denylist that names one means it, as far as the
 * value can be hidden elsewhere: not in `content-type` and its like.
 */
const ABOUT_TALKING = new Set(
  'accept accept-charset accept-encoding accept-language accept-ranges age allow alt-svc cache-control connection content-language date dnt expires keep-alive last-modified pragma priority referrer-policy sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user server strict-transport-security trailer upgrade-insecure-requests vary via x-cache x-content-type-options x-frame-options x-powered-by x-xss-protection'.split(
    ' ',
  ),
);

/** True for headers that are shown whatever a selection says. */
export function isAlwaysRevealed(name: string): boolean {
  return ALWAYS_REVEALED.has(name);
}

/** True for headers that say how to talk. */
export function isAboutTalking(name: string): boolean {
  return ABOUT_TALKING.has(name);
}

/** The headers whose values a selection hides, every duplicate included. Names are compared without case. */
export function hiddenHeaders(headers: readonly HttpHeader[], selection: Selection): HttpHeader[] {
  const named = namesOf(selection);
  return headers.filter(({ name }) => !ALWAYS_REVEALED.has(name) && hides(selection, named.has(name)));
}

/** True if an allowlist names this header. */
export function showsExpressly(selection: Selection, name: string): boolean {
  return selection.kind === 'except' && namesOf(selection).has(name);
}

function namesOf({ names }: Selection): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}
