import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, keccak256, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { createFakeProver } from '../../../adapters/fake-prover/index.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Notary } from '../../../core/ports/notary.ts';
import type { QueryEvaluator, QueryResult } from '../../../core/ports/query-evaluator.ts';
import type { ProofStatement, ZkProver } from '../../../core/ports/zk-prover.ts';
import { notaryKeyOf } from '../../../core/web-proof/attested-values/notary-key.ts';
import { BY_NOTARY, programId } from '../../../core/web-proof/attested-values/program.ts';
import { createValuesSigner } from '../../../core/web-proof/attested-values/values-signature.ts';
import { extractValues, MAX_VALUES_LENGTH } from '../../../core/web-proof/extraction/extract-values.ts';
import {
  compressRequestSchema,
  createCompress,
  createJournalDecodeHelper,
} from '../../../core/web-proof/journal/compress.ts';
import { fakeSeal } from '../../../core/web-proof/journal/fake-seal.ts';
import type { VerifiedWebProof, WebProof } from '../../../core/web-proof/verify.ts';
import { buildValuesExtension } from '../../support/values-extension.ts';
import { type ExchangeOptions, verifiedProof } from '../../support/verified-proof.ts';

const presentation: WebProof = { data: 'aa', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } };
const extraction = (...jmespath: string[]) => ({ 'response.body': { jmespath } });
const EXCHANGE: ExchangeOptions = {
  method: 'POST',
  host: 'a.test',
  target: '/x',
  body: '{"a":7,"b":{"c":"d"}}',
  time: 1_763_600_000,
};
const GUEST_ID = `0x${'12'.repeat(32)}` as const;
/** Of the notary that signs the proofs of `verifiedProof`. */
const signer = createValuesSigner(new Uint8Array(32).fill(7));
const seed = new Uint8Array(32).fill(1);
const delegateSecret = new Uint8Array(32).fill(8);
const delegate = {
  publicKey: secp256k1.getPublicKey(delegateSecret, true),
  signer: createValuesSigner(delegateSecret),
};

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
  it('proves what the verified exchange says, and nothing that the caller says', async () => {
    const { compress, help, asked, proof } = await setUp();
    const request = { presentation, extraction: extraction('b.c', 'a') };
    const { signal } = new AbortController();
    const { zkProof, journalDataAbi, ...rest } = await compress(request, signal);
    expect(zkProof).toBe('0xcafe');
    expect(rest).toEqual({ guestId: GUEST_ID, details: { verificationGas: expect.any(Number), warnings: [] } });
    expect(asked.verified).toEqual([presentation]);
    expect(asked.evaluated).toEqual([]);
    const [{ statement, signal: given } = {}] = asked.proven;
    expect(given).toBe(signal);
    expect(statement).toMatchObject({
      presentation,
      facts: { method: 'POST', url: 'https://a.test/x', tlsTimestamp: 1_763_600_000 },
      attester: BY_NOTARY,
      attesterKey: notaryKeyOf(proof),
      queries: ['b.c', 'a'],
      values: [
        { kind: 'string', text: 'd' },
        { kind: 'uint256', text: '7' },
      ],
    });
    expect(journalDataAbi).toBe(`0x${Buffer.from(statement?.journal ?? []).toString('hex')}`);
    const helper = await help(request);
    expect(helper.journalDataAbi).toBe(journalDataAbi);
    expect(helper.journalTypes).toEqual(['bytes32', 'string', 'string', 'uint256', 'bytes32', 'string', 'uint256']);
    expect(helper.journalValues.slice(0, 4)).toEqual([
      `0x${'f'.repeat(64)}`,
      '"POST"',
      '"https://a.test/x"',
      '1763600000',
    ]);
    expect(helper.journalValues.slice(5)).toEqual(['"d"', '7']);
    expect(helper.solidityCodeSnippet).toContain('uint256 extractedValue1\n) = abi.decode(');
    expect(asked.proven).toHaveLength(1);
  });

  it('needs no queries, and then no JSON', async () => {
    const { compress, help } = await setUp({ exchange: { ...EXCHANGE, body: '<html>' } });
    expect((await compress({ presentation })).zkProof).toBe('0xcafe');
    expect((await help({ presentation })).journalTypes).toHaveLength(5);
  });

  it.each(['INVALID_PRESENTATION', 'INTERNAL_SERVER_ERROR'] as const)(
    'calls a proof that is none a failed proof: %s',
    async (code) => {
      const cause = new DomainError(code, 'The signature does not hold.');
      const { compress, help, asked } = await setUp({ verified: cause });
      for (const attempt of [compress({ presentation }), help({ presentation })]) {
        await expect(attempt).rejects.toMatchObject({
          code: 'PROOF_GENERATION_FAILED',
          message: 'The signature does not hold.',
          cause,
        });
      }
      expect(asked.proven).toEqual([]);
    },
  );

  it('leaves other refusals and defects as they are', async () => {
    for (const verified of [new DomainError('INVALID_REQUEST', 'version must be …'), new TypeError('a defect')]) {
      const { compress } = await setUp({ verified });
      await expect(compress({ presentation })).rejects.toBe(verified);
    }
  });

  it('passes on that the notary is busy, for the caller that it is asked for', async () => {
    const busy = new DomainError('SERVICE_UNAVAILABLE', 'The notary is busy.', { retryAfterSeconds: 3 });
    const callers: unknown[] = [];
    const notary: Notary = {
      url: 'https://notary.test',
      fingerprint: 'f'.repeat(64),
      notarize: () => Promise.reject(new Error('not asked for')),
      attestQueries: async (_webProof, _queries, _signal, caller) => {
        callers.push(caller);
        throw busy;
      },
      close: async () => {},
    };
    const results = { 'length(@)': { ok: true as const, json: '2' } };
    const { compress } = await setUp({ notaries: [notary], results, attested: true });
    const request = { presentation, extraction: extraction('length(@)') };
    await expect(compress(request, undefined, undefined, 'token:7')).rejects.toBe(busy);
    expect(callers).toEqual(['token:7']);
  });

  it('asks the notary that signed the proof, and no other, to attest what it evaluated', async () => {
    const asked: unknown[] = [];
    const notary = (fingerprint: string): Notary => ({
      url: 'https://notary.test',
      fingerprint,
      notarize: () => Promise.reject(new Error('not asked for')),
      attestQueries: async (webProof, queries, signal) => {
        asked.push({ fingerprint, webProof, queries, signal });
        throw new DomainError('INTERNAL_SERVER_ERROR', 'The notary is away.');
      },
      close: async () => {},
    });
    const notaries = [notary('e'.repeat(64)), notary('f'.repeat(64))];
    const results = { 'length(@)': { ok: true as const, json: '2' } };
    const { compress } = await setUp({ notaries, results, attested: true });
    const { signal } = new AbortController();
    for (const given of [signal, undefined]) {
      await expect(
        compress({ presentation, extraction: extraction('length(@)') }, ...(given ? [given] : [])),
      ).rejects.toMatchObject({ code: 'PROOF_GENERATION_FAILED', message: 'The notary is away.' });
    }
    const call = { fingerprint: 'f'.repeat(64), webProof: presentation, queries: ['length(@)'] };
    expect(asked).toEqual([
      { ...call, signal },
      { ...call, signal: undefined },
    ]);
  });

  it('refuses a proof whose server is not confirmed, and so does the decode helper', async () => {
    const { compress, help, asked } = await setUp({ exchange: { ...EXCHANGE, hide: 'a.test' } });
    const refusal = {
      code: 'PROOF_NOT_SEALABLE',
      message: expect.stringContaining(
        "the notary did not sign the server's name, and the request does not show it for certain",
      ),
    };
    await expect(compress({ presentation })).rejects.toMatchObject(refusal);
    await expect(help({ presentation })).rejects.toMatchObject(refusal);
    expect(asked.proven).toEqual([]);
  });

  it('takes a presentation and an extraction, nothing else', () => {
    const accepts = (body: unknown) => compressRequestSchema.safeParse(body).success;
    expect(accepts({ presentation })).toBe(true);
    expect(accepts({ presentation, extraction: extraction('a') })).toBe(true);
    expect(accepts({ extraction: extraction('a') })).toBe(false);
    expect(accepts({ presentation, acceptRequestBody: true })).toBe(true);
    expect(accepts({ presentation, acceptRequestBody: 'true' })).toBe(false);
    expect(accepts({ presentation, queries: ['a'] })).toBe(false);
    expect(accepts({ presentation, extraction: extraction() })).toBe(false);
  });
});

