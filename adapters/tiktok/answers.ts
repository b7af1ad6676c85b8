/** What any TikTok answer may say before its contents matter: throttled, walled off, challenged, refused without a word. */
import {
  field,
  type Identity,
  isObject,
  type JsonObject,
  parseJson,
  readTrouble,
  type ScrapingResponse,
  scriptWithId,
  type Verdict,
} from '../scraping/index.ts';
import { isWafPage, solveWaf } from './waf.ts';

/** What reading an answer takes besides the answer. */
export interface Reading {
  readonly identity: Identity;
  /** Stops the work on a challenge. */
  readonly signal: AbortSignal;
}

/** Never the bare word "captcha": good pages hold it many times. */
const CAPTCHA_MARKERS = ['captcha_verify_img_slide', 'secsdk-captcha'];
/** Where a visitor is sent to prove to be a person. */
const CHECK = /^\/(?:captcha|verify)(?:\/|$)/;
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** The JSON in a page's script element, or why there is none. */
export async function readPage(
  response: ScrapingResponse,
  reading: Reading,
  scriptId: string,
): Promise<Verdict<JsonObject>> {
  const refusal = readRefusal(response);
  const html = response.text;
  // The page of something that is gone may have its status, and still say so in words that can be read.
  if (refusal === null || GONE.has(response.status)) {
    const script = scriptWithId(html, scriptId);
    const data = script === null ? null : parseJson(script);
    if (isObject(data)) return { kind: 'ok', value: data };
    if (refusal === null && script !== null) return { kind: 'unreadable', reason: 'broken-json' };
  }
  if (refusal !== null) return (await readFirewall(response, reading)) ?? refusal;
  const challenge = (await readFirewall(response, reading)) ?? readCaptcha(html);
  if (challenge !== null) return challenge;
  // Missing now and then on good pages: one more look, no longer wait than the pace asks for.
  return { kind: 'unreadable', reason: 'no-rehydration-data', retries: 1, immediately: true };
}

/** The body of an API answer, or why there is none. */
export async function readApi(response: ScrapingResponse, reading: Reading): Promise<Verdict<JsonObject>> {
  const refusal = readRefusal(response);
  if (refusal !== null) return (await readFirewall(response, reading)) ?? refusal;
  const body = parseJson(response.text);
  if (isObject(body)) return { kind: 'ok', value: body };
  const challenge = (await readFirewall(response, reading)) ?? readCaptcha(response.text);
  if (challenge !== null) return challenge;
  const isHtml = response.text.trimStart().startsWith('<');
  return { kind: 'unreadable', reason: isHtml ? 'html-instead-of-json' : 'broken-json', retries: 1 };
}

/** Refusals that show in the status, the headers, or a body too short to hold anything. */
export function readRefusal(response: ScrapingResponse): Verdict<never> | null {
  const { status } = response;
  const trouble = readTrouble(response);
  if (trouble !== null) return trouble;
  if (status >= 300 && status < 400) return readRedirect(response);
  if (status === 401 || status === 403) return { kind: 'blocked', reason: `http-${status}` };
  // Any other error status without data is no proof that something does not exist.
  if (status !== 200) return { kind: 'unreadable', reason: `http-${status}` };
  const { text } = response;
  if (text.trim() === '') return { kind: 'blocked', reason: 'empty-body' };
  if (text.length < 4096 && text.startsWith('{') && field(parseJson(text), 'type') === 'verify') {
    return { kind: 'blocked', reason: 'verify' };
  }
  return null;
}

/** The absolute http or https address that a redirect leads to, or null. */
export function redirectTarget(response: ScrapingResponse): URL | null {
  const location = response.header('location');
  if (location === null || location.length > 4096 || !URL.canParse(location, response.url)) return null;
  const target = new URL(location, response.url);
  return /^https?:$/.test(target.protocol) ? target : null;
}

export function isLogin(target: URL): boolean {
  return target.pathname === '/login' || target.pathname.startsWith('/login/');
}

/** A wall that a redirect leads to, or null. */
export function readWall(target: URL): Verdict<never> | null {
  if (isLogin(target)) return { kind: 'blocked', reason: 'login-wall' };
  return CHECK.test(target.pathname) ? { kind: 'blocked', reason: 'captcha' } : null;
}

function readRedirect(response: ScrapingResponse): Verdict<never> {
  const target = redirectTarget(response);
  return (target === null ? null : readWall(target)) ?? { kind: 'unreadable', reason: 'redirect' };
}

/** Solves a firewall's challenge, whatever its status, as this identity, so that the next attempt passes. */
async function readFirewall(response: ScrapingResponse, reading: Reading): Promise<Verdict<never> | null> {
  const { status, text } = response;
  if ((status >= 300 && status < 400) || status === 429 || !isWafPage(text)) return null;
  const answer = await solveWaf(text, reading.signal);
  if (answer === null) return { kind: 'unreadable', reason: 'waf-unsolved' };
  for (const [name, value] of answer) await reading.identity.setCookie(name, value);
  return { kind: 'unreadable', reason: 'waf', retries: 1, immediately: true };
}

function readCaptcha(html: string): Verdict<never> | null {
  return CAPTCHA_MARKERS.some((marker) => html.includes(marker)) ? { kind: 'blocked', reason: 'captcha' } : null;
}
