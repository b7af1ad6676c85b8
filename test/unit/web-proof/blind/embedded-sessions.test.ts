/** Blind sessions below a path of a server that is the host's own, beside other WebSockets of it. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { connect as dial, type Socket } from 'node:net';
import express from 'express';
import { fastify } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { notaryKey } from '../../../../adapters/local-notary/index.ts';
import type { Caller } from '../../../../core/access/token.ts';
import { createProve, proveRequestSchema } from '../../../../core/web-proof/prove.ts';
import { blindNotary } from '../../../../plugins/blind-notary/index.ts';
import { createCredence } from '../../../../plugins/compose/index.ts';
import { credenceExpress } from '../../../../plugins/express/index.ts';
import { credenceFastify } from '../../../../plugins/fastify/index.ts';
import { blindClients, joinSession } from '../../../support/blind-notary.ts';
import { createFakeProver, createFakeVerifier } from '../../../support/fake-mpc.ts';
import { listen } from '../../../support/listen.ts';
import { createRecordingLogger } from '../../../support/recording-logger.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../../../support/tls-origin.ts';

const ADMIN = 'an-admin-token-for-tests';
const PREFIX = '/engagement';
const BASE = `${PREFIX}/v0.1.0-alpha.12`;
const authority = createAuthority();
const secret = new Uint8Array(32).fill(7);
const { fingerprint } = notaryKey(secret);
const hosts: { readonly server: Server; close(): Promise<void> }[] = [];
const logger = createRecordingLogger();

const verifier = createFakeVerifier();
const origin = await startOrigin(authority, { answer: jsonAnswer({ secret: 'hidden-from-all', n: 1 }) });
const credence = createCredence(
  {
    storage: { url: 'sqlite::memory:' },
    secrets: { key: secret },
    adminToken: ADMIN,
    services: ['engagement', 'notary'],
    notary: { key: { secret } },
    extraRoots: [authority.root.pem],
    plugins: [blindNotary({ concurrency: 4, stockProvers: 'token', verifier, stockVerifier: verifier })],
  },
  { logger, identify },
);
await credence.start();
const { id: brandId } = await credence.brands.create({ name: 'Acme', slug: 'acme' });
const brandToken = (await credence.tokens.create({ name: 'Acme', role: 'brand', brandId })).token;

afterAll(async () => {
  await credence.stop();
  await Promise.all(hosts.map((host) => host.close()));
  await origin[Symbol.asyncDispose]();
});

/** The host's own authentication: by a header, as a gateway sets it. */
function identify(native: unknown): Caller | null | undefined {
  const user = (native as IncomingMessage).headers['x-user'];
  if (typeof user !== 'string') return undefined;
  if (user === 'broken') throw new Error('the session store is down');
  return user === 'nobody' ? null : { role: 'client', tokenId: null, externalId: user, key: `user:${user}` };
}

async function served(server: Server): Promise<string> {
  const host = await listen(server);
  hosts.push({ server, close: host.close });
  return host.url;
}

const HOSTS = {
  async Fastify() {
    const app = fastify();
    await app.register(credenceFastify(credence), { prefix: PREFIX });
    credence.attach(app.server, { prefix: PREFIX, identify });
    await app.ready();
    return served(app.server);
  },
  async Express() {
    const server = createServer(express().use(PREFIX, credenceExpress(credence)));
    credence.attach(server, { prefix: `${PREFIX}/`, identify });
    return served(server);
  },
};

const connect = (url: string, token = ADMIN, more: Record<string, string> = {}) =>
  joinSession(url, { authorization: `Bearer ${token}`, ...more });

const post = (url: string, body: unknown, token = ADMIN) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

