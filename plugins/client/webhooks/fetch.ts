import { createBodyCollector, createReceiver, TOO_LARGE, type WebhookAnswer, type WebhookHandler } from './receive.ts';
import type { VerifyWebhookOptions, WebhookSecret } from './verify-webhook.ts';

/**
 * The handler of a receiver that takes a `Request` and returns a `Response`, for Next.js, Hono, Deno and Workers:
 *
 *     export const POST = webhookFetch(secret, async (event) => { … });
 *
 * Next.js loads the file when it builds: if the secret is not there yet, make the handler with the first request.
 *
 * It rejects with what `handler` throws, which the framework answers with 500.
 *
 * @throws WebhookVerificationError `INVALID_SECRET` at once
 */
export function webhookFetch(
  secret: WebhookSecret,
  handler: WebhookHandler,
  options: VerifyWebhookOptions = {},
): (request: Request) => Promise<Response> {
  const receive = createReceiver(secret, handler, options);
  return async (request) => {
    const body = await bodyOf(request);
    return toResponse(body === TOO_LARGE ? TOO_LARGE : await receive(body, request.headers));
  };
}

function toResponse({ status, body }: WebhookAnswer): Response {
  if (body === undefined) return new Response(null, { status });
  return new Response(body, { status, headers: { 'content-type': 'application/json' } });
}

/** Undefined if something else has read it: `verifyWebhook` says what to do. */
async function bodyOf(request: Request): Promise<Uint8Array | typeof TOO_LARGE | undefined> {
  if (request.bodyUsed) return undefined;
  const collected = createBodyCollector();
  for await (const piece of request.body ?? []) if (!collected.add(piece)) return TOO_LARGE;
  return collected.bytes();
}
