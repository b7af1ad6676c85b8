import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { TlsExchange } from '../../core/ports/tls-exchange.ts';
import { parseResponse } from '../../core/web-proof/http/parse-response.ts';
import { createNotarize, type RevealedExchange } from '../../core/web-proof/notarize/notarize.ts';
import { notarizeRequestSchema } from '../../core/web-proof/prove-request.ts';
import { createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import { decodePresentation } from '../../core/web-proof/tlsnotary/decode.ts';
import { layOut } from '../../core/web-proof/tlsnotary/visible-bytes.ts';
import { runs } from '../support/property-runs.ts';
import { words } from '../support/words.ts';

/** A secret that stands nowhere by chance: unguessable, and different for every number. */
const secret = (n: number) => `s3c-${Buffer.from(sha256(Buffer.from(`secret ${n}`))).toString('hex', 0, 8)}`;
const secretNumber = (n: number) =>
  100_000_000_000_000 + (Buffer.from(sha256(Buffer.from(`number ${n}`))).readUInt32BE(0) * 7 + n);

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

interface Leaf {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Names that have bitten parsers: dots, escapes, quotes, digits, prototype members, not ASCII. */
const name = fc.constantFrom(...words('a b user a.b 0 * x[0] q"t back\\slash żółć __proto__ constructor \u0001'), '');

/** Documents whose every scalar is a secret of its own. */
const document = fc
  .letrec<{ node: Json; tree: Json }>((tie) => ({
    tree: fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.constantFrom<Json>('string', 'number'), tie('node')),
    node: fc.oneof(
      fc.array(tie('tree'), { maxLength: 4 }),
      fc
        .uniqueArray(fc.tuple(name, tie('tree')), { maxLength: 5, selector: ([key]) => key })
        .map((entries) => Object.fromEntries(entries.map(([key, value]) => [key, value])) as Json),
    ),
  }))
  .node.map((shape) => {
    const leaves: Leaf[] = [];
    const fill = (value: Json, path: readonly (string | number)[]): Json => {
      if (Array.isArray(value)) return value.map((item, i) => fill(item, [...path, i]));
      if (typeof value === 'object' && value !== null) {
        const filled = Object.entries(value).map(([key, item]) => [key, fill(item, [...path, key])]);
        return Object.fromEntries(filled);
      }
      const filled = value === 'number' ? secretNumber(leaves.length) : secret(leaves.length);
      leaves.push({ path, text: String(filled) });
      return filled;
    };
    return { json: JSON.stringify(fill(shape, [])), leaves };
  })
  .filter(({ leaves }) => leaves.length > 0);

/** A path spelled so that it can only mean this one place. */
function spell(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : step.replaceAll(/[\\.[*]/g, '\\$&')))
    .join('.')
    .replaceAll('.[', '[');
}

/** Empty names and the paths through them cannot be spelled. */
const spellable = ({ path }: Leaf) => path.length > 0 && path.every((step) => step !== '');

/** A denylist takes `a.b` for the member "a.b" as well, and for what is below it: both are hidden then, on purpose. */
function isAmbiguous(named: Leaf, leaves: readonly Leaf[]): boolean {
  const names = ({ path }: Leaf) => path.filter((step) => typeof step === 'string');
  const dotted = (leaf: Leaf) => `${names(leaf).join('.')}.`;
  return leaves.some(
    (leaf) =>
      leaf !== named && names(leaf).some((name) => name.includes('.')) && dotted(leaf).startsWith(dotted(named)),
  );
}

function frame(body: string, cuts: readonly number[]): { head: string; bytes: Buffer } {
  const bytes = Buffer.from(body);
  if (cuts.length === 0) return { head: `Content-Length: ${bytes.length}`, bytes };
  const edges = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b);
  const chunks = edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
  const end = Buffer.from('\r\n');
  const framed = chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, end]);
  return { head: 'Transfer-Encoding: chunked', bytes: Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]) };
}

interface Outcome {
  readonly presentation: Buffer;
  readonly shown: RevealedExchange;
}

/** Notarizes a recorded exchange: everything but the network is the real thing. */
async function notarize(received: Buffer, body: Record<string, unknown>): Promise<Outcome> {
  const seen: RevealedExchange[] = [];
  const tls: TlsExchange = {
    exchange: async () => ({
      time: 1_800_000_000,
      received,
      handshake: {
        certificates: [new Uint8Array(8)],
        scheme: 3,
        signature: new Uint8Array(70),
        clientRandom: new Uint8Array(32),
        serverRandom: new Uint8Array(32),
        serverEphemeralKey: new Uint8Array(65).fill(4),
      },
    }),
  };
  const make = createNotarize({
    tls,
    signer: createSecp256k1Signer(new Uint8Array(32).fill(1)),
    decoder: createZlibContentDecoder(),
    random: systemRandom,
    attestationExtensions: (revealed) => {
      seen.push(revealed);
      return [];
    },
  });
  const request = notarizeRequestSchema.parse(body);
  const notarized = await make(request, new AbortController().signal);
  const presentation = Buffer.from(notarized.presentation);
  const [shown] = seen;
  if (shown === undefined) throw new Error('nothing was shown');
  return { presentation, shown };
}