it.each(Object.keys(HOSTS) as (keyof typeof HOSTS)[])(
  'makes a blind proof on %s for a token of a brand',
  async (framework) => {
    const host = await HOSTS[framework]();
    const { verify, client: clientOf } = blindClients(authority, fingerprint, () =>
      createFakeProver(authority.root.pem),
    );
    const client = clientOf({ url: `${host}${PREFIX}`, token: brandToken });
    const redaction = [{ response: { json_body: ['secret'] } }];
    const request = proveRequestSchema.parse({ url: origin.url('/'), redaction });
    const proof = await createProve({ notaries: [client] })(request, AbortSignal.timeout(60_000));
    await client.close();
    const verified = await verify(proof);
    expect(verified).toMatchObject({ notarization: 'blind', notaryTrusted: true });
    expect(verified.response.text).toBe('{"secret":"XXXXXXXXXXXXXXX","n":1}');
  },
);

describe('an embedded blind notary', () => {
  let host: string;
  beforeAll(async () => {
    host = await HOSTS.Express();
  });

  it('ignores upgrades of others if nobody else listens', async () => {
    const request = httpRequest(`${host}${BASE}/sessions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN}`,
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQAAP__',
        'content-type': 'application/json',
      },
    });
    request.end('{"maxSentData":0}');
    const [answer] = await once(request, 'response');
    answer.resume();
    expect(answer.statusCode, 'the body is read, and found wrong').toBe(400);
    expect(await connect(`${host}/chat`)).toBe(404);
    expect(await connect(`${host}/v0.1.0-alpha.12/sessions/${randomBytes(16).toString('hex')}`)).toBe(404);
  });

  describe('a stranger whose upgrade is refused', () => {
    const serverOf = () => (hosts.at(-1) as (typeof hosts)[number]).server;
    const session = `${BASE}/sessions/${randomBytes(16).toString('hex')}`;
    const upgrade = () =>
      [`GET ${session} HTTP/1.1`, 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
        .concat(`Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`, '', '')
        .join('\r\n');
    const connections: Socket[] = [];
    afterEach(() => {
      for (const connection of connections.splice(0)) connection.destroy();
    });
    async function refused() {
      const accepted = once(serverOf(), 'connection');
      const { hostname, port } = new URL(host);
      const socket = dial({ host: hostname, port: Number(port), allowHalfOpen: true });
      const [connection] = (await accepted) as [Socket];
      connections.push(connection);
      // What comes after it is no reason to keep the connection either.
      socket.write(upgrade() + 'x'.repeat(10_000));
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 40[14] /);
      return { socket, connection };
    }

    it('does not end the process by a reset', async () => {
      const crashes: unknown[] = [];
      const others = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => crashes.push(error));
      try {
        const { socket, connection } = await refused();
        const closed = new Promise((resolve) => connection.once('close', resolve));
        connection.resume();
        socket.resetAndDestroy();
        await closed;
        await new Promise(setImmediate);
      } finally {
        process.removeAllListeners('uncaughtException');
        for (const other of others) process.on('uncaughtException', other);
      }
      expect(crashes).toEqual([]);
    });

    it('is disconnected, though it keeps its side open', async () => {
      const { socket, connection } = await refused();
      const closed = once(connection, 'close');
      socket.on('error', () => {});
      await closed;
      socket.destroy();
    });

    it('gets no answer that overtakes the one before', async () => {
      const { hostname, port } = new URL(host);
      const socket = dial({ host: hostname, port: Number(port) });
      socket.write(`GET ${PREFIX}/healthz HTTP/1.1\r\nHost: a\r\n\r\n${upgrade()}`);
      let received = '';
      for await (const piece of socket) received += String(piece);
      expect(received).not.toMatch(/^HTTP\/1\.1 40/);
    });
  });

  it("leaves upgrades of others to the host's own listeners", async () => {
    const { server } = hosts.at(-1) as (typeof hosts)[number];
    const chat = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/chat') chat.handleUpgrade(request, socket, head, (peer) => peer.send('hello'));
    });
    const socket = new WebSocket(`${host.replace('http', 'ws')}/chat`);
    const [message] = await once(socket, 'message');
    expect(String(message)).toBe('hello');
    socket.terminate();
    expect(await connect(`${host}${BASE}/sessions/${randomBytes(16).toString('hex')}`)).toBe(404);
  });

  it('counts the session of a stock prover against the quota of its token, and names it in the log', async () => {
    const quota = { requests: 5, webProofsPerDay: 1 };
    const { token, id } = await credence.tokens.create({ name: 'stock', role: 'client', quota });
    const ask = (body: object) => post(`${host}${PREFIX}/session`, { clientType: 'Websocket', ...body }, token);
    const refused = await ask({ maxSentData: 1_000_000_000 });
    expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([400, '"token-requests";q=5;w=60']);
    const answer = await ask({});
    expect(answer.headers.get('ratelimit')).toMatch(/^"token-requests";r=3;t=\d+, "token-web-proofs";r=0;t=\d+$/);
    const { sessionId } = (await answer.json()) as { sessionId: string };
    const socket = await connect(`${host}${PREFIX}/notarize?sessionId=${sessionId}`, 'none');
    (socket as WebSocket).terminate();
    const spent = await ask({});
    expect([spent.status, spent.headers.has('retry-after')]).toEqual([429, true]);
    expect(await connect(`${host}${BASE}/sessions/${randomBytes(16).toString('hex')}`, token)).toBe(404);
    expect((await ask({})).status).toBe(429);
    expect(await connect(`${host}${BASE}/sessions/${randomBytes(16).toString('hex')}`, token)).toBe(429);
    const lines = logger.lines.map(({ fields }) => fields as { caller?: string; route?: string; status?: number });
    const own = lines.filter(({ caller }) => caller === `token:${id}`);
    expect(own.map(({ route, status }) => [route, status])).toEqual([
      ['tlsnotarySessionAtRoot', 400],
      ['tlsnotarySessionAtRoot', 200],
      ['joinSession', 101],
      ['tlsnotarySessionAtRoot', 429],
      ['joinSession', 404],
      ['tlsnotarySessionAtRoot', 429],
      ['joinSession', 429],
    ]);
  });
});

