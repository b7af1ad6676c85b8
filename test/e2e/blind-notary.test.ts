import net from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { formsOf } from '../security/secret-forms.ts';
import { setUpBlindNotary } from '../support/blind-notary.ts';
import { listen } from '../support/listen.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
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
  const tap = await recordingRelay(Number(new URL(notary.url).port));
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
  const received = framesOf(tap.received());
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

/** Passes TCP on to the notary and keeps what clients send. */
async function recordingRelay(port: number) {
  const connections: Buffer[][] = [];
  const server = net.createServer((socket) => {
    const chunks: Buffer[] = [];
    connections.push(chunks);
    const upstream = net.connect(port, '127.0.0.1');
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {}).pipe(upstream);
    upstream.on('error', () => {}).pipe(socket);
    socket.once('close', () => upstream.destroy());
  });
  return { ...(await listen(server)), received: () => connections.map((chunks) => Buffer.concat(chunks)) };
}

const FRAME = { length: 0x7f, two: 126, eight: 127, mask: 4 };

/** Everything in one piece: HTTP as it is, and the payloads of WebSocket frames without their masks. */
function framesOf(connections: readonly Buffer[]): Buffer {
  const pieces: Buffer[] = [];
  for (const bytes of connections) {
    const upgrade = bytes.indexOf('\r\n\r\n') + 4;
    const isWebSocket = bytes.subarray(0, upgrade).toString('latin1').toLowerCase().includes('upgrade: websocket');
    pieces.push(isWebSocket ? bytes.subarray(0, upgrade) : bytes);
    for (let at = upgrade; isWebSocket && at + 2 < bytes.length; ) {
      let length = (bytes[at + 1] ?? 0) & FRAME.length;
      at += 2;
      if (length === FRAME.two) {
        length = bytes.readUInt16BE(at);
        at += 2;
      } else if (length === FRAME.eight) {
        length = Number(bytes.readBigUInt64BE(at));
        at += 8;
      }
      const mask = bytes.subarray(at, at + FRAME.mask);
      at += FRAME.mask;
      const payload = Buffer.from(bytes.subarray(at, at + length));
      // Tens of MiB: a callback for each byte would take seconds.
      for (let index = 0; index < payload.length; index += 1) {
        payload[index] = (payload[index] ?? 0) ^ (mask[index % FRAME.mask] ?? 0);
      }
      pieces.push(payload);
      at += length;
    }
  }
  return Buffer.concat(pieces);
}
