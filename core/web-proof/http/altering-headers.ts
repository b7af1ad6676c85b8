/**
 * Request headers by which a server answers another question than the request line asks. They ask for a part of the resource or an
 * older version, only on a condition, with another method or body, or for another URL. A proof of such an exchange would be read as "the value at this URL".
 */

/**
 * A part of the resource (RFC 9110 and its predecessors, PostgREST, Azure, Dojo, DLNA). `accept-ranges` is another word: it
 * asks for nothing.
 */
const PART_WORDS = new Set(['range', 'timeseekrange']);
/** The difference to an older version (RFC 3229). */
const DELTA = 'a-im';

/** The resource as it was at another time (RFC 7089). */
const OLDER_VERSION = /^(?:x-)?accept-datetime$/;

/** A server that finds the condition false answers 304 without the value. One of `If-Match` gives an error, which is no value. */
const CONDITIONS = new Set(['if-none-match', 'if-modified-since']);

/** Words that stand for a method or a part of a URL. */
const METHOD_WORDS = new Set(['method', 'verb']);
const URL_WORDS = new Set('url uri path pathinfo query host destinationurl authority target scheme proto'.split(' '));
/** The same as CGI writes them. Servers take them for their own variables, with or without something before. */
const CGI_NAMES = /(?:^|-)(?:path-info|query-string|script-name|server-name)$/;
/** What a proxy puts before such a word to say that the server should believe it rather than the request line. */
const QUALIFIERS = new Set(
  (
    'x http url request requested original real raw full base proxy forward gateway backend upstream target destination ' +
    'dest dst envoy wa ms'
  ).split(' '),
);
/** Microsoft's word for `X-Forwarded-Proto: https`. */
const FRONT_END_HTTPS = 'front-end-https';
/** Says nothing about the request but who sent it. */
const HARMLESS_FORWARDED = new Set(['x-forwarded-for', 'x-forwarded-client-cert', 'x-forwarded-user']);

/** In another spelling they do not frame the body, and yet an application may go by them. */
const FRAMING = new Set(['content-length', 'transfer-encoding']);

/**
 * What a request header changes about the request, in words that complete "it asks for …". Null for one that changes neither
 * method, URL, body nor the part that is answered.
 * @param name in any case. Servers that pass headers as variables do not tell `_` from `-`, so neither does this.
 */
export function alteringHeader(name: string): string | null {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  if (FRAMING.has(plain)) return name.toLowerCase() === plain ? null : 'another body';
  const words = plain.split('-');
  if (plain === DELTA || words.some((word) => PART_WORDS.has(word))) return 'a part of the resource';
  if (OLDER_VERSION.test(plain)) return 'an older version of the resource';
  if (CONDITIONS.has(plain)) return 'an answer on a condition';
  const last = words.at(-1) ?? '';
  if (words.includes('override') || words.includes('rewrite') || words.includes('rewritten')) {
    return words.some((word) => METHOD_WORDS.has(word)) ? 'another method' : 'another URL';
  }
  if (plain === 'forwarded' || (plain.startsWith('x-forwarded-') && !HARMLESS_FORWARDED.has(plain))) {
    return last === 'method' ? 'another method' : 'another URL';
  }
  if (plain === FRONT_END_HTTPS || CGI_NAMES.test(plain)) return 'another URL';
  if (METHOD_WORDS.has(plain)) return 'another method';
  // `host` alone is the request's own; `access-control-request-method` is a question of CORS.
  const qualified = words.length > 1 && words.slice(0, -1).every((word) => QUALIFIERS.has(word));
  if (qualified && METHOD_WORDS.has(last)) return 'another method';
  if (qualified && URL_WORDS.has(last)) return 'another URL';
  return null;
}
