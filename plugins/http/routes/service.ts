/** Routes about the service itself: liveness, readiness, the OpenAPI document. */
import { z } from 'zod';
import type { Health } from '../health.ts';
import { defineRoute, type Route } from '../route.ts';

export interface ServiceRouteDeps {
  readonly health: () => Promise<Health>;
  /** Made at the first request, from the whole table. */
  readonly openApiDocument: () => object;
}

export function createServiceRoutes(deps: ServiceRouteDeps): Route[] {
  let document: object | undefined;
  return [
    defineRoute({
      id: 'liveness',
      method: 'GET',
      path: '/healthz',
      tag: 'Service',
      summary: 'Whether the process answers',
      access: 'public',
      responses: { 200: { description: 'It does.', schema: z.object({ status: z.literal('ok') }) } },
      handle: async () => ({ status: 200, body: { status: 'ok' } }),
    }),
    defineRoute({
      id: 'readiness',
      method: 'GET',
      path: '/readyz',
      tag: 'Service',
      summary: 'Whether the instance can serve: storage reachable, started, not stopping',
      access: 'public',
      responses: {
        200: { description: 'Ready.', schema: readiness },
        503: { description: 'Not ready; `checks` says why.', schema: readiness },
      },
      handle: async () => {
        const health = await deps.health();
        return { status: health.ready ? 200 : 503, body: health };
      },
    }),
    defineRoute({
      id: 'openapi',
      method: 'GET',
      path: '/openapi.json',
      tag: 'Service',
      summary: 'This document',
      access: 'public',
      responses: { 200: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()) } },
      handle: async () => {
        document ??= deps.openApiDocument();
        return { status: 200, body: document };
      },
    }),
  ];
}

const readiness = z.object({ ready: z.boolean(), checks: z.record(z.string(), z.string()) }).meta({ id: 'Readiness' });
