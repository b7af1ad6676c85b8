/** How a remote notary is reached. */
import { z } from 'zod';

/** Checks `HttpNotaryOptions` and fills in the defaults. */
export const httpNotaryOptions = z.object({
  /** Its address. */
  url: z
    .url({ protocol: /^https?$/, error: 'must be an https URL', abort: true })
    .refine(isPrivate, 'must be https: the notary is told the credentials of requests')
    // Every proof shows it, and paths are appended to it.
    .refine(isBare, 'must have no credentials, query or fragment')
    .meta({
      description:
        'Its `NOTARY_URL`, with the version at the end (`https://notary.example/v0.1.0-alpha.12`) or without.',
    }),
  /** The token that it gave you. */
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 printable ASCII characters without spaces')
    .meta({ description: 'The token that it gave you; sent as a bearer token.' }),
  /** Of its key. */
  fingerprint: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
    .toLowerCase()
    .meta({
      description: "SHA-256 of the notary's compressed key, 64 hex digits: proofs of any other key are refused.",
    }),
  /** PEM roots that the notary's own server may chain to, instead of Node's. */
  ca: z.array(z.string()).optional(),
  /** Longer than a notary takes, so that its own message arrives. @default 45_000 */
  timeoutMs: z.int().min(1).max(600_000).default(45_000),
  /**
   * Calls at one time, over all callers; one caller gets at most half of them. No more than the notary gives to one token, or
   * calls of different callers would wait there without turns.
   * @default 32
   */
  concurrency: z.int().min(1).max(1_000).default(32),
  /** Calls that may wait for their turn, a quarter of them of one caller. @default 256 */
  maxQueued: z.int().min(0).max(10_000).default(256),
  /** A call that waits longer for its turn is refused. @default 10_000 */
  maxWaitMs: z.int().min(1).max(300_000).default(10_000),
});

/** Plain HTTP is for tests and sidecars: it must not leave the machine. */
function isPrivate(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/.test(hostname);
}

function isBare(text: string): boolean {
  const { username, password } = new URL(text);
  return username === '' && password === '' && !/[?#]/.test(text);
}
