/**
 * The proof of work that TikTok's firewall asks of a new visitor. Find the number whose digest, after the
 * given prefix, is the one on the page, and send it back in a cookie.
 */
import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { field, parseJson } from '../scraping/index.ts';

/** Cookies that answer the challenge, by name. */
export type WafAnswer = readonly (readonly [name: string, value: string])[];

const MAX_NUMBER = 1_000_000;
/** About a millisecond of work; then others get their turn. */
const CHUNK = 1_000;
const MAX_PAGE_LENGTH = 64 * 1024;
const MAX_CHALLENGE_LENGTH = 4_096;
const MAX_PREFIX_BYTES = 256;
const COOKIE_NAME = /^_?[A-Za-z0-9]{1,40}$/;
const COOKIE_VALUE = /^[A-Za-z0-9+/=_.%-]{1,1024}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{1,4096}={0,3}$/;

/** Whether the page is a challenge. */
export function isWafPage(html: string): boolean {
  return html.length <= MAX_PAGE_LENGTH && classOf(html, 'cs') !== null && classOf(html, 'wci') !== null;
}

/**
 * Solves the challenge on the page. Null when the page holds none that can be read, or when no number up to a million fits
 * or `signal` comes first. Yields to the event loop all the while; at worst it takes a few seconds of it.
 */
export async function solveWaf(html: string, signal?: AbortSignal): Promise<WafAnswer | null> {
  const encoded = classOf(html, 'cs');
  if (encoded === null || encoded.length > MAX_CHALLENGE_LENGTH) return null;
  const challenge = parseJson(decode(encoded)?.toString('utf8') ?? '');
  const prefix = decode(field(challenge, 'v', 'a'));
  const digest = decode(field(challenge, 'v', 'c'));
  if (prefix === null || digest === null || prefix.length > MAX_PREFIX_BYTES || digest.length !== 32) return null;
  const number = await findNumber(prefix, digest, signal);
  if (number === null) return null;

  const solved = { ...(challenge as object), d: Buffer.from(String(number)).toString('base64') };
  const cookies: (readonly [string, string])[] = [
    [nameOf(html, 'wci') ?? '_wafchallengeid', Buffer.from(JSON.stringify(solved)).toString('base64')],
  ];
  const originalId = classOf(html, 'rs');
  if (originalId !== null && COOKIE_VALUE.test(originalId)) {
    cookies.push([nameOf(html, 'rci') ?? 'waforiginalreid', originalId]);
  }
  return cookies;
}

async function findNumber(prefix: Buffer, digest: Buffer, signal?: AbortSignal): Promise<number | null> {
  const wanted = digest.toString('hex');
  const text = Buffer.concat([prefix, Buffer.alloc(String(MAX_NUMBER).length)]);
  for (let number = 0; number <= MAX_NUMBER; number += 1) {
    const length = prefix.length + text.write(String(number), prefix.length, 'latin1');
    if (hash('sha256', text.subarray(0, length), 'hex') === wanted) return number;
    if (number % CHUNK === CHUNK - 1) {
      await nextTurn();
      if (signal?.aborted === true) return null;
    }
  }
  return null;
}

function decode(text: unknown): Buffer | null {
  return typeof text === 'string' && BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}

/** A page that names its own cookies may only name firewall cookies. */
function nameOf(html: string, id: string): string | null {
  const name = classOf(html, id);
  return name !== null && COOKIE_NAME.test(name) && name.toLowerCase().includes('waf') ? name : null;
}

/** The `class` of the first element with this id; attributes in double quotes, as the page has them, in either order. */
function classOf(html: string, id: string): string | null {
  const at = html.indexOf(`id="${id}"`);
  if (at === -1) return null;
  const open = html.lastIndexOf('<', at);
  const close = html.indexOf('>', at);
  if (open === -1 || close === -1) return null;
  const tag = html.slice(open, close);
  const start = tag.indexOf(' class="');
  if (start === -1) return null;
  const end = tag.indexOf('"', start + 8);
  return end === -1 ? null : tag.slice(start + 8, end);
}
