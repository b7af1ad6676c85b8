import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { toHex } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFakeProver } from '../../../adapters/fake-prover/index.ts';
import {
  artifactNames,
  bundledArtifacts,
  CIRCUIT_FILES,
  loadArtifacts,
  within,
} from '../../../adapters/groth16-prover/artifacts.ts';
import { createGroth16Prover, warningAboutKey } from '../../../adapters/groth16-prover/index.ts';
import { ProvingWorker } from '../../../adapters/groth16-prover/proving-worker.ts';
import { verifyingKeySolidity } from '../../../adapters/groth16-prover/verifying-key.ts';
import { createHttpProver } from '../../../adapters/http-prover/index.ts';
import { DomainError } from '../../../core/errors.ts';
import type { ProofStatement } from '../../../core/ports/zk-prover.ts';
import { attestCommitments, openAttestation } from '../../../core/web-proof/attested-values/attestation.ts';
import { queryCommitments } from '../../../core/web-proof/attested-values/extension.ts';
import { BY_NOTARY, programId } from '../../../core/web-proof/attested-values/program.ts';
import { type Listening, listen } from '../../support/listen.ts';
import { notaryKey, signer } from '../../support/values-extension.ts';

const facts = { method: 'GET', url: 'https://a.example/', tlsTimestamp: 1_763_600_000 };
const journal = Uint8Array.of(1, 2, 3);

const workerOptions = {
  timeoutMs: 60_000,
  maxQueued: 4,
  maxWaitMs: 60_000,
};

const statement: ProofStatement = {
  presentation: { data: '00', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } },
  facts,
  attester: BY_NOTARY,
  attesterKey: notaryKey,
  queries: ['a'],
  values: [{ kind: 'string', text: 'x' }],
  journal,
  attestation: async () => {
    const commitments = queryCommitments(statement);
    return openAttestation(attestCommitments(signer, new Uint8Array(32), commitments), notaryKey, commitments);
  },
};

/** Reading and checking all files takes a fifth of a second. */
const artifacts = await loadArtifacts(bundledArtifacts());

