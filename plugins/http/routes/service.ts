/** Routes about the service itself: liveness, readiness, the OpenAPI document and its page. */
import { z } from 'zod';
import { late } from '../../../core/late.ts';
import type { Metrics } from '../../../core/ports/telemetry.ts';
import type { Health } from '../health.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { defineRoute, type Reply, type Responses, type Route, reply } from '../route.ts';
import { docsRoutes } from './docs.ts';

export interface ServiceRouteDeps {
  readonly health: () => Promise<Health>;
  /** For Prometheus. */
  readonly metrics: () => Promise<Metrics>;
  /** Made at the first request, from the whole table. */
  readonly openApiDocument: () => Promise<OpenApiDocument>;
}

export function createServiceRoutes(deps: ServiceRouteDeps): Route[] {
  const readDocument = late(deps.openApiDocument);
  let text: string | undefined;
  /** Of the mount that was asked last: nearly always the same. */
  let latest: { readonly baseUrl: string; readonly reply: Reply } | undefined;
  return [
    defineRoute('liveness', 'GET /healthz', {
      tag: 'Service',
      summary: 'Whether the process answers',
      description: 'For a supervisor: it asks neither the storage nor anything else.',
      access: 'public',
      probe: true,
      responses: { 200: { description: 'It does.', schema: z.object({ status: z.literal('ok') }) } },
      handle: async () => reply(200, { status: 'ok' as const }),
    }),
    defineRoute('readiness', 'GET /readyz', {
      tag: 'Service',
      summary: 'Whether the instance can serve: storage reachable, started, not stopping',
      description: 'For a load balancer.',
      access: 'public',
      probe: true,
      responses: {
        200: { description: 'Ready.', schema: readiness },
        503: {
          description: 'Not ready; `checks` says why.',
          schema: readiness,
          example: { ready: false, checks: { lifecycle: 'stopping', storage: 'ok' } },
        },
      },
      handle: async () => {
        const health = await deps.health();
        return health.ready ? reply(200, health) : reply(503, health);
      },
    }),
    metricsRoute(deps.metrics),
    defineRoute('openapi', 'GET /openapi.json', {
      tag: 'Service',
      summary: 'This document',
      description: 'OpenAPI 3.1, made from the routes that this instance serves.',
      access: 'public',
      // Written once as text, which no schema describes.
      responses: { 200: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()) } } as Responses,
      handle: async ({ baseUrl }) => {
        if (latest?.baseUrl !== baseUrl) {
          const document = await readDocument();
          text ??= JSON.stringify(document);
          // Anybody may ask for it, and leave it unread on any number of connections: they share its bytes.
          const body = Buffer.from(document.servers ? text : withServer(text, baseUrl));
          latest = { baseUrl, reply: { status: 200, contentType: 'application/json; charset=utf-8', body } };
        }
        return latest.reply;
      },
    }),
    ...docsRoutes,
  ];
}

/**
 * Without a configured URL the paths are below wherever this mount was asked. Spliced into the text, which anybody may ask
 * for as often as they like and which is written once.
 */
function withServer(text: string, baseUrl: string): string {
  return `{"servers":${JSON.stringify([{ url: baseUrl }])},${text.slice(1)}`;
}

const readiness = z.object({ ready: z.boolean(), checks: z.record(z.string(), z.string()) }).meta({ id: 'Readiness' });

function metricsRoute(metrics: () => Promise<Metrics>): Route {
  return defineRoute('metrics', 'GET /metrics', {
    tag: 'Service',
    summary: 'Figures for Prometheus',
    description:
      'Requests, jobs, deliveries, reads of platforms and proofs of this process, each with outcome and duration. The jobs of the shared queue; memory, processor time and the delay of the event loop since the last scrape.',
    access: 'admin',
    brand: 'none',
    probe: true,
    responses: {
      200: {
        description: 'In the text format of Prometheus.',
        contentType: 'text/plain',
        example: 'credence_jobs{state="queued"} 4\n',
      },
    },
    handle: async () => {
      const { contentType, text } = await metrics();
      return { status: 200, contentType, body: text };
    },
  });
}