describe('a request with a body', () => {
  const exchange = { ...EXCHANGE, headers: ['content-length: 3'], requestBody: 'a=1' };
  const body = keccak256(toHex('a=1'));

  it('is sealed only if the caller says that it knows, for a guest id that names the body', async () => {
    const { compress, fake, help, asked } = await setUp({ exchange, attested: true });
    for (const use of [compress, fake, help]) {
      await expect(use({ presentation, extraction: extraction('a') })).rejects.toMatchObject({
        code: 'PROOF_NOT_SEALABLE',
        message: expect.stringContaining('Set acceptRequestBody to true'),
      });
    }
    expect(asked.proven).toEqual([]);
    const request = { presentation, extraction: extraction('a'), acceptRequestBody: true };
    const { guestId, requestBodyHash } = await compress(request);
    expect(requestBodyHash).toBe(body);
    expect(guestId).toBe(programId(GUEST_ID, BY_NOTARY, Uint8Array.from(Buffer.from(body.slice(2), 'hex'))));
    expect(bytesToHex(asked.proven[0]?.statement.facts.requestBody ?? new Uint8Array())).toBe(body);
    const mocked = await fake(request);
    expect(mocked.guestId).toBe(guestId);
    expect(mocked.zkProof).toBe(
      bytesToHex(
        fakeSeal(Buffer.from(guestId.slice(2), 'hex'), asked.proven[0]?.statement.journal ?? new Uint8Array()),
      ),
    );
    expect((await help(request)).journalDataAbi).toBe(mocked.journalDataAbi);
  });

  it('is not sealed if a part of its body is hidden', async () => {
    const { compress } = await setUp({ exchange: { ...exchange, hide: 'a=1' }, signed: false });
    await expect(compress({ presentation, acceptRequestBody: true })).rejects.toMatchObject({
      code: 'PROOF_NOT_SEALABLE',
      message: 'A part of the body of the request is hidden, so its hash cannot be known.',
    });
  });
});