describe('the groth16 prover', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('has the artifacts that its manifest and its contract name', async () => {
    const { manifest, verifyingKeys } = artifacts;
    expect(manifest.ceremony).toBe('development');
    const contract = join(bundledArtifacts(), '..', '..', '..', 'contracts', 'VerifyingKey.sol');
    expect(await readFile(contract, 'utf8')).toBe(verifyingKeySolidity(verifyingKeys, { development: true }));
  });

  it('refuses the development key in production, unless allowed by its id', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { manifest } = artifacts;
    const refused = createGroth16Prover().prove(statement);
    for (const word of ['npm run zk:ceremony', 'zk.allowDevelopmentKey', manifest.guestId]) {
      await expect(refused).rejects.toThrow(word);
    }
    const other = createGroth16Prover({ allowDevelopmentKey: `0x${'00'.repeat(32)}` });
    await expect(other.prove(statement)).rejects.toThrow('anyone can forge');
    const allowed = createGroth16Prover({ allowDevelopmentKey: manifest.guestId });
    const attestation = () => Promise.reject(new Error('asked for'));
    await expect(allowed.prove({ ...statement, attestation })).rejects.toThrow('asked for');
    vi.stubEnv('NODE_ENV', 'test');
    await expect(createGroth16Prover({ production: true }).prove(statement)).rejects.toThrow(DomainError);
  });

  it('refuses damaged artifacts', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'zk-'));
    await cp(bundledArtifacts(), directory, { recursive: true });
    const key = join(directory, 'attested-values-1.vkey.json');
    await writeFile(key, (await readFile(key, 'utf8')).replace('"nPublic": 3', '"nPublic": 4'));
    await expect(createGroth16Prover({ artifacts: directory }).guestId()).rejects.toThrow('could not be loaded');
    await expect(loadArtifacts(directory)).rejects.toThrow(
      'attested-values-1.vkey.json does not have the hash of its manifest',
    );
    await expect(loadArtifacts(join(directory, 'none'))).rejects.toThrow();
  });

  it('refuses artifacts of another version, and says what to do', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'zk-'));
    const files = { 'attested-values.zkey.br': 'a'.repeat(64) };
    const guestId = `0x${'1'.repeat(64)}`;
    await writeFile(join(directory, 'manifest.json'), JSON.stringify({ guestId, ceremony: 'production', files }));
    await expect(loadArtifacts(directory)).rejects.toThrow(
      'does not list attested-values-1.zkey.br: the artifacts are those of another version. Run a ceremony for this one.',
    );
    expect(await warningAboutKey({ artifacts: directory })).toContain('those of another version');
  });

  it('refuses what is not in the attestation', async () => {
    const prover = createGroth16Prover();
    const other: ProofStatement = { ...statement, values: [{ kind: 'string', text: 'y' }] };
    await expect(prover.prove(other)).rejects.toMatchObject({
      code: 'PROOF_GENERATION_FAILED',
      message: expect.stringContaining('does not hold a claim'),
    });
    const failing: ProofStatement = { ...statement, attestation: () => Promise.reject(new Error('no attestation')) };
    await expect(prover.prove(failing)).rejects.toThrow('no attestation');
    await prover.close();
  });

  it('ends a proof that takes too long, and starts afresh', async () => {
    const prover = createGroth16Prover({ timeoutMs: 50 });
    await expect(prover.prove(statement)).rejects.toThrow('not done after 0.05 s');
    await expect(prover.prove(statement)).rejects.toThrow('not done after 0.05 s');
    await prover.close();
  });

  it('bounds what waits, lets go of who gave up, and refuses everything once closed', async () => {
    const worker = new ProvingWorker({ ...workerOptions, maxQueued: 8 });
    const circuit = { provingKey: 'none', witnessProgram: 'none', verifyingKey: 'none' };
    const task = { circuit, input: {} };
    const giveUp = new AbortController();
    // All of this happens before the process has started, so nothing depends on how fast it is.
    const signals = [undefined, giveUp.signal, undefined, undefined];
    const outcomes = Promise.allSettled(signals.map((signal) => worker.prove(task, signal)));
    giveUp.abort(new Error('given up'));
    await worker.close();
    const messages = (await outcomes).map((outcome) =>
      outcome.status === 'rejected' ? String(outcome.reason) : 'proved',
    );
    expect(messages).toEqual([
      expect.stringContaining('ended before'),
      expect.stringContaining('given up'),
      expect.stringContaining('shut down'),
      expect.stringContaining('You have 2 requests waiting'),
    ]);
    await expect(worker.prove(task)).rejects.toThrow('shut down');
    await worker.close();
  });

  it('says when the process fails, and gives callers turns', async () => {
    const worker = new ProvingWorker(workerOptions);
    const circuit = { provingKey: '/none', witnessProgram: '/none', verifyingKey: '/none' };
    const missing = { circuit, input: {} };
    const failures: string[] = [];
    const ask = async (caller: string) => {
      await expect(worker.prove(missing, undefined, caller)).rejects.toMatchObject({ code: 'PROOF_GENERATION_FAILED' });
      failures.push(caller);
    };
    await Promise.all(['one', 'one', 'other'].map(ask));
    expect(failures).toEqual(['one', 'other', 'one']);
    await worker.close();
  });

  it('reads files again after they could not be read', async () => {
    const circuit = within(await mkdtemp(join(tmpdir(), 'artifacts-')), artifactNames(1));
    const worker = new ProvingWorker(workerOptions);
    await expect(worker.load([circuit])).rejects.toMatchObject({ code: 'PROOF_GENERATION_FAILED' });
    for (const role of CIRCUIT_FILES) await cp(artifacts.paths(1)[role], circuit[role]);
    await worker.load([circuit]);
    await worker.close();
  });
});

describe('the fake prover', () => {
  it('needs no attestation', async () => {
    const guestId = `0x${'12'.repeat(32)}` as const;
    const prover = createFakeProver({ guestId });
    expect(await prover.guestId()).toBe(guestId);
    const unattested: ProofStatement = { ...statement, attestation: () => Promise.reject(new Error('not asked')) };
    expect(await prover.prove(unattested)).toHaveLength(36);
    expect(() => createFakeProver({ guestId: '0x12' })).toThrow('64');
  });
});

