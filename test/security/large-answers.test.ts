/** Proofs of some kilobytes whose bodies unpack to megabytes, each byte of which JSON writes as six: what verifying them takes. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { brotliCompressSync, constants } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAX_DECODED_BODY } from '../../core/web-proof/http/decode-content.ts';
import { MAX_BATCH } from '../../core/web-proof/verify-batch.ts';
import type { HostKind } from '../support/hosts.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { wholeProof } from '../support/proof-builder.ts';
import { issueLeaf, issueRoot } from '../support/test-ca.ts';
import { highestMemory } from './support.ts';

const MIB = 1024 * 1024;
const VERIFY = '/api/v2.0/verify';
const VERIFY_BATCH = '/api/v2.0/verify-batch';
/** Beyond what was held before, garbage included. A batch of all results at full length would be 700 MiB of text. */
const BATCH_ALLOWANCE = 192 * MIB;
const PARALLEL = 8;
/** All answers would be 192 MiB of text, and that once more on the way to their sockets. */
const PARALLEL_ALLOWANCE = 300 * MIB;

const root = issueRoot();
const leaf = issueLeaf(root, ['a.test']);

/** A web proof of a request and a response with this body, packed. */
async function proofOf(body: Uint8Array) {
  // As short as by the default quality, in a fraction of the time.
  const packed = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const head = `host: a.test\r\ncontent-encoding: br\r\ncontent-length: ${packed.length}\r\n\r\n`;
  const sent = Uint8Array.from(Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${head}`), packed]));
  const received = Uint8Array.from(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}`), packed]));
  return wholeProof({ serverName: 'a.test', leaf, sent, received, seed: 1 });
}

let instance: TestInstance;

const bomb = await proofOf(Buffer.alloc(MAX_DECODED_BODY, 1));
const small = await proofOf(Buffer.from('{"ok":true}'));

async function start(host: HostKind) {
  instance = await startInstance({ host, config: { services: ['web-prover'], extraRoots: [root.pem] } });
}

describe('on fastify', () => {
  beforeAll(() => start('fastify'));
  afterAll(() => instance.close());

  it('a batch of as many as are allowed has a result for each, in bounded memory', async () => {
    const proofs = Array.from({ length: MAX_BATCH }, (_, index) => (index % 4 === 3 ? bomb : small));
    const body = { proofs };
    expect(JSON.stringify(body).length).toBeLessThan(MIB / 4);
    let text = '';
    const highest = await highestMemory(async () => {
      const answer = await instance.api.call('POST', VERIFY_BATCH, { body });
      expect(answer.status).toBe(200);
      text = answer.text;
    });
    const { results } = JSON.parse(text).data as { results: { index: number; success: boolean; error?: unknown }[] };
    expect(results.map(({ index }) => index)).toEqual(proofs.map((_, index) => index));
    for (const [index, { success, error }] of results.entries()) {
      const expected = proofs[index] === small ? [true, undefined] : [false, { code: 'PAYLOAD_TOO_LARGE' }];
      expect([success, error]).toMatchObject(expected);
    }
    expect(highest).toBeLessThan(BATCH_ALLOWANCE);
  });

  it('a batch keeps as many as there is room for', async () => {
    const large = await proofOf(Buffer.alloc(MIB / 4, 1));
    const answer = await instance.api.call('POST', VERIFY_BATCH, { body: { proofs: Array(10).fill(large) } });
    const { results } = JSON.parse(answer.text).data as { results: { success: boolean }[] };
    // Two bodies of six bytes for each of theirs: three MiB.
    expect(results.filter(({ success }) => success)).toHaveLength(5);
    expect(answer.text.length).toBeLessThan(16 * MIB + 10_000);
  });

  it('single proofs one after the other are all shown whole', async () => {
    // Together they are over the budget of one caller.
    for (let round = 0; round < 3; round += 1) {
      const answer = await instance.api.call('POST', VERIFY, { body: bomb });
      expect(answer.status).toBe(200);
      // The first shows that the text, six bytes for each of its own, is the whole body.
      if (round === 0) expect(answer.json.data?.response?.body).toHaveLength(MAX_DECODED_BODY);
      expect(answer.text.length).toBeGreaterThan(6 * MAX_DECODED_BODY);
    }
  });
});

describe('single proofs on express', () => {
  beforeAll(() => start('express'));
  afterAll(() => instance.close());

  const post = (body: unknown): ClientRequest => {
    const headers = { authorization: `Bearer ${instance.adminToken}`, 'content-type': 'application/json' };
    const sent = request(instance.baseUrl + VERIFY, { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    sent.end(JSON.stringify(body));
    return sent;
  };
  /** The answer, of which nothing is read yet. */
  const answerOf = (sent: ClientRequest) =>
    new Promise<IncomingMessage>((resolve) => {
      sent.once('response', (response) => resolve(response.on('error', () => undefined)));
    });

  const waiting: IncomingMessage[] = [];
  afterEach(() => {
    for (const answer of waiting.splice(0)) answer.destroy();
  });

  it('at once, of which nobody reads the answers, are refused beyond the budget until those clients are gone', async () => {
    const highest = await highestMemory(async () => {
      waiting.push(...(await Promise.all(Array.from({ length: PARALLEL }, () => answerOf(post(bomb))))));
    });
    const statuses = waiting.map(({ statusCode }) => statusCode);
    const shown = statuses.filter((status) => status === 200).length;
    // 64 MiB of one caller: two answers of 24 MiB, however many are asked for at a time.
    expect(shown).toBe(2);
    expect(statuses.filter((status) => status === 503)).toHaveLength(PARALLEL - 2);
    expect(waiting.find(({ statusCode }) => statusCode === 503)?.headers['retry-after']).toBe('1');
    expect(highest).toBeLessThan(PARALLEL_ALLOWANCE);
    expect((await instance.api.call('POST', VERIFY, { body: bomb })).status).toBe(503);
    expect((await instance.api.call('POST', VERIFY, { body: small })).status).toBe(200);

    for (const answer of waiting) answer.destroy();
    await expect
      .poll(async () => (await instance.api.call('POST', VERIFY, { body: bomb })).status, { timeout: 5_000 })
      .toBe(200);
  });
});
