import { describe, expect, it } from 'vitest';
import { createFakeProver } from '../../../adapters/fake-prover/index.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Notary } from '../../../core/ports/notary.ts';
import type { QueryEvaluator, QueryResult } from '../../../core/ports/query-evaluator.ts';
import type { ProofStatement, ZkProver } from '../../../core/ports/zk-prover.ts';
import { extractValues, MAX_VALUES_LENGTH } from '../../../core/web-proof/extraction/extract-values.ts';
import { createCompress, createJournalDecodeHelper } from '../../../core/web-proof/journal/compress.ts';
import type { VerifiedWebProof, WebProof } from '../../../core/web-proof/verify.ts';
import { buildValuesExtension, delegate, seed, signer } from '../../support/values-extension.ts';
import { type ExchangeOptions, verifiedProof } from '../../support/verified-proof.ts';

const presentation: WebProof = { data: 'aa', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } };
const extraction = (...jmespath: string[]) => ({ 'response.body': { jmespath } });
const AT = { host: 'a.test', target: '/x' };
const EXCHANGE: ExchangeOptions = { method: 'POST', ...AT, body: '{"a":7,"b":{"c":"d"}}', time: 1_763_600_000 };
const GUEST_ID = `0x${'12'.repeat(32)}` as const;

interface Script {
  readonly exchange?: ExchangeOptions;
  readonly results?: Readonly<Record<string, QueryResult>>;
  readonly verified?: Error;
  readonly notaries?: readonly Notary[];
  /** The notary signed values; so by default. */
  readonly signed?: boolean;
  readonly proof?: Partial<VerifiedWebProof>;
  /** The prover asks for the attestation. */
  readonly attested?: boolean;
}

/** The use cases over ports that answer as scripted, and what those were asked. */
async function setUp(script: Script = {}) {
  const { exchange = EXCHANGE, results = {}, verified, notaries = [], attested = false, signed = true } = script;
  const extensionsOf: ExchangeOptions['extensionsOf'] = (shown) => [buildValuesExtension(signer, seed, shown)];
  const made = await verifiedProof({ ...(signed ? { extensionsOf } : {}), ...exchange });
  const proof = { ...made, ...script.proof };
  const asked = {
    verified: [] as WebProof[],
    evaluated: [] as { document: string; queries: readonly string[] }[],
    proven: [] as { statement: ProofStatement; signal: AbortSignal | undefined }[],
  };
  const evaluator: QueryEvaluator = {
    evaluate: async (document, queries) => {
      if (queries.length > 0) asked.evaluated.push({ document, queries });
      return queries.flatMap((query) => results[query] ?? []);
    },
    close: async () => {},
  };
  const prover: ZkProver = {
    guestId: async () => GUEST_ID,
    prove: async (statement, signal) => {
      asked.proven.push({ statement, signal });
      if (attested) await statement.attestation();
      return Uint8Array.of(0xca, 0xfe);
    },
    close: async () => {},
  };
  const verify = async (webProof: WebProof) => {
    asked.verified.push(webProof);
    if (verified !== undefined) throw verified;
    return proof;
  };
  const dependencies = { verify, evaluator, prover, notaries, delegate };
  return {
    proof,
    asked,
    compress: createCompress(dependencies),
    help: createJournalDecodeHelper(dependencies),
    fake: createCompress({ ...dependencies, prover: createFakeProver({ guestId: GUEST_ID }) }),
  };
}

describe('compress', () => {
  it('leaves other refusals and defects as they are', async () => {
    for (const verified of [new DomainError('INVALID_REQUEST', 'version must be …'), new TypeError('a defect')]) {
      const { compress } = await setUp({ verified });
      await expect(compress({ presentation })).rejects.toBe(verified);
    }
  });
});

