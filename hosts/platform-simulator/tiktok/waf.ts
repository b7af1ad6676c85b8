/** The proof-of-work page in front of TikTok: a challenge, and the check of the cookie that answers it. */
import { createHash } from 'node:crypto';
import { cookieOf, html, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { hashText } from '../seeded.ts';

const ORIGINAL_ID = 'simulatedoriginalid';

/** How far a visitor has to count; small, so that tests are quick. */
function secretOf(prefix: string): number {
  return hashText(prefix) % 3000;
}

/** The page. An unsolvable one has no number within the bound. */
export function wafPage(seed: string, solvable: boolean): SiteAnswer {
  const prefix = Buffer.from(`waf ${seed} ${hashText(seed)}`);
  const digest = solvable
    ? sha256(prefix, String(secretOf(prefix.toString('base64'))))
    : sha256(prefix, 'no number gives this');
  const challenge = {
    v: { a: prefix.toString('base64'), b: 1_780_000_000, c: digest.toString('base64') },
    s: Buffer.from('simulated signature').toString('base64'),
  };
  const cs = Buffer.from(JSON.stringify(challenge)).toString('base64').replaceAll('=', '');
  const filler = '/* the page carries its own solver */'.repeat(22);
  return html(
    `<!DOCTYPE html><html><head><title>Please wait...</title></head><body>Please wait...<p id="cs" class="${cs}"></p>` +
      `<p id="wci" class="_wafchallengeid"></p><p id="rci" class="waforiginalreid"></p><p id="rs" class="${ORIGINAL_ID}"></p>` +
      `<script>${filler}</script></body></html>`,
  );
}

/** True when the cookies answer a challenge of this simulator. */
export function wafPassed(request: SiteRequest): boolean {
  const cookie = cookieOf(request, '_wafchallengeid');
  if (cookie === undefined || cookieOf(request, 'waforiginalreid') !== ORIGINAL_ID) return false;
  const { v, d } = JSON.parse(Buffer.from(cookie, 'base64').toString()) as { v: { a: string; c: string }; d: string };
  const number = Buffer.from(d, 'base64').toString();
  const digest = sha256(Buffer.from(v.a, 'base64'), number).toString('base64');
  return number === String(secretOf(v.a)) && digest === v.c;
}

function sha256(prefix: Buffer, text: string): Buffer {
  return createHash('sha256').update(prefix).update(text).digest();
}
