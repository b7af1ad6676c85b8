/** Real HTTP servers around a Credence instance: every host that is mounted in tests. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createExpressServer } from '../../hosts/express-example/app.ts';
import { createApp } from '../../hosts/standalone/app.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';

export const HOST_KINDS = ['fastify', 'express'] as const;
export type HostKind = (typeof HOST_KINDS)[number];

export interface RunningHost {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Listens on a free loopback port. */
export async function startHost(kind: HostKind, credence: Mountable): Promise<RunningHost> {
  return kind === 'fastify' ? startFastify(credence) : startExpress(credence);
}

async function startFastify(credence: Mountable): Promise<RunningHost> {
  const app = await createApp(credence);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { baseUrl: urlOf(app.server), close: () => app.close() };
}

async function startExpress(credence: Mountable): Promise<RunningHost> {
  const server = createExpressServer(credence);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: urlOf(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
