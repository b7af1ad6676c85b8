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

export interface RunningHost {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Listens on a free loopback port. */
export async function startHost(kind: MountKind, credence: Mountable): Promise<RunningHost> {
  return START[kind](credence);
}

const START: Readonly<Record<MountKind, (credence: Mountable) => Promise<RunningHost>>> = {
  fastify: startFastify,
  express: startExpress,
  fetch: startHono,
};

async function startHono(credence: Mountable): Promise<RunningHost> {
  const handle = credenceFetch(credence, { ipOf: () => '127.0.0.1' });
  const app = new Hono().all('*', (context) => handle(context.req.raw));
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  return serve(server);
}

async function startFastify(credence: Mountable): Promise<RunningHost> {
  const app = await createApp(credence);
  return { baseUrl: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
}

async function startExpress(credence: Mountable): Promise<RunningHost> {
  return serve(createExpressServer(credence));
}

async function serve(server: Server): Promise<RunningHost> {
  const { url, close } = await listen(server);
  return { baseUrl: url, close };
}