describe('compress, fake mode and decode helper refuse alike', () => {
  const STATUS = 'values are sealed of responses with status 2xx other than 206.';
  const of = (exchange: ExchangeOptions): Script => ({ exchange: { ...EXCHANGE, ...exchange } });
  it.each<[string, Script, string]>([
    ['a slice', of({ status: 206 }), `The status of the response is 206: ${STATUS}`],
    [
      'a request of which a part of the body is hidden',
      { signed: false, exchange: { ...EXCHANGE, headers: ['content-length: 3'], requestBody: 'a=1', hide: 'a=1' } },
      'A part of the body of the request is hidden, so its hash cannot be known.',
    ],
    [
      'a request for a slice that got everything',
      of({ headers: ['Range: bytes=0-'] }),
      'The request has the header range, which asks for a part of the resource.',
    ],
    [
      'trailers of the request',
      {
        exchange: { ...EXCHANGE, headers: ['Transfer-Encoding: chunked'], requestBody: '0\r\nX-Other: /y\r\n\r\n' },
      },
      'The request has trailers, which may ask for another URL.',
    ],
    [
      'a URL of which the beginning is hidden',
      { exchange: { ...EXCHANGE, hide: '/x' }, proof: { hostConfirmed: true } },
      'The hidden part of the URL includes its beginning.',
    ],
    [
      'a proof of a notary that is not trusted',
      { signed: false, proof: { notaryTrusted: false } },
      `The web proof has no signed values, and its notary ${'f'.repeat(64)} is not a trusted one. Add it to the trusted notaries (TRUSTED_NOTARIES_FILE) to have its proofs attested by this service.`,
    ],
    [
      'a proof of another notary that hides its host',
      { signed: false, proof: { hostConfirmed: false } },
      "Cannot compress: the notary did not sign the server's name, and the request does not show it for certain. Make a proof that shows the Host header, all header names and the beginning of the URL.",
    ],
  ])('%s', async (_title, script, message) => {
    const { compress, fake, help, asked } = await setUp(script);
    for (const request of [{ presentation }, { presentation, extraction: extraction('a') }]) {
      for (const use of [compress, fake, help]) {
        await expect(use(request)).rejects.toMatchObject({ code: 'PROOF_NOT_SEALABLE', message });
      }
    }
    expect(asked.proven).toEqual([]);
  });
});

describe('a journal that can be read with an integer and a text exchanged', () => {
  /** Where the text is in a journal with two values: behind seven words, the method and the URL. */
  const offset = 32 * 7 + 64 + 64;
  const exchange = { ...EXCHANGE, body: `{"n":${offset},"other":${offset + 32},"text":"a"}` };

  it.each([[['n', 'text']], [['text', 'n']]])('is not made: %s', async (queries) => {
    const { compress, fake, help, asked } = await setUp({ exchange });
    for (const use of [compress, fake, help]) {
      await expect(use({ presentation, extraction: extraction(...queries) })).rejects.toMatchObject({
        code: 'PROOF_NOT_SEALABLE',
        message: `The query "n" gives ${offset}, which is also the offset of a text in the journal. Such a journal may have two readings, and the decode snippet refuses it. Query integers and texts in separate requests.`,
      });
    }
    expect(asked.proven).toEqual([]);
  });

  it.each([[['n']], [['n', 'n']], [['other', 'text']], [['n', 'text', 'text']]])(
    'is another one with %s',
    async (queries) => {
      const { compress } = await setUp({ exchange });
      expect((await compress({ presentation, extraction: extraction(...queries) })).zkProof).toBe('0xcafe');
    },
  );
});

describe('values', () => {
  const valuesOf = async (script: Script, ...queries: string[]) => {
    const { compress, asked } = await setUp(script);
    await compress({ presentation, extraction: extraction(...queries) });
    return { values: asked.proven[0]?.statement.values, evaluated: asked.evaluated };
  };

  it('are read by their path where a query is one, and evaluated otherwise, each in its place', async () => {
    const results: Script['results'] = {
      'length(@)': { ok: true, json: '2' },
      b: { ok: true, json: '{"c":"d"}' },
    };
    expect(await valuesOf({ results }, 'length(@)', 'a', 'b', 'b.c', 'a')).toEqual({
      values: [
        { kind: 'uint256', text: '2' },
        { kind: 'uint256', text: '7' },
        { kind: 'json', text: '{"c":"d"}' },
        { kind: 'string', text: 'd' },
        { kind: 'uint256', text: '7' },
      ],
      evaluated: [{ document: '{"a":7,"b":{"c":"d"}}', queries: ['length(@)', 'b'] }],
    });
  });

  it('are refused if they are too long together, counted in UTF-8 and as often as they are queried', async () => {
    const evaluator: QueryEvaluator = { evaluate: async () => [], close: async () => {} };
    const refusal = {
      code: 'PROOF_GENERATION_FAILED',
      message: `The values have more than ${MAX_VALUES_LENGTH} bytes together. Query smaller values, or use several requests.`,
    };
    const valuesIn = async (text: string, queries: readonly string[]) => {
      const content = { bytes: new TextEncoder().encode(JSON.stringify({ a: text })), hidden: [] };
      return (await extractValues(evaluator, content, queries)).values.length;
    };
    const eighth = MAX_VALUES_LENGTH / 8;
    const eightTimes = new Array<string>(8).fill('a');
    expect(await valuesIn('x'.repeat(MAX_VALUES_LENGTH), ['a'])).toBe(1);
    await expect(valuesIn('x'.repeat(MAX_VALUES_LENGTH + 1), ['a'])).rejects.toMatchObject(refusal);
    expect(await valuesIn('é'.repeat(eighth / 2), eightTimes)).toBe(8);
    await expect(valuesIn('é'.repeat(eighth / 2 + 1), eightTimes)).rejects.toMatchObject(refusal);
  });
});
