import { createReceiver, MAX_BODY_BYTES, type WebhookHandler } from './receive.ts';
import type { VerifyWebhookOptions, WebhookSecret } from './verify-webhook.ts';

/** What is read of a request of Fastify 4 or 5. */
export interface FastifyWebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** What is used of a reply of Fastify 4 or 5. */
export interface FastifyWebhookReply {
  code(status: number): unknown;
  type(contentType: string): unknown;
  send(text?: string): unknown;
}

/** What is used of an instance of Fastify 4 or 5. */
export interface FastifyWebhookApp {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { readonly parseAs: 'buffer'; readonly bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (request: FastifyWebhookRequest, reply: FastifyWebhookReply) => Promise<unknown>,
  ): unknown;
}

/**
 * The plugin of a receiver on Fastify 4 or 5:
 *
 *     await app.register(webhookFastify(secret, async (event) => { … }), { prefix: '/webhooks/credence' });
 *
 * It is encapsulated: its reading of bodies does not touch the host's own routes. Errors of `handler` go to the host's error
 * handler.
 *
 * @throws WebhookVerificationError `INVALID_SECRET` at once
 */
export function webhookFastify(
  secret: WebhookSecret,
  handler: WebhookHandler,
  options: VerifyWebhookOptions = {},
): (app: FastifyWebhookApp) => Promise<void> {
  const receive = createReceiver(secret, handler, options);
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) => {
      done(null, body);
    });
    app.post('/', async (request, reply) => {
      const { status, body } = await receive(request.body ?? new Uint8Array(), request.headers);
      reply.code(status);
      if (body !== undefined) reply.type('application/json');
      return reply.send(body);
    });
  };
}
