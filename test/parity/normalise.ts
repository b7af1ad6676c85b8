/** What two hosts and two storages may answer differently without being different: times, random values, ports. */

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/<time datetime="[^"]*">[^<]*<\/time>/g, '<time>'],
  // First, as most of the text goes with them.
  [
    /\\?"(data|raw|attestation|zkProof|journalDataAbi|presentationJson)\\?":\\?"(?:0x)?[0-9a-f]{40,}\\?"/g,
    '"$1":"<bytes>"',
  ],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  // Of lists: they hold ids.
  [/\beyJwYWdlIj[\w-]+/g, '<cursor>'],
  [/nonce([=-])"?[A-Za-z0-9+/=]{22,}/g, 'nonce$1<nonce>'],
  [/\bx1\.[\w-]{60,}/g, '<sealed>'],
  [/"(commitment|seed)":"[0-9a-f]{64}"/g, '"$1":"<random>"'],
  [/whsec_[A-Za-z0-9+/=]+/g, '<webhook secret>'],
  [/crd_[A-Za-z0-9_-]{20,}/g, '<token>'],
  [/credence-[a-z0-9]{10}\b/g, '<bio code>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<request id>'],
  [/\berased-(\d+)-[0-9a-f]{16}\b/g, 'erased-$1-<random>'],
  [/\b[0-9a-f]{48}\b/g, '<connection request>'],
  [/msg_[0-9A-Za-z_-]+/g, '<message id>'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>'],
  [/localhost:\d+/g, 'localhost:<port>'],
  [/"1\d{9}"/g, '"<unix time>"'],
  [/"tlsTimestamp":\d+/g, '"tlsTimestamp":0'],
  [/"durationMs":\d+/g, '"durationMs":0'],
  // Pages that come while one is stored are stored together: the order of ids within a sweep depends on the storage's pace.
  [/"id":\d+,"platformCommentId"/g, '"id":0,"platformCommentId"'],
  [/The (?:SQLite|PostgreSQL|MongoDB) storage/g, 'The storage'],
];

export function normaliseText(text: string): string {
  return REPLACEMENTS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

/** Header fields of the connection and of the moment; everything else has to be the same everywhere. */
const HOST_FIELDS = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
]);

/** What is left of a window of some seconds says when it began. */
function windowless(limits: string): string {
  return limits.replaceAll(/t=\d+/g, 't=<seconds>').replace(/("webhooks-on-demand";r=)\d+/, '$1<left>');
}

export function normaliseHeaders(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (HOST_FIELDS.has(name)) continue;
    if (name === 'retry-after') result[name] = '<seconds>';
    else if (name === 'ratelimit') result[name] = windowless(value);
    else result[name] = normaliseText(value);
  }
  return result;
}