describe('the remote prover', () => {
  let answer: { status?: number; body: string; location?: string; retryAfter?: string };
  const requests: { path: string; authorization: string | undefined; body: string }[] = [];
  let service: Listening;
  let url: string;

  beforeAll(async () => {
    service = await listen(
      createServer(async (request, response) => {
        const { authorization } = request.headers;
        requests.push({ path: request.url ?? '', authorization, body: await text(request) });
        if (answer.location !== undefined) response.setHeader('location', answer.location);
        if (answer.retryAfter !== undefined) response.setHeader('retry-after', answer.retryAfter);
        response.writeHead(answer.status ?? 200).end(answer.body);
      }),
    );
    url = `${service.url}/`;
  });
  afterAll(() => service.close());

  const ok = (data: unknown) => ({ body: JSON.stringify({ apiVersion: 'v2.0', success: true, data }) });
  const proverAt = (options = {}) => createHttpProver({ url, token: 'secret-token', ...options });

  it('asks the service with the same API', async () => {
    answer = ok({ zkProof: '0xabcd', journalDataAbi: toHex(journal) });
    expect(await proverAt().prove(statement)).toEqual(Uint8Array.of(0xab, 0xcd));
    const asked = requests.at(-1);
    expect(asked?.path).toBe('/api/v2.0/evm/compress-web-proof');
    expect(asked?.authorization).toBe('Bearer secret-token');
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      presentation: statement.presentation,
      extraction: { 'response.body': { jmespath: ['a'] } },
    });
    await proverAt().prove({ ...statement, queries: [], values: [] });
    expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ presentation: statement.presentation });
    answer = ok({ guestId: `0x${'12'.repeat(32)}` });
    expect(await proverAt().guestId()).toBe(`0x${'12'.repeat(32)}`);
    expect(requests.at(-1)?.path).toBe('/api/v2.0/evm/guest-id');
  });

  it('accepts the body of a request there as it was accepted here, and only a seal for the expected guest id', async () => {
    const base = `0x${'12'.repeat(32)}` as const;
    const requestBody = new Uint8Array(32).fill(3);
    const withBody: ProofStatement = { ...statement, facts: { ...facts, requestBody } };
    const prover = proverAt();
    answer = ok({ guestId: base });
    await prover.guestId();
    const sealedFor = (guestId: string) => ok({ zkProof: '0xabcd', journalDataAbi: toHex(journal), guestId });
    answer = sealedFor(programId(base, BY_NOTARY, requestBody));
    expect(await prover.prove(withBody)).toEqual(Uint8Array.of(0xab, 0xcd));
    expect(JSON.parse(requests.at(-1)?.body ?? '')).toMatchObject({ acceptRequestBody: true });
    await expect(prover.prove(statement)).rejects.toThrow('another guest id');
    answer = sealedFor(base);
    await expect(prover.prove(statement)).resolves.toBeDefined();
    await expect(prover.prove(withBody)).rejects.toThrow('another guest id');
  });

  it('asks for the guest id again once the service has sealed for another one, in whatever case that is written', async () => {
    const prover = proverAt();
    answer = ok({ guestId: `0x${'12'.repeat(32)}` });
    expect(await prover.guestId()).toBe(`0x${'12'.repeat(32)}`);
    // The service was restarted with other keys.
    const guestId = `0x${'AB'.repeat(32)}`;
    answer = ok({ zkProof: '0xabcd', journalDataAbi: toHex(journal), guestId });
    await expect(prover.prove(statement)).rejects.toThrow('another guest id');
    expect(await prover.guestId()).toBe(guestId.toLowerCase());
    await expect(prover.prove(statement)).resolves.toBeDefined();
  });

  it.each([
    ['another journal', () => ok({ zkProof: '0xabcd', journalDataAbi: '0x00' }), 'another journal'],
    ['no proof', () => ok({ journalDataAbi: '0x010203' }), 'another shape'],
    ['a refusal', () => ({ status: 500, body: '{"success":false,"error":{"code":"X","message":"why"}}' }), 'why'],
    ['no JSON', () => ({ body: '<html>' }), 'not JSON'],
    ['a redirect', () => ({ status: 302, body: '', location: url }), 'not JSON'],
    ['far too much', () => ({ body: 'x'.repeat(3_000_000) }), 'could not be reached'],
  ])('refuses %s', async (_name, given, message) => {
    answer = given();
    const outcome = proverAt().prove(statement);
    await expect(outcome).rejects.toThrow(message);
    await expect(outcome).rejects.toMatchObject({ code: 'PROOF_GENERATION_FAILED' });
    await expect(outcome).rejects.not.toThrow('secret-token');
  });

  it.each([
    ['7', 7],
    ['1000000', 300],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 1],
    [undefined, 1],
  ])('passes on that the service is busy, and Retry-After %s', async (retryAfter, retryAfterSeconds) => {
    const body = '{"success":false,"error":{"code":"SERVICE_UNAVAILABLE","message":"busy"}}';
    answer = { status: 503, body, ...(retryAfter === undefined ? {} : { retryAfter }) };
    await expect(proverAt().prove(statement)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds });
  });

  it('leaves places to other callers', async () => {
    answer = ok({ zkProof: '0xabcd', journalDataAbi: toHex(journal) });
    const prover = proverAt({ concurrency: 2, maxQueued: 0 });
    const many = [prover.prove(statement, undefined, 'mallory'), prover.prove(statement, undefined, 'mallory')];
    const other = prover.prove(statement, undefined, 'alice');
    await expect(many[1]).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(Promise.all([many[0], other])).resolves.toHaveLength(2);
  });

  it('ends when it is closed, and takes no other address than http', async () => {
    answer = ok({ zkProof: '0xabcd', journalDataAbi: toHex(journal) });
    const prover = proverAt();
    await prover.close();
    await expect(prover.prove(statement)).rejects.toMatchObject({ code: 'PROOF_GENERATION_FAILED' });
    expect(() => createHttpProver({ url: 'file:///etc/passwd', token: 'x' })).toThrow();
  });
});
