/** The whole way over HTTP: prove, compress, and a contract on a real EVM that accepts what came back. */

import { groth16 } from '@credence/groth16';
import { decodeAbiParameters, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalChain, startLocalChain } from '../../hosts/demo/evm/local-chain.ts';
import type { CompiledContract } from '../../hosts/demo/evm/solidity.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { createPatientProver, provingWith } from '../support/patient-prover.ts';
import { hashOfQueries, verifyArguments } from '../support/seal-parts.ts';
import { compileQuickly } from '../support/solidity.ts';
import { createAuthority, jsonAnswer, startOrigin, type TlsOrigin } from '../support/tls-origin.ts';

const CONTRACT = new URL('../../contracts/WebProofVerifier.sol', import.meta.url).pathname;
/** One value: a proof of more takes several times as long, and `zk-contract.test.ts` makes some. */
const QUERIES = ['data.count'];
const COMPRESS = '/api/v2.0/evm/compress-web-proof';
const FAKE = '/api/v2.0/fake/evm/compress-web-proof';
const HELPER = '/api/v2.0/debug/evm/journal-decode-helper';
const GUEST_ID = '/api/v2.0/evm/guest-id';

const authority = createAuthority();
let origin: TlsOrigin;
let instance: TestInstance;
let chain: LocalChain;
let url: string;
let presentation: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  origin = await startOrigin(authority, {
    certificate: authority.leaf({ dns: ['localhost'] }),
    answer: jsonAnswer({ data: { login: 'octocat', count: 149, secret: 'pin-1234' } }),
  });
  url = `https://localhost:${origin.port}/graphql?first=1`;
  instance = await startInstance({
    config: {
      services: ['web-prover', 'zk-prover'],
      zkProver: groth16({ warmUp: false }),
      extraRoots: [authority.root.pem],
      egress: { allow: ['127.0.0.0/8', '::1/128'] },
      notary: { key: { secret: new Uint8Array(32).fill(7) } },
    },
    options: { modules: [provingWith(createPatientProver())] },
  });
  chain = await startLocalChain();
  const redaction = [{ response: { json_body: ['data.secret'] } }];
  const proved = await instance.api.call('POST', '/api/v2.0/prove', { body: { url, redaction } });
  expect(proved.status, proved.text).toBe(200);
  presentation = JSON.parse(proved.text).data;
}, 120_000);

afterAll(async () => {
  chain?.stop();
  await instance?.close();
  await origin?.[Symbol.asyncDispose]();
});

async function post(path: string, body: unknown, token?: string | null) {
  const answer = await instance.api.call('POST', path, { body, ...(token === undefined ? {} : { token }) });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

const request = (jmespath: readonly string[] = QUERIES) => ({
  presentation,
  extraction: { 'response.body': { jmespath } },
});

describe('over HTTP', () => {
  it('a web proof becomes a proof that a contract accepts', async () => {
    const compressed = await post(COMPRESS, request());
    expect(compressed).toMatchObject({ status: 200, body: { apiVersion: 'v2.0', success: true } });
    const { zkProof, journalDataAbi }: { zkProof: Hex; journalDataAbi: Hex } = compressed.body.data;

    const answer = await instance.api.call('GET', GUEST_ID);
    const guestId: Hex = JSON.parse(answer.text).data.guestId;
    const { WebProofVerifier } = await compileQuickly(CONTRACT);
    const { abi, address } = await deployed(WebProofVerifier);
    await expect(
      chain.read(address, abi, 'verify', verifyArguments(zkProof, guestId, journalDataAbi)),
    ).resolves.toBeUndefined();

    const help = await post(HELPER, request());
    expect(help.body.data.journalDataAbi).toBe(journalDataAbi);
    const types = (help.body.data.journalTypes as string[]).map((type) => ({ type }));
    expect(decodeAbiParameters(types, journalDataAbi).slice(1)).toEqual([
      'GET',
      url,
      expect.any(BigInt),
      hashOfQueries(QUERIES),
      149n,
    ]);
    expect(help.body.data.journalValues.slice(5)).toEqual(['149']);

    const fake = await post(FAKE, request());
    expect(fake).toMatchObject({ status: 200, body: { data: { journalDataAbi } } });
    expect(fake.body.data.zkProof).toMatch(/^0xffffffff[0-9a-f]{64}$/);
    // A proof is seconds of work for every core there is.
  }, 300_000);
});

async function deployed(contract: CompiledContract | undefined) {
  if (contract === undefined) throw new Error('the contract is not in its file');
  return { ...contract, ...(await chain.deploy(contract)) };
}
