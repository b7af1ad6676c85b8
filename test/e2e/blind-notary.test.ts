import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterAll, expect, it } from 'vitest';
import * as ws from 'ws';
import { formsOf } from '../security/secret-forms.ts';
import { setUpBlindNotary } from '../support/blind-notary.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';
import { realEngines } from '../support/tlsn-engine.ts';
import { createOracle } from '../support/tlsn-oracle.ts';

const KEY = 'k3y-0f-mine-in-the-url';
const TOKEN = 'Bearer s3cret-t0ken-of-mine';
const BALANCE = '987654321012';
const NAME = 'Blanche DuBois';
const SECRETS = [KEY, TOKEN, BALANCE, NAME];

const authority = createAuthority(issueOracleRoot());

const body = JSON.stringify({ balance: Number(BALANCE), name: NAME, verified: true, plan: 'gold' });
const origin = await startOrigin(authority, { answer: jsonAnswer(body) });
const notary = await setUpBlindNotary(authority, realEngines(authority.root));

afterAll(async () => {
  await notary[Symbol.asyncDispose]();
  await origin[Symbol.asyncDispose]();
});

it('proves through MPC-TLS, and the notary receives no hidden byte in any form', { timeout: 240_000 }, async () => {
  const connections: Buffer[][] = [];
  const tap = await createTcpProxy({ host: '127.0.0.1', port: Number(new URL(notary.url).port) }, () => {
    const chunks: Buffer[] = [];
    connections.push(chunks);
    return (sent) => void chunks.push(sent);
  });
  const phases: string[] = [];
  const client = notary.client({
    url: notary.url.replace(/:\d+\//, `:${tap.port}/`),
    // Little more than is sent and received: the engines work for every byte that they may be asked for.
    maxSentData: 192,
    maxRecvData: 192,
    onProgress: ({ phase }) => phases.push(phase),
  });
  const proof = await notary.prove(
    {
      url: origin.url(`/me?key=${KEY}`),
      headers: [`Authorization: ${TOKEN}`],
      redaction: [
        { request: { headers: ['authorization'], url_query: ['key'] } },
        { response: { json_body: ['balance', 'name'] } },
      ],
    },
    client,
  );
  await tap.close();
  expect(phases).toEqual(['probe', 'setup', 'online', 'reveal', 'done']);

  const verified = await notary.verify(proof);
  expect(verified).toMatchObject({ notarization: 'blind', notaryTrusted: true, serverDomain: 'origin.test' });
  expect(verified.response.text).toBe(
    `{"balance":${'X'.repeat(BALANCE.length)},"name":"${'X'.repeat(NAME.length)}","verified":true,"plan":"gold"}`,
  );
  const official = await createOracle(authority.root)(Buffer.from(proof.data, 'hex'));
  expect(official).toMatchObject({ accepted: true, output: { server_name: 'origin.test' } });

  // The server had them, so the search below is not for what never was.
  expect(origin.requests.at(-1)?.head).toContain(`authorization: ${TOKEN}`);
  expect(origin.requests.at(-1)?.target).toContain(KEY);
  const received = await readable(connections);
  expect(received.includes('"verified":true'), 'what is shown is found, so hidden bytes would be too').toBe(true);
  for (const secret of SECRETS) {
    for (const form of formsOf(secret)) {
      expect(received.includes(form, 0, 'latin1'), `the notary received ${secret} as ${form}`).toBe(false);
      expect(Buffer.from(proof.data, 'hex').includes(form, 0, 'latin1')).toBe(false);
    }
    expect(received.includes(Buffer.from(secret, 'utf16le'))).toBe(false);
    expect(received.includes(Buffer.from(secret).reverse())).toBe(false);
  }
});

// Its types leave it out.
const { Receiver } = ws as unknown as { readonly Receiver: new (options: object) => Writable };

/** Everything in one piece: HTTP as it is, and the messages of WebSockets without their masks. */
async function readable(connections: readonly Buffer[][]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const chunks of connections) {
    const bytes = Buffer.concat(chunks);
    const upgrade = bytes.indexOf('\r\n\r\n') + 4;
    const head = bytes.subarray(0, upgrade).toString('latin1').toLowerCase();
    if (!head.includes('upgrade: websocket')) pieces.push(bytes);
    else {
      pieces.push(bytes.subarray(0, upgrade));
      const receiver = new Receiver({ isServer: true });
      receiver.on('message', (message: Buffer) => pieces.push(message));
      await finished(receiver.end(bytes.subarray(upgrade)));
    }
  }
  return Buffer.concat(pieces);
}
