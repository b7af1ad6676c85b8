/** A host that offers blind sessions as a notary, and clients of it. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { notaryKey } from '../../adapters/local-notary/index.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { createProve, proveRequestSchema } from '../../core/web-proof/prove.ts';
import { createApp } from '../../hosts/standalone/app.ts';
import { blindNotary } from '../../plugins/blind-notary/index.ts';
import type { MpcProver, MpcVerifier } from '../../plugins/blind-notary/mpc-tls.ts';
import {
  type BlindNotaryOptions,
  type MpcNotaryOptions,
  mpcNotaryOptions,
} from '../../plugins/blind-notary/options.ts';
import { createMpcNotary, type MpcNotaryDeps } from '../../plugins/blind-notary/prover/mpc-notary.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import type { TestAuthority } from './tls-origin.ts';
import { testVerifier } from './verifier.ts';

/** Has the rights of an administrator. */
export const NOTARY_TOKEN = 'a-token-of-the-notary';

export type BlindSetup = Awaited<ReturnType<typeof setUpBlindNotary>>;

/** What verifies proofs of this notary, and makes clients of it, for which every name resolves to loopback. */
export function blindClients(authority: TestAuthority, fingerprint: string, prover: () => MpcProver) {
  const { certificates, decoder, verify } = testVerifier(authority.root, [fingerprint]);
  const client = (given: Partial<MpcNotaryOptions & MpcNotaryDeps>): Notary =>
    createMpcNotary(mpcNotaryOptions.parse({ token: NOTARY_TOKEN, fingerprint, ...given }), {
      guard: createEgressGuard({ allow: ['127.0.0.0/8'], lookup: async () => [{ address: '127.0.0.1' }] }),
      certificates,
      extraRoots: [authority.root.pem],
      decoder,
      verify,
      clock: systemClock,
      onProgress: () => {},
      prover: prover(),
      ...given,
    });
  return { verify, client };
}

/** The socket of a session, or the status that it is refused with. */
export async function joinSession(url: string, headers: Record<string, string> = {}): Promise<WebSocket | number> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('error', () => {});
  });
}

/** The socket of a session that nobody refuses. */
export async function joinedSession(url: string, headers?: Record<string, string>): Promise<WebSocket> {
  const socket = await joinSession(url, headers);
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  return socket;
}

/** Asks for a session until a place is free: one is freed a moment after its prover has left. */
export async function openedSession<T>(ask: () => Promise<Response>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer.ok) return (await answer.json()) as T;
    const retryAfter = Number(answer.headers.get('retry-after'));
    if (answer.status !== 503 || !(retryAfter > 0)) throw new Error(`${answer.status}, Retry-After: ${retryAfter}`);
    await sleep(10);
  }
}

export async function setUpBlindNotary(
  authority: TestAuthority,
  engines: { readonly verifier: MpcVerifier; readonly prover: () => MpcProver; readonly stockVerifier?: MpcVerifier },
  options: BlindNotaryOptions = {},
  secret = new Uint8Array(randomBytes(32)),
) {
  const { fingerprint } = notaryKey(secret);
  const { verifier, stockVerifier } = engines;
  const credence = createCredence(
    {
      storage: 'sqlite::memory:',
      services: ['notary'],
      adminToken: NOTARY_TOKEN,
      notary: { key: { secret } },
      extraRoots: [authority.root.pem],
      plugins: [blindNotary({ concurrency: 2, verifier, stockVerifier, ...options })],
    },
    { logger: silentLogger },
  );
  const app = await createApp(credence);
  credence.attach(app.server);
  await credence.start();
  /** With the version. */
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/v0.1.0-alpha.12`;
  const { verify, client: clientOf } = blindClients(authority, fingerprint, engines.prover);
  const clients: Notary[] = [];
  const client = (given: Partial<MpcNotaryOptions & MpcNotaryDeps> = {}): Notary => {
    const made = clientOf({ url, ...given });
    clients.push(made);
    return made;
  };
  return {
    url,
    fingerprint,
    /** Another token that the notary lets in. */
    otherToken: (await credence.tokens.create({ name: 'other', role: 'client' })).token,
    verify,
    client,
    prove: (body: unknown, by = client()) =>
      createProve({ notaries: [by] })(proveRequestSchema.parse(body), AbortSignal.timeout(120_000)),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      // Blind sessions keep their connections open, and the application waits for these.
      await Promise.all([app.close(), credence.stop()]);
    },
  };
}
