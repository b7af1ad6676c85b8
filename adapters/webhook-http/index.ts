/** Sends webhooks over HTTP. The HTTP client is loaded by the first delivery. */
import { late } from '../../core/late.ts';
import type { EgressGuard } from '../../core/ports/egress.ts';
import type { WebhookTransport } from '../../core/ports/webhook-transport.ts';
import { optionsSchema, type WebhookHttpInput } from './options.ts';

/** What `createWebhookTransport` takes; `egress` decides which receivers may be reached. */
export type WebhookHttpOptions = WebhookHttpInput & { readonly egress: EgressGuard };

/**
 * Every connection goes through the egress guard. Redirects are never followed. The first KiB of the answer's body is kept; beyond
 * 64 KiB it is not read. One deadline covers everything.
 * @throws ZodError for options out of range
 */
export function createWebhookTransport({ egress, ...rest }: WebhookHttpOptions): WebhookTransport {
  const settings = optionsSchema.parse(rest);
  const transport = late(async () => (await import('./undici-transport.ts')).createUndiciTransport(egress, settings));
  return {
    send: async (request) => (await transport()).send(request),
    close: async () => (await transport.ifMade())?.close(),
  };
}