describe('compress, fake mode and decode helper refuse alike', () => {
  const STATUS = 'values are sealed of responses with status 2xx other than 206.';
  it.each<[string, Script, string]>([
    ['a slice', { exchange: { ...EXCHANGE, status: 206 } }, `The status of the response is 206: ${STATUS}`],
    ['an error page', { exchange: { ...EXCHANGE, status: 404 } }, `The status of the response is 404: ${STATUS}`],
    ['a redirection', { exchange: { ...EXCHANGE, status: 301 } }, `The status of the response is 301: ${STATUS}`],
    [
      'a request for a slice that got everything',
      { exchange: { ...EXCHANGE, headers: ['Range: bytes=0-'] } },
      'The request has the header range, which asks for a part of the resource.',
    ],
    [
      'another method than the one in the request line',
      { exchange: { ...EXCHANGE, headers: ['X-HTTP-Method-Override: DELETE'] } },
      'The request has the header x-http-method-override, which asks for another method.',
    ],
    [
      'another URL than the one in the request line',
      { exchange: { ...EXCHANGE, headers: ['X_Rewrite_URL: /y'] } },
      'The request has the header x_rewrite_url, which asks for another URL.',
    ],
    [
      'trailers of the request',
      {
        exchange: {
          ...EXCHANGE,
          headers: ['Transfer-Encoding: chunked'],
          requestBody: '0\r\nX-Original-URL: /y\r\n\r\n',
        },
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

describe('a proof of another notary that is trusted', () => {
  it('is attested by this service, under a guest id of its own', async () => {
    const { compress, fake, help, asked } = await setUp({ signed: false, attested: true });
    const request = { presentation, extraction: extraction('b.c') };
    const { guestId, journalDataAbi } = await compress(request);
    const attester = { kind: 'delegate', notary: new Uint8Array(32).fill(0xff), partlyHidden: false } as const;
    expect(guestId).toBe(programId(GUEST_ID, attester));
    expect(guestId).not.toBe(GUEST_ID);
    expect(asked.proven[0]?.statement).toMatchObject({ attester, attesterKey: delegate.publicKey });
    expect((await fake(request)).guestId).toBe(guestId);
    const { journalValues, journalDataAbi: helped } = await help(request);
    expect(helped).toBe(journalDataAbi);
    // In the name of the notary that signed the proof.
    expect(journalValues[0]).toBe(`0x${'f'.repeat(64)}`);
  });

  it('has another guest id if parts of it are hidden', async () => {
    const { compress } = await setUp({ signed: false, exchange: { ...EXCHANGE, hide: '"d"' } });
    const attester = { kind: 'delegate', notary: new Uint8Array(32).fill(0xff), partlyHidden: true } as const;
    expect((await compress({ presentation, extraction: extraction('a') })).guestId).toBe(programId(GUEST_ID, attester));
  });
});

describe('a URL with hidden bytes', () => {
  it('never looks like a URL: each hidden byte is a character that no URL has', async () => {
    const exchange = { ...EXCHANGE, target: '/x?id=XX&t=12' };
    const urlOf = async (script: Script) => {
      const { compress, help, fake } = await setUp(script);
      const { journalValues, journalDataAbi } = await help({ presentation });
      expect((await compress({ presentation })).journalDataAbi).toBe(journalDataAbi);
      expect((await fake({ presentation })).journalDataAbi).toBe(journalDataAbi);
      return journalValues[2];
    };
    expect(await urlOf({ exchange })).toBe('"https://a.test/x?id=XX&t=12"');
    expect(await urlOf({ exchange: { ...exchange, hide: 'XX' } })).toBe('"https://a.test/x?id=\ufffd\ufffd&t=12"');
  });
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

  it('keep their digits in a body with more values than are signed, and are then not among the signed ones', async () => {
    const body = `[100.0${',1'.repeat(728)}]`;
    expect(await valuesOf({ exchange: { ...EXCHANGE, body } }, '[0]')).toEqual({
      values: [{ kind: 'json', text: '100.0' }],
      evaluated: [],
    });
    const content = { bytes: new TextEncoder().encode(body), hidden: [] };
    const evaluator: QueryEvaluator = { evaluate: async () => [], close: async () => {} };
    expect((await extractValues(evaluator, content, ['[0]'])).evaluated).toEqual(['[0]']);
  });

  it.each<[string, Script, string]>([
    [
      'a query that is no JMESPath',
      { results: { 'a b': { ok: false, reason: 'syntax', message: 'unexpected b' } } },
      'INVALID_REQUEST The query "a b" failed: unexpected b.',
    ],
    [
      'a query that fails',
      { results: { 'a b': { ok: false, reason: 'evaluation', message: 'no number' } } },
      'PROOF_GENERATION_FAILED The query "a b" failed: no number.',
    ],
    [
      'a query that takes too long',
      { results: { 'a b': { ok: false, reason: 'limit', message: 'too slow' } } },
      'PROOF_GENERATION_FAILED The query "a b" failed: too slow.',
    ],
    [
      'a query that gives null',
      { results: { 'a b': { ok: true, json: 'null' } } },
      'PROOF_GENERATION_FAILED The query "a b" gives null, or nothing that is there.',
    ],
    ['a query without a result', {}, 'PROOF_GENERATION_FAILED The query "a b" was not evaluated.'],
    [
      'a body that is not JSON',
      { exchange: { ...EXCHANGE, body: '<html>' } },
      'PROOF_GENERATION_FAILED The body of the response cannot be read as JSON: a value is expected, at character 6.',
    ],
  ])('cannot come from %s', async (_title, script, message) => {
    const { compress, asked } = await setUp(script);
    const error = await compress({ presentation, extraction: extraction('a b') }).catch((reason) => reason);
    expect(`${error.code} ${error.message}`).toBe(message);
    expect(asked.proven).toEqual([]);
  });

  it('cannot come from a body that nobody can decode, unless none is asked for', async () => {
    const evaluator: QueryEvaluator = { evaluate: async () => [], close: async () => {} };
    await expect(extractValues(evaluator, null, ['a'])).rejects.toMatchObject({
      code: 'PROOF_GENERATION_FAILED',
      message: 'The body of the response cannot be decoded: its coding is unknown or it is partly hidden.',
    });
    expect(await extractValues(evaluator, null, [])).toEqual({ values: [], evaluated: [] });
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

  it('cannot come from what is hidden', async () => {
    const exchange = { ...EXCHANGE, hide: '"d"' };
    const hidden = { ok: false, reason: 'hidden', message: '' } as const;
    await expect(valuesOf({ exchange, results: { 'b.c': hidden } }, 'b.c')).rejects.toMatchObject({
      code: 'PROOF_GENERATION_FAILED',
      message:
        'The query "b.c" depends on a hidden value. Query what is visible, or make a proof that shows the value.',
    });
    const { asked, help } = await setUp({ exchange, results: { 'b.c': hidden } });
    await expect(help({ presentation, extraction: extraction('b.c') })).rejects.toThrow('hidden');
    expect(asked.evaluated).toEqual([{ document: '{"a":7,"b":{"c":hidden}}', queries: ['b.c'] }]);
  });
});
