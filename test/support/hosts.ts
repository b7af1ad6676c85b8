/** Real HTTP servers around a Credence instance: every host that is mounted in tests. */
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { createApp } from '../../hosts/standalone/app.ts';
import { credenceFetch } from '../../plugins/fetch/index.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { createExpressServer } from './express-server.ts';
import { listen } from './listen.ts';

export const HOST_KINDS = ['fastify', 'express'] as const;
export type HostKind = (typeof HOST_KINDS)[number];
/** The web-standard handler besides, in a Hono application. */
export const MOUNT_KINDS = [...HOST_KINDS, 'fetch'] as const;
export type MountKind = (typeof MOUNT_KINDS)[number];

export interface RunningHost extends AsyncDisposable {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Listens on a free loopback port. */
export async function startHost(kind: MountKind, credence: Mountable): Promise<RunningHost> {
  const { url: baseUrl, close } = await START[kind](credence);
  return { baseUrl, close, [Symbol.asyncDispose]: close };
}

type Start = (credence: Mountable) => Promise<{ readonly url: string; close(): Promise<void> }>;

const START: Readonly<Record<MountKind, Start>> = {
  async fastify(credence) {
    const app = await createApp(credence);
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
  },
  express: (credence) => listen(createExpressServer(credence)),
  fetch(credence) {
    const handle = credenceFetch(credence, { ipOf: () => '127.0.0.1' });
    const app = new Hono().all('*', (context) => handle(context.req.raw));
    return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
  },
};
