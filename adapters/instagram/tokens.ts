/** The tokens that a page carries for the requests of its own scripts, kept with the identity that loaded it. */
import { findAll, type Identity, parseJson, type ScrapingResponse, scriptWithId } from '../scraping/index.ts';

/** Keys of `Identity.memory`. */
export const TOKEN_KEY = 'lsd';
export const DTSG_KEY = 'fb_dtsg';
/** Set from a refusal of the tokens until the next good answer. */
export const STALE_KEY = 'tokens-stale';

/** What the last answer told the next request to claim. */
export const CLAIM_KEY = 'www-claim';

/** Keeps the claim that an answer hands out, which the same identity's next requests carry. */
export function learnClaim(response: ScrapingResponse, identity: Identity): void {
  const claim = response.header('x-ig-set-www-claim');
  if (claim !== null && /^[\x21-\x7e]{1,512}$/.test(claim)) identity.memory.set(CLAIM_KEY, claim);
}

/** Stores the page's tokens with the identity that loaded it. */
export function learnTokens(html: string, identity: Identity): void {
  const eqmc = parseJson(scriptWithId(html, '__eqmc') ?? '');
  const lsd = tokenAfter(html, '["LSD",[],{"token":"') ?? tokenOf(eqmc, 'l');
  const dtsg = tokenAfter(html, '["DTSGInitialData",[],{"token":"') ?? tokenOf(eqmc, 'f');
  if (lsd !== null) identity.memory.set(TOKEN_KEY, lsd);
  if (dtsg !== null) identity.memory.set(DTSG_KEY, dtsg);
}

/** After the platform refused them: the next request loads a page for new ones. */
export function forgetTokens(identity: Identity): void {
  identity.memory.delete(TOKEN_KEY);
  identity.memory.delete(DTSG_KEY);
  identity.memory.set(STALE_KEY, '1');
}

const TOKEN = /^[A-Za-z0-9_:.-]{1,200}$/;

function tokenAfter(html: string, marker: string): string | null {
  const at = html.indexOf(marker);
  if (at === -1) return null;
  const start = at + marker.length;
  const token = html.slice(start, Math.min(html.indexOf('"', start), start + 201));
  return TOKEN.test(token) ? token : null;
}

function tokenOf(document: unknown, key: string): string | null {
  const value = findAll(document, key).find((entry) => typeof entry === 'string' && TOKEN.test(entry));
  return typeof value === 'string' ? value : null;
}
