/**
 * Request headers by which a server answers another question than the request line asks: for a part of the resource, only on
 * a condition, with another method, or for another URL. A proof of such an exchange would be read as "the value at this URL".
 */

/** A part of the resource (RFC 9110 and its predecessors, Azure, Dojo), or the difference to an older version (RFC 3229). */
const PARTS = new Set(['range', 'if-range', 'request-range', 'x-range', 'x-ms-range', 'a-im']);

/** A server that finds the condition false answers 304 without the value. One of `If-Match` gives an error, which is no value. */
const CONDITIONS = new Set(['if-none-match', 'if-modified-since']);

/** Words that stand for a method or a part of a URL. */
const METHOD_WORDS = new Set(['method', 'verb']);
const URL_WORDS = new Set(['url', 'uri', 'path', 'pathinfo', 'query', 'host', 'destinationurl', 'authority', 'target']);
/** What a proxy puts before such a word to say that the server should believe it rather than the request line. */
const QUALIFIERS = new Set([
  'x',
  'http',
  'request',
  'original',
  'real',
  'raw',
  'proxy',
  'envoy',
  'backend',
  'wa',
  'ms',
]);
/** Says nothing about the request but who sent it. */
const HARMLESS_FORWARDED = new Set(['x-forwarded-for', 'x-forwarded-client-cert', 'x-forwarded-user']);

/**
 * What a request header changes about the request, in words that complete "it asks for …"; null for one that changes neither
 * method, URL nor the part that is answered.
 * @param name in any case. Servers that pass headers as variables do not tell `_` from `-`, so neither does this.
 */
export function alteringHeader(name: string): string | null {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  if (PARTS.has(plain)) return 'a part of the resource';
  if (CONDITIONS.has(plain)) return 'an answer on a condition';
  const words = plain.split('-');
  const last = words.at(-1) ?? '';
  if (words.includes('override') || words.includes('rewrite') || words.includes('rewritten')) {
    return words.some((word) => METHOD_WORDS.has(word)) ? 'another method' : 'another URL';
  }
  if (plain === 'forwarded' || (plain.startsWith('x-forwarded-') && !HARMLESS_FORWARDED.has(plain))) {
    return last === 'method' ? 'another method' : 'another URL';
  }
  // `host` alone is the request's own; `access-control-request-method` is a question of CORS.
  const qualified = words.length > 1 && words.slice(0, -1).every((word) => QUALIFIERS.has(word));
  if (qualified && METHOD_WORDS.has(last)) return 'another method';
  if (qualified && URL_WORDS.has(last)) return 'another URL';
  return null;
}
