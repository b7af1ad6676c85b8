/** `credence webhooks listen`: a receiver on this machine that registers itself, checks signatures and prints events. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { EVENT_NAMES } from '../../core/engagement/webhooks/outbox.ts';
import { verifyWebhook, WebhookVerificationError } from '../../plugins/client/webhooks/index.ts';
import { createBodyCollector } from '../../plugins/client/webhooks/receive.ts';
import { groupOf } from './operations.ts';
import { dataOf } from './output.ts';
import { callFor, type Surroundings } from './surroundings.ts';
import { isTargetUrl } from './target.ts';
import { UsageError } from './usage-error.ts';

const ALL_EVENTS = EVENT_NAMES.join(',');

interface ListenOptions {
  readonly port: string;
  readonly publicUrl?: string;
  readonly events: string;
  readonly reply: string;
  readonly forwardTo?: string;
  readonly json?: boolean;
}

/** Adds `listen` to the group `webhooks`. It ends, and removes its webhook, when the signal fires. */
export function addListenCommand(program: Command, around: Surroundings): void {
  groupOf(program, 'webhooks')
    .command('listen')
    .description('receives events on this machine, checks their signatures and prints them until Ctrl-C')
    .argument('<brand-id>')
    .option('--port <number>', 'port on 127.0.0.1; a free one by default', '0')
    .option('--public-url <url>', 'the address under which the instance reaches this machine, of a tunnel for example')
    .option('--events <names>', 'comma separated', ALL_EVENTS)
    .option('--reply <status>', 'the status to answer with, to try retries', '204')
    .option('--forward-to <url>', 'where to send each verified event on, as it came; its answer is the answer')
    .addHelpText(
      'after',
      '\nExample:\n  credence webhooks listen 1 --events reward.issued --reply 503\n  credence webhooks listen 1 --forward-to http://localhost:4000/webhooks',
    )
    .action(async (brandId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListenOptions>();
      const reply = Number(options.reply);
      if (!/^[2-5]\d\d$/.test(options.reply)) throw new UsageError('--reply takes a status from 200 to 599.');
      if (!/^\d{1,5}$/.test(options.port)) throw new UsageError('--port takes a number from 0 to 65535.');
      const { forwardTo } = options;
      if (forwardTo !== undefined && !isTargetUrl(forwardTo))
        throw new UsageError('--forward-to takes an http or https URL.');
      let secret = '';
      const server = createServer((request, response) => {
        const collected = createBodyCollector();
        request.on('data', (piece: Buffer) => {
          if (!collected.add(piece)) request.destroy();
        });
        request.on('end', async () => {
          const body = collected.bytes();
          const { isVerified, text } = described(body, request.headers, secret, options.json === true);
          around.print(text);
          if (forwardTo === undefined || !isVerified) return response.writeHead(reply).end();
          const { status, told } = await forwarded(forwardTo, body, request.headers);
          around.printError(`  ${forwardTo}: ${told}`);
          return response.writeHead(status).end();
        });
      });
      server.listen(Number(options.port), '127.0.0.1');
      await once(server, 'listening');
      const url = options.publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      try {
        const body = { url, events: options.events.split(','), description: 'credence webhooks listen' };
        const made = await callFor(around, command, ['webhooks', 'create'], { path: { brandId }, body });
        const webhook = dataOf(made) as { readonly id: number; readonly secret: string };
        secret = webhook.secret;
        if (options.json !== true) around.print(`Webhook ${webhook.id} sends to ${url}. Ctrl-C removes it.`);
        // The receiver behind this one checks the signature too.
        if (forwardTo !== undefined) around.printError(`Its secret, for ${forwardTo}: ${secret}`);
        if (!around.signal.aborted) await once(around.signal, 'abort');
        await callFor(around, command, ['webhooks', 'delete'], { path: { brandId, webhookId: webhook.id } });
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
}

function described(
  body: Uint8Array,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  secret: string,
  asJson: boolean,
): { readonly isVerified: boolean; readonly text: string } {
  try {
    const event = verifyWebhook(body, headers, secret);
    return { isVerified: true, text: asJson ? JSON.stringify(event) : `${event.event}  ${JSON.stringify(event.data)}` };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return {
      isVerified: false,
      text: asJson ? JSON.stringify({ refused: error.code }) : `refused: ${error.message}`,
    };
  }
}

const OF_THE_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'];
/** Less than the instance waits for an answer. */
const FORWARD_TIMEOUT_MS = 9_000;

/** Sends the same bytes with the same headers. What does not answer is 502 to the instance, which tries again. */
async function forwarded(url: string, body: Uint8Array, headers: IncomingHttpHeaders) {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    OF_THE_CONNECTION.includes(name) || value === undefined ? [] : [[name, String(value)]],
  );
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
    const request: RequestInit = { method: 'POST', headers: sent, body: Buffer.from(body), redirect: 'manual', signal };
    const { status } = await fetch(url, request);
    return { status, told: String(status) };
  } catch (error) {
    return { status: 502, told: `no answer (${((error as Error).cause as Error | undefined)?.message ?? error})` };
  }
}