describe('callers that the host identifies', () => {
  let host: string;
  beforeAll(async () => {
    host = await HOSTS.Express();
  });

  const open = (user: string) =>
    fetch(`${host}${BASE}/sessions`, {
      method: 'POST',
      headers: { 'x-user': user, 'content-type': 'application/json' },
      body: '{}',
    });
  const join = (sessionId: string, user: string) =>
    connect(`${host}${BASE}/sessions/${sessionId}`, ADMIN, { 'x-user': user });

  it('join their own sessions only, and leave places to each other', async () => {
    const own: string[] = [];
    for (let count = 0; count < 2; count++) {
      const { data } = (await (await open('ada')).json()) as { data: { sessionId: string } };
      own.push(data.sessionId);
    }
    const beyond = await open('ada');
    expect([beyond.status, beyond.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await open('bob')).status).toBe(201);
    const [first = '', second = ''] = own;
    expect(await join(first, 'bob')).toBe(404);
    expect(await join(first, 'nobody')).toBe(401);
    for (const sessionId of [first, second]) {
      const socket = await join(sessionId, 'ada');
      expect(socket).toBeInstanceOf(WebSocket);
      (socket as WebSocket).terminate();
    }
  });

  it('get a 500 if they cannot be identified, and the log says why', async () => {
    expect(await join(randomBytes(16).toString('hex'), 'broken')).toBe(500);
    expect(logger.text()).toContain('the session store is down');
  });
});

describe('an instance that offers no blind sessions', () => {
  it('has no routes for them and takes no upgrades', () => {
    const plain = createCredence({ services: ['notary'], storage: 'sqlite::memory:' }, { logger });
    const server = createServer();
    expect(() => credence.attach(server, { prefix: 'engagement' })).toThrow(
      /^prefix must be a path that begins with a slash/,
    );
    plain.attach(server);
    expect(server.listenerCount('upgrade')).toBe(0);
    expect(plain.routes.map(({ id }) => id)).not.toContain('openSession');
  });

  it('refuses the plugin without the service `notary`, and options that it cannot use', () => {
    const plugins = [blindNotary()];
    expect(() => createCredence({ plugins, storage: 'sqlite::memory:' }, { logger })).toThrow(
      'needs the service `notary`: add it to `services`',
    );
    expect(() => blindNotary({ memoryMiB: 4_097 })).toThrow('blindNotary.memoryMiB');
  });
});
