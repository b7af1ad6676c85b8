/** What `npx credence` prints: of web proofs, of warnings, and of text that others have written. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import { setUpCli, startAnswering } from '../support/cli.ts';
import { startInstance } from '../support/instance.ts';
import { issueRoot } from '../support/test-ca.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';

const root = issueRoot();
const authority = createAuthority(root);

const origin = await startOrigin(authority, {
  certificate: authority.leaf({ dns: ['localhost'] }),
  answer: jsonAnswer({ email: 'me@home.example', level: 'gold' }, ['ETag: "a-version-of-it"']),
});
const instance = await startInstance({
  config: {
    services: ['web-prover', 'zk-prover'],
    zkProver: fakeProver(),
    extraRoots: [root.pem],
    egress: { allow: ['127.0.0.0/8', '::1/128'] },
  },
});
afterAll(async () => {
  await instance?.close();
  await origin?.[Symbol.asyncDispose]();
});

const { path, run } = setUpCli(() => ({ CREDENCE_URL: instance.baseUrl, CREDENCE_TOKEN: instance.adminToken }));

describe('credence prove', () => {
  const prove = (...options: string[]) => run(['prove', `https://localhost:${origin.port}/me?key=1&flag`, ...options]);

  it.each([
    [['--hide', 'response.json:emial'], 'emial'],
    [['--show-only', 'request.query:key'], 'flag'],
  ])('writes no proof for %j, of which a part does nothing, until told to', async (options, name) => {
    const file = path('proof.json');
    const refused = await prove(...options, '-o', file);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(new RegExp(`^warning: .*\\b${name}\\b`, 'm'));
    expect(refused.err).toContain('The proof is not written');
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
    const written = await prove(...options, '-o', file, '--allow-unmatched');
    expect(written).toMatchObject({ code: 0, out: `The proof is in ${file}.` });
    expect(written.err).toMatch(new RegExp(`^warning: .*\\b${name}\\b`, 'm'));
    expect(JSON.parse(await readFile(file, 'utf8')).meta.warnings.join()).toContain(name);
  });

  it('prints none either, and tells a program so with --json', async () => {
    const { code, out, err } = await prove('--hide', 'response.json:emial', '--json');
    expect([code, out]).toEqual([1, '']);
    expect(JSON.parse(err.split('\n').at(-1) ?? '')).toMatchObject({ code: 'REDACTION_UNMATCHED' });
  });

  it('writes a proof whose rules all do something, and tells what else was hidden', async () => {
    const written = await prove('--hide', 'response.json:email', '-o', path('proof.json'));
    const err = expect.stringContaining('warning: These response headers are hidden too');
    expect(written).toMatchObject({ code: 0, err });
  });

  it.each(['{"a":1}', '5', 'a text'])(
    'sends the body %s as it is, also in the command that the API gives',
    async (body) => {
      const url = `https://localhost:${origin.port}/`;
      expect(await run(['proofs', 'prove', '--url', url, '--method', 'POST', '--body', body])).toMatchObject({
        code: 0,
      });
      expect(origin.requests.at(-1)?.body.toString()).toBe(body);
    },
  );
});

it('credence compress seals a request with a body when it is told to', async () => {
  const post = ['--method', 'POST', '--body', 'a body', '-o', path('proof.json')];
  expect((await run(['prove', `https://localhost:${origin.port}/`, ...post])).code).toBe(0);
  const compress = (...options: string[]) => run(['compress', path('proof.json'), '--query', 'level', ...options]);
  expect(await compress()).toMatchObject({ code: 1, err: expect.stringContaining('PROOF_NOT_SEALABLE') });
  const { code, out } = await compress('--accept-request-body');
  expect([code, JSON.parse(out).requestBodyHash]).toEqual([0, expect.stringMatching(/^0x[0-9a-f]{64}$/)]);
});

describe('credence verify', () => {
  const verify = (...options: string[]) =>
    run(['verify', path('proof.json'), '--roots', path('roots.pem'), ...options]);

  /** Writes a proof and the roots that it is verified with. */
  async function writeProof(): Promise<void> {
    await writeFile(path('roots.pem'), root.pem);
    expect((await run(['prove', `https://localhost:${origin.port}/me`, '-o', path('proof.json')])).code).toBe(0);
  }

  it('says whether a proof holds and its notary was checked, in words, as JSON and by the exit code', async () => {
    await writeProof();
    const unchecked = await verify();
    expect(unchecked).toMatchObject({ code: 0, err: '' });
    expect(unchecked.out).toMatch(
      /^The proof holds, but its notary was not checked: .*--trust[\s\S]*body +\{"email":"me@home.example","level":"gold"\}/,
    );
    const told = JSON.parse((await verify('--json')).out);
    expect(told).toMatchObject({ notaryChecked: false, notaryTrusted: false });
    const trusted = ['--trust', told.notaryKeyFingerprint as string];
    expect((await verify(...trusted)).out).toMatch(/^The proof holds, and a notary that you trust signed it\.\n/);
    const checked = await verify(...trusted, '--json');
    expect(JSON.parse(checked.out)).toMatchObject({ notaryChecked: true, notaryTrusted: true });
    const other = ['--trust', '00'.repeat(32)];
    const err = expect.stringContaining('is none of those given with --trust');
    expect(await verify(...other)).toEqual({ code: 1, out: '', err });
    const refused = await verify(...other, '--json');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(refused.err)).toMatchObject({ code: 'NOTARY_NOT_TRUSTED' });
    const proof = JSON.parse(await readFile(path('proof.json'), 'utf8'));
    await writeFile(path('proof.json'), JSON.stringify({ ...proof, data: proof.data.replace(/..$/, '') }));
    const broken = await verify('--json');
    expect(broken).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(broken.err)).toMatchObject({ code: 'INVALID_PRESENTATION' });
  });

  it('says what is wrong with a file or an option that it cannot use', async () => {
    await writeProof();
    const [proof, saved] = [path('proof.json'), path('answer.json')];
    await writeFile(saved, JSON.stringify({ success: true, data: JSON.parse(await readFile(proof, 'utf8')) }));
    for (const [wrong, message] of [
      [['verify', path('roots.pem')], /./],
      [
        ['verify', proof, '--trust', '0xab'],
        /^--trust "0xab" is no fingerprint of a notary's key\. Give the 64 hex digits/,
      ],
      [
        ['verify', proof, '--roots', proof],
        /holds no PEM certificate, or one that cannot be read\. Give PEM certificates in --roots\.$/,
      ],
      [
        ['prove', 'https://localhost/', '--fingerprint', '00'.repeat(32)],
        /^--fingerprint counts with --blind only: .* Add --blind, or leave it out\.$/,
      ],
      [['prove', 'https://localhost/', '--roots', path('roots.pem')], /^--roots counts with --blind only/],
      [['prove', 'https://localhost/', '--allow', '10.0.0.0/8'], /^--allow counts with --blind only/],
      [
        ['verify', saved],
        /^The file holds no web proof: data: must be text, not an object; .*it has no field "success"\.$/,
      ],
    ] as const) {
      expect(await run(wrong)).toEqual({ code: 2, out: '', err: expect.stringMatching(message) });
    }
  });
});

