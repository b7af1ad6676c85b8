/**
 * Headers whose values are made from what may be hidden. Anyone who sees such a value can try hidden values until one fits. The
 * default `ETag` of a web framework gives a PIN away in thousands of guesses.
 */

/** Hashes and versions of a body. By the words in names, since services have many of their own. */
const OF_BODY =
  /etag|md5|crc|adler|sha-?[0-9]|(?:^|-)sha(?:$|-)|digest|hash|checksum|integrity|fingerprint|ipfs|^last-modified$|^x-goog-generation$/;

/** Signatures and message authentication codes. */
const SIGNATURE = /signature|hmac|(?:^|-)(?:sig|mac|jws)(?:$|-)/;

/** What a client repeats of the validators that an answer had before. */
const CONDITIONS = new Set(['if-match', 'if-none-match', 'if-range', 'if-modified-since', 'if-unmodified-since']);

/** They say what the client would like, and tell nothing of an answer. */
const PREFERENCES = /^(?:want|accept)-/;

/** True for headers of a response that tell about its body. */
export function tellsOfBody(name: string): boolean {
  return (OF_BODY.test(name) || SIGNATURE.test(name)) && !PREFERENCES.test(name);
}

/** True for headers that tell about all that is signed with them: header values, the URL, the body. */
export function isSignature(name: string): boolean {
  return SIGNATURE.test(name) && !PREFERENCES.test(name);
}

/** True for headers of a request that tell about the body of the response. */
export function tellsOfAnswer(name: string): boolean {
  return CONDITIONS.has(name);
}
