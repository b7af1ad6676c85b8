import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createEgressGuard } from '../../../adapters/egress-guard/index.ts';
import { createWebhookTransport } from '../../../adapters/webhook-http/index.ts';
import type { EgressGuard } from '../../../core/ports/egress.ts';
import type { WebhookRequest, WebhookTransport } from '../../../core/ports/webhook-transport.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { listen } from '../../support/listen.ts';

const loopback = createEgressGuard({ allow: ['127.0.0.0/8'] });
const closers = closingAfterEach();

async function open(server: Server): Promise<string> {
  server.on('connection', (socket: Socket) => socket.on('error', () => undefined));
  const { url, close } = await listen(server);
  closers.push(close);
  return url;
}

async function receiver(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  return `${await open(createServer(handle))}/hook?tenant=1`;
}

/** A server below HTTP: answers every connection with these bytes and leaves it open. */
async function rawReceiver(answer: string): Promise<string> {
  return `${await open(createTcpServer((socket) => socket.once('data', () => socket.write(answer))))}/`;
}

function transport(egress: EgressGuard = loopback): WebhookTransport {
  const made = createWebhookTransport({ egress });
  closers.push(() => made.close());
  return made;
}

const request = (url: string, changes: Partial<WebhookRequest> = {}): WebhookRequest => ({
  url,
  headers: { 'Content-Type': 'application/json', 'X-Service-Event': 'creator.verified' },
  body: '{"text":"süß"}',
  deadlineMs: 5_000,
  ...changes,
});

describe('webhook transport', () => {
  it('posts the body and the headers as they are, and reports status and Retry-After', async () => {
    const seen: unknown[] = [];
    const url = await receiver((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { host, connection, 'content-length': length, ...headers } = incoming.headers;
        seen.push([incoming.method, incoming.url, headers, Buffer.concat(chunks).toString('utf8'), length]);
        response.writeHead(503, { 'retry-after': '17' }).end('later');
      });
    });
    const answer = { kind: 'answered', status: 503, retryAfter: '17', body: 'later' };
    expect(await transport().send(request(url))).toEqual(answer);
    const headers = { 'content-type': 'application/json', 'x-service-event': 'creator.verified' };
    expect(seen).toEqual([['POST', '/hook?tenant=1', headers, '{"text":"süß"}', '16']]);
  });

  it.each([
    ['a long text', Buffer.from('ö'.repeat(70_000)), 'ö'.repeat(512)],
    ['a text whose first KiB ends within a character', Buffer.from(`.${'ö'.repeat(600)}`), `.${'ö'.repeat(511)}`],
    ['what is no text', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]), undefined],
  ])('keeps the first KiB of %s', async (_what, sent, body) => {
    const url = await receiver((_incoming, response) => response.end(sent));
    expect(await transport().send(request(url))).toEqual({ kind: 'answered', status: 200, retryAfter: null, body });
  });

  it('gives up at the deadline, also while a name server is silent', async () => {
    const deaf = createEgressGuard({ lookup: () => new Promise(() => undefined) });
    expect(await transport(deaf).send(request('https://hooks.example.com/', { deadlineMs: 50 }))).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: 'The receiver did not answer within 0.05 seconds.',
    });
  });

  it('names the alert of a receiver that refuses the TLS handshake', async () => {
    const HANDSHAKE_FAILURE = '\x15\x03\x03\x00\x02\x02\x28';
    const url = (await rawReceiver(HANDSHAKE_FAILURE)).replace('http:', 'https:');
    expect(await transport().send(request(url))).toMatchObject({
      kind: 'failed',
      reason: 'connection',
      message: expect.stringContaining('ALERT_HANDSHAKE_FAILURE'),
    });
  });

  it('is given up when asked to, before and during the request', async () => {
    const url = await receiver(() => undefined);
    const aborted = AbortSignal.abort();
    expect(await transport().send(request(url, { signal: aborted }))).toMatchObject({ kind: 'failed' });
    const controller = new AbortController();
    const sending = transport().send(request(url, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    expect(await sending).toMatchObject({ kind: 'failed', reason: 'connection' });
  });
});