describe('warnings of other calls', () => {
  it('reach stderr where the output is for programs, and JSON has them', async () => {
    const warning = 'Only 1 of 2 could be reached.';
    await using server = await startAnswering((_, response) =>
      response.end(JSON.stringify({ data: [{ id: 1 }], warning })),
    );
    const list = (option: string) => run(['challenges', 'likers', '1', option, '--url', server.url]);
    expect(await list('--csv')).toEqual({ code: 0, out: 'id\r\n1', err: `warning: ${warning}` });
    const json = await list('--json');
    expect([JSON.parse(json.out).warning, json.err]).toEqual([warning, `warning: ${warning}`]);
  });
});

describe('text of a server or a file', () => {
  /** What a terminal obeys, or what hides text. */
  const OBEYED = /(?![\n\t]|\r\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
  const HOSTILE = '\u001b]0;mine\u0007\u001b[2J\u009b31m\u202eexe\u2066\rThe proof holds.';
  const rows = [{ id: 1, name: HOSTILE, [HOSTILE]: { [HOSTILE]: [HOSTILE] } }];

  it.each([['text'], ['json', '--json'], ['csv', '--csv']])(
    'reaches the terminal without what it obeys: %s',
    async (as, ...options) => {
      const answer = { data: rows, warning: HOSTILE };
      await using server = await startAnswering((_, response) => response.end(JSON.stringify(answer)));
      const { code, out, err } = await run(['brands', 'list', '--url', server.url, ...options]);
      expect(code).toBe(0);
      expect(out).toContain('exe');
      expect(out).not.toMatch(OBEYED);
      expect(err).not.toMatch(OBEYED);
      if (as === 'json') expect(JSON.parse(out)).toEqual(answer);
    },
  );

  it.each([[[]], [['--json']]])('is harmless in a refusal too: %j', async (options) => {
    const message = `No.\nThe proof holds. ${HOSTILE}`;
    const error = { code: `BAD${HOSTILE}`, message, requestId: HOSTILE };
    await using server = await startAnswering((_, response) => {
      response.statusCode = 409;
      response.end(JSON.stringify({ error }));
    });
    const { code, out, err } = await run(['brands', 'list', '--url', server.url, ...options]);
    expect([code, out]).toEqual([1, '']);
    expect(err).not.toMatch(OBEYED);
    expect(err).not.toMatch(/^The proof holds/m);
    if (options.length > 0) expect(JSON.parse(err)).toMatchObject(error);
  });

  it('is harmless in arguments, names of files and cells', async () => {
    const file = path(`${HOSTILE}.csv`.replaceAll('/', ''));
    await writeFile(file, `externalId,platform,handle,${HOSTILE}\n`);
    for (const args of [[HOSTILE], ['verify', HOSTILE], ['creators', 'import', file]]) {
      const { code, out, err } = await run(args);
      expect([code, out]).toEqual([2, '']);
      expect(err).not.toBe('');
      expect(err).not.toMatch(OBEYED);
    }
  });

  it.each(['constructor', '__proto__'])('finds no inherited property: %s', async (name) => {
    for (const [args, message] of [
      [[name], `unknown command '${name}'`],
      [['prove', 'https://a.test', '--hide', `${name}:x`], 'names nothing to redact'],
    ] as const) {
      expect(await run(args), args.join(' ')).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
    }
  });
});