const bodyText = ({ shown }: Outcome) => Buffer.from(shown.responseBody?.bytes ?? []).toString();

function maskedJson(json: string, hidden: readonly Leaf[]): string {
  return hidden.reduce((text, leaf) => text.replace(leaf.text, 'X'.repeat(leaf.text.length)), json);
}

describe('hidden bytes are not in the proof', () => {
  it('JSON values, however they are nested and framed', async () => {
    await fc.assert(
      fc.asyncProperty(
        document,
        fc.array(fc.nat(), { maxLength: 3 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.boolean(),
        async ({ json, leaves }, picks, cuts, allowlist) => {
          const nameable = leaves.filter(spellable);
          const named = nameable.length === 0 ? [] : picks.map((pick) => nameable[pick % nameable.length] as Leaf);
          fc.pre(allowlist || !named.some((leaf) => isAmbiguous(leaf, leaves)));
          const isNamed = (leaf: Leaf) => named.some(({ text }) => text === leaf.text);
          const hidden = leaves.filter((leaf) => isNamed(leaf) !== allowlist);
          const { head, bytes } = frame(json, cuts);
          const received = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), bytes]);
          const paths = named.map(({ path }) => spell(path));
          const response = allowlist ? { json_body_except: paths } : { json_body: paths };
          const outcome = await notarize(received, { url: 'https://a.test/', redaction: [{ response }] });

          for (const { text } of hidden) expect(outcome.presentation.includes(text)).toBe(false);
          expect(bodyText(outcome)).toBe(maskedJson(json, hidden));
          // The bytes that travel say the same as what was signed for.
          const { transcript } = decodePresentation(outcome.presentation);
          const side = transcript?.received;
          if (side === undefined) throw new Error('no transcript');
          const decoded = parseResponse(layOut(side.bytes, side.ranges, side.total), 'GET');
          expect(Buffer.from(decoded.body.bytes).toString()).toBe(maskedJson(json, hidden));
          // Cut by framing, pieces of hidden values must be gone as well.
          const visible = Buffer.from(side.bytes).toString('latin1');
          for (const { text } of hidden) expect(visible).not.toContain(text.slice(4, 10));
        },
      ),
      runs(30),
    );
  });

  it('headers and query parameters, by any list', async () => {
    const fields = fc.uniqueArray(fc.constantFrom('alpha', 'Beta', 'x-gamma', 'delta', 'accept', 'cookie'), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fields, fields, fc.boolean(), fields, async (present, named, allowlist, duplicated) => {
        const all = [...present, ...duplicated.filter((field) => present.includes(field))];
        const lists = allowlist
          ? { request: { headers_except: named, url_query_except: named }, response: { headers_except: named } }
          : { request: { headers: named, url_query: named }, response: { headers: named } };
        const header = (offset: number) =>
          all.map((field, i) => `${i % 2 ? field.toUpperCase() : field}: ${secret(offset + i)}`);
        const query = all.map((field, i) => `${field}=${secret(200 + i)}`).join('&');
        const received = Buffer.from(['HTTP/1.1 200 OK', ...header(100), 'Content-Length: 0', '', ''].join('\r\n'));
        const request = { url: `https://a.test/?${query}`, headers: header(0), redaction: [lists] };
        const { presentation } = await notarize(received, request);
        const lower = new Set(named.map((field) => field.toLowerCase()));
        all.forEach((field, i) => {
          const hidden = lower.has(field.toLowerCase()) !== allowlist;
          expect(presentation.includes(secret(i))).toBe(!hidden);
          expect(presentation.includes(secret(100 + i))).toBe(!hidden);
          // Names of parameters are compared as they are.
          expect(presentation.includes(secret(200 + i))).toBe(named.includes(field) === allowlist);
        });
      }),
      runs(30),
    );
  });

  it('a value that stays visible elsewhere is never proven', async () => {
    const place = fc.constantFrom(
      (text: string) => `X-Echo: ${text}`,
      (text: string) => `X-Echo: before${encodeURIComponent(text)}after`,
      (text: string) => `X-Echo: ${Buffer.from(`u:${text}`).toString('base64')}`,
      (text: string) => `X-Echo: ${JSON.stringify(text)}`,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 8, maxLength: 20, unit: 'grapheme-ascii' }),
        place,
        async (text, write) => {
          fc.pre(text.trim() === text);
          const received = Buffer.from(`HTTP/1.1 200 OK\r\n${write(text)}\r\nContent-Length: 0\r\n\r\n`);
          const redaction = [{ request: { headers: ['x-key'] } }];
          const body = { url: 'https://a.test/', headers: [`x-key: ${text}`], redaction };
          await expect(notarize(received, body)).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
        },
      ),
      runs(30),
    );
  });
});
