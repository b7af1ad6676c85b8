/** What the OpenAPI document says before its first operation. */

export const DESCRIPTION = `Credence verifies social engagement (who commented on or liked a post), reads public posts and profiles, and makes, verifies and compresses web proofs.

**Authentication.** \`Authorization: Bearer <token>\`. Tokens have a role: \`admin\` may do everything; \`client\` reads campaigns and uses the lookups; \`creator\` is bound to one \`externalId\` and sees campaigns with its own attempt, and its own accounts; \`brand\` is bound to one \`brandId\` and sees and runs what belongs to this brand. On the web-proof routes every token is good.

**Failures.** Rely on \`error.code\`; messages may change. Campaign and lookup routes answer \`{ error: { code, message, details?, requestId } }\`, routes under \`/api/v2.0\` \`{ apiVersion, success: false, error: { code, message } }\`, and \`/api/v1\` \`{ success: false, error }\` with a text. Where the host owns its whole path space, an unknown path is a 404 and a known path with another method a 405 with \`Allow\`.

**Conventions.** Times are ISO 8601 in UTC. Lists take \`page\` (from 1) and \`limit\`, and answer with \`pagination\`. Every answer carries \`x-request-id\`; send your own (8 to 64 letters, digits, \`.\`, \`_\`, \`-\`) to have it used. A limit that is exceeded is a 429 with \`Retry-After\`. A token may have a quota; its answers then carry \`RateLimit\` and \`RateLimit-Policy\`, and beyond the quota it gets 429 \`QUOTA_EXCEEDED\`.

**Retries.** Send \`Idempotency-Key\` with a POST request, and repeat it with the same key if no answer comes. The first request runs; later ones get its answer for 24 hours, with \`idempotent-replayed: true\`. Failures with status 429 or from 500 up are not stored: the request runs again. A key belongs to one caller and one path. With another body it is a 422 \`IDEMPOTENCY_KEY_REUSED\`; while the first request runs, a 409 \`IDEMPOTENCY_KEY_IN_USE\` with \`Retry-After\`. If the service stops before it has stored an answer, the key is in use for up to 30 seconds; after that a repeated request runs again.`;

const EVENTS = `What Credence sends to the webhooks of a brand. Check the signature over the raw bytes before you parse them, for example with Node:

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto';

// secret: the whole "whsec_..." text; signature: the header X-Service-Signature
export function isFromCredence(rawBody, signature, secret) {
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  const given = Buffer.from(signature ?? '', 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
\`\`\`

Libraries for Standard Webhooks work too: they read the \`webhook-*\` headers.`;

const TAGS = {
  Creators: 'Creators, their linked handles, and the flow by which they prove that a handle is theirs.',
  Posts: 'Look at a post before there is a campaign.',
  Search: 'From what support is told to what it is about.',
  Series: 'Figures by time, for charts.',
  'Brands and webhooks': 'Brands, the webhooks that hear about the outcome of their campaigns, and what was delivered.',
  Campaigns: 'A campaign belongs to a brand and has one challenge: a public post to comment on or to like.',
  'Challenge data': 'Comments, metrics and likers of a post: stored ones are listed, a refresh reads the platform.',
  Attempts: "One creator's try at one challenge, from opened to rewarded.",
  Lookups: 'Public posts, comments and profiles straight from a URL or handle. Nothing is stored.',
  'Web proofs': 'Notarized HTTPS requests in TLSNotary’s presentation format: make them, hide parts, verify them.',
  'Zero-knowledge proofs': 'Compress a web proof into a seal and a journal that an Ethereum contract checks.',
  Notary: 'The notary as a service of its own, called by other instances.',
  TLSNotary: 'TLSNotary’s own protocol of notaries (0.1.0-alpha.12), for its stock provers.',
  Tokens: 'API tokens and their roles.',
  Events: EVENTS,
  Service: 'Whether the service is well, and what it offers.',
} as const;

/** The tags in the order in which the documentation shows them, of those that are used. */
export function tagsFor(used: ReadonlySet<string>): { name: string; description?: string }[] {
  const known = Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
  // A replaced module can bring rows under a tag of its own.
  const others = [...used].filter((name) => !(name in TAGS)).map((name) => ({ name }));
  return [...known, ...others];
}
