/** A page of the firewall, as it is sent to new visitors. */
import { createHash } from 'node:crypto';

const PREFIX = Buffer.from('some prefix bytes \u0000\u00ff');

export function wafPage(challenge: unknown, names: { wci?: string; rci?: string; rs?: string } = {}): string {
  const cs = Buffer.from(JSON.stringify(challenge)).toString('base64');
  return (
    `<html><body>Please wait...<p id="cs" class="${cs}"></p><p class="${names.wci ?? '_wafchallengeid'}" id="wci"></p>` +
    `<p id="rci" class="${names.rci ?? 'waforiginalreid'}"></p><p id="rs" class="${names.rs ?? 'abc-123'}"></p></body></html>`
  );
}

function digestOf(number: string): string {
  return createHash('sha256').update(PREFIX).update(number).digest('base64');
}

/** A challenge that this number solves. */
export const solvable = (text: string) => ({ v: { a: PREFIX.toString('base64'), b: 1, c: digestOf(text) }, s: 'sig' });
