/** What an answer of the API for Business means before its contents matter. Refusals come with the status 200 too. */
import { tokenRefused } from '../../official/index.ts';
import {
  asCount,
  asText,
  isObject,
  type JsonObject,
  parseJson,
  readTrouble,
  type ScrapingResponse,
  type Verdict,
  whyNoJson,
} from '../../scraping/index.ts';
import { tiktokDescriptor } from '../descriptor.ts';

const RATE_LIMIT = 40_100;
/** As the API asks for. */
const REST_SECONDS = 300;
const BAD_PARAMETER = 40_002;
const NO_PERMISSION = 40_001;
/** Tokens that are wrong, over, or not given. */
const TOKEN = new Set([40_102, 40_103, 40_104, 40_105]);

/** The `data` of a good answer. */
export function readAnswer(response: ScrapingResponse): Verdict<JsonObject> | 'bad-parameter' {
  const { status, text } = response;
  if (status >= 300 && status < 400) return { kind: 'unreadable', reason: 'unexpected-redirect' };
  const trouble = readTrouble(response);
  if (trouble !== null) return trouble;
  const body = parseJson(text);
  if (!isObject(body)) return { kind: 'unreadable', reason: whyNoJson(text), retries: 1 };
  const code = asCount(body.code);
  switch (code) {
    case 0:
      return isObject(body.data) ? { kind: 'ok', value: body.data } : { kind: 'unreadable', reason: 'drifted' };
    case RATE_LIMIT:
      return { kind: 'throttled', retryAfterSeconds: REST_SECONDS };
    case BAD_PARAMETER:
      return 'bad-parameter';
    case NO_PERMISSION:
      return tokenRefused(tiktokDescriptor, 'scope');
    case null:
      return { kind: 'unreadable', reason: 'drifted' };
    default: {
      if (!TOKEN.has(code)) return { kind: 'unreadable', reason: `api-${code}`, retries: code >= 50_000 ? 2 : 0 };
      const isOver = /expire/i.test(asText(body.message) ?? '');
      return tokenRefused(tiktokDescriptor, isOver ? 'expired' : 'revoked');
    }
  }
}
