/** The brand's side: a webhook receiver that checks signatures and fails when told to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@credence/client/webhooks';

export interface ReceivedEvent {
  readonly messageId: string;
  readonly event: string;
  readonly signatureHolds: boolean;
}

export interface Receiver {
  readonly url: string;
  /** Set as soon as the webhook is registered. */
  secret: string;
  /** How many of the next requests are answered with 500. */
  failNext: number;
  readonly accepted: ReceivedEvent[];
  readonly refused: ReceivedEvent[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const received: ReceivedEvent = {
      messageId: String(request.headers['webhook-id']),
      event: (JSON.parse(body.toString('utf8')) as { event: string }).event,
      signatureHolds: signatureHolds(body, request.headers, receiver.secret),
    };
    const refuse = receiver.failNext > 0;
    if (refuse) receiver.failNext -= 1;
    (refuse ? receiver.refused : receiver.accepted).push(received);
    response.writeHead(refuse ? 500 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    secret: '',
    failNext: 0,
    accepted: [],
    refused: [],
    close: () => server[Symbol.asyncDispose](),
  };
  return receiver;
}

function signatureHolds(...signed: Parameters<typeof verifyWebhook>): boolean {
  try {
    verifyWebhook(...signed);
    return true;
  } catch {
    return false;
  }
}
