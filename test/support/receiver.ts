/** A webhook receiver on loopback that keeps what it gets. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver() {
  const received: ReceivedWebhook[] = [];
  /** How the next requests are answered, first come first served; 204 when the list is empty. */
  const answers: number[] = [];
  const waiting = new Set<() => void>();
  /** Requests that wait for their answers. */
  const held = new Set<ReceivedWebhook>();
  /** Requests whose sender went away before it had its answer. */
  const cutOff: ReceivedWebhook[] = [];
  let isOpen = Promise.resolve();
  let release = (): void => undefined;
  const server = createServer(async (request, response) => {
    const webhook = { path: request.url ?? '', headers: request.headers, body: await text(request) };
    received.push(webhook);
    response.once('close', () => {
      if (!response.writableFinished) cutOff.push(webhook);
      held.delete(webhook);
    });
    for (const check of waiting) check();
    held.add(webhook);
    await isOpen;
    held.delete(webhook);
    const status = answers.shift() ?? 204;
    response.writeHead(status).end(status === 204 ? undefined : `I answer ${status}.`);
  });
  const listening = await listen(server);
  return {
    url: `${listening.url}/hook`,
    received,
    answers,
    /** From now on requests are kept waiting for their answers. */
    hold() {
      release();
      isOpen = new Promise((resolve) => {
        release = resolve;
      });
    },
    /** Answers those that wait, and the next ones at once. */
    release: () => release(),
    held,
    cutOff,
    /** Waits until `count` requests have come in. */
    waitFor: (count: number, timeoutMs = 30_000) =>
      new Promise<readonly ReceivedWebhook[]>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`only ${received.length} of ${count} webhooks came within ${timeoutMs} ms`));
        }, timeoutMs);
        const check = () => {
          if (received.length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        check();
      }),
    close() {
      release();
      return listening.close();
    },
  };
}
