/**
 * Webhook receivers as the world has them, all at one instance: slow, dripping, endless, cut, redirecting, gone. Each costs
 * what it must and is recorded as what it did; the good receiver among them gets everything meanwhile.
 */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createWebhookTransport } from '../../adapters/webhook-http/index.ts';
import type { WebhookTransport } from '../../core/ports/webhook-transport.ts';
import { ContainerModule, TOKENS } from '../../plugins/compose/index.ts';
import { actingOn } from '../support/campaign.ts';
import { closingAfterEach } from '../support/closing.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { listen } from '../support/listen.ts';

/** Stands for the ten seconds of the specification, so that the tests do not take them. */
const DEADLINE_MS = 800;
const EVENTS = ['creator.verified', 'reward.issued'];

let instance: TestInstance;
let deadlineMs = DEADLINE_MS;
const closing = closingAfterEach();

beforeEach(async () => {
  deadlineMs = DEADLINE_MS;
  instance = await startInstance({ config: { delayScale: 0.0001 }, options: { modules: [impatientTransport()] } });
  closing.push(() => instance.close());
});

/** The real transport with a shorter deadline for all but the good receiver, which a busy machine may hold up. */
function impatientTransport(): ContainerModule {
  const real = createWebhookTransport({ egress: createEgressGuard({ allow: ['127.0.0.0/8'] }) });
  const transport: WebhookTransport = {
    send: (request) => real.send(request.url === instance.receiver.url ? request : { ...request, deadlineMs }),
    close: () => real.close(),
  };
  return new ContainerModule(({ rebind }) => {
    rebind(TOKENS.webhookTransport).toConstantValue(transport);
  });
}

async function hookAt(server: Server): Promise<string> {
  server.on('connection', (socket: Socket) => socket.on('error', () => undefined));
  const { url, close } = await listen(server);
  closing.push(close);
  return `${url}/hook`;
}

const http = (answer: RequestListener): Promise<string> => hookAt(createServer(answer));
/** Below HTTP, once a request has begun to come in. */
const tcp = (answer: (socket: Socket) => void): Promise<string> =>
  hookAt(createTcpServer((socket) => socket.once('data', () => answer(socket))));
const saying = (text: string) => () => tcp((socket) => socket.write(text));
/** Says the first, then the second again and again until the other side has enough. */
const dripping = (start: string, piece: string) => () =>
  tcp((socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 20);
    socket.on('close', () => clearInterval(timer));
  });

const acting = () => actingOn(instance.api);

interface Try {
  readonly status: number | null;
  readonly error: string | null;
}
interface LoggedDelivery {
  readonly status: string;
  readonly tries: readonly Try[];
  readonly nextTryAt: string | null;
}

async function deliveries(path: string): Promise<readonly LoggedDelivery[]> {
  const { json } = await instance.api.call('GET', `${path}/deliveries?limit=100`);
  return json.data as unknown as readonly LoggedDelivery[];
}

const LONG_HEADER = `a: ${'b'.repeat(500)}\r\n`;
const failed = (error: RegExp) => ({ status: null, error: expect.stringMatching(error) });
const late = failed(/did not answer within/);
const cut = failed(/failed/);
const OK = 'HTTP/1.1 200 OK\r\n';

/** What each receiver does, and what the log then says of a try. */
const BAD: readonly (readonly [string, () => Promise<string>, Partial<Record<keyof Try, unknown>>])[] = [
  ['never answers', () => http(() => undefined), late],
  ['drips its head', dripping(OK, 'x: y\r\n'), failed(/did not answer within|not HTTP/)],
  ['drips interim answers', dripping('', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'), late],
  ['switches protocols', saying('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'), cut],
  ['drips its body', dripping(`${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\n.\r\n'), late],
  ['cuts the connection', () => tcp((socket) => socket.destroy()), cut],
  ['speaks no HTTP', saying('220 mail.example ESMTP\r\n'), failed(/not HTTP|failed/)],
  ['floods with headers', saying(OK + LONG_HEADER.repeat(400)), failed(/not HTTP|failed/)],
  ['is out of order', () => http((_request, response) => response.writeHead(503).end('busy')), { status: 503 }],
];

describe('receivers', () => {
  it('of every bad kind at once: the good one gets everything, each bad one is recorded as what it did', async () => {
    const { hooks, reward } = await acting().campaign();
    const paths = new Map<string, string>();
    for (const [kind, start] of BAD) {
      const hook = await acting().make(hooks, { url: await start(), events: EVENTS });
      paths.set(kind, `${hooks}/${hook.id}`);
    }
    const endless = await acting().make(hooks, {
      url: await http((_request, response) => {
        response.writeHead(200);
        response.on('error', () => undefined);
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(16_384))) {
            // The socket's own limit ends this.
          }
        };
        response.on('drain', more);
        more();
      }),
      events: EVENTS,
    });
    const good = await acting().make(hooks, { url: instance.receiver.url, events: EVENTS });

    const creators = Array.from({ length: 4 }, (_, index) => `creator${index}`);
    await Promise.all(creators.map((name) => reward(name)));
    const received = await instance.receiver.waitFor(8);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(8);
    const goodLog = await vi.waitFor(async () => {
      const log = await deliveries(`${hooks}/${good.id}`);
      expect(log.map(({ status }) => status)).toEqual(Array(8).fill('succeeded'));
      return log;
    }, 10_000);
    // Nobody was kept waiting by the others: every delivery needed one try.
    expect(goodLog.flatMap(({ tries }) => tries)).toHaveLength(8);

    // An answer is an answer, however long its body: the rest of it is not waited for.
    await vi.waitFor(async () => {
      const log = await deliveries(`${hooks}/${endless.id}`);
      expect(log.map(({ status }) => status)).toEqual(Array(8).fill('succeeded'));
    }, 10_000);

    for (const [kind, , expected] of BAD) {
      await vi.waitFor(async () => {
        const log = await deliveries(paths.get(kind) ?? '');
        const tries = log.flatMap(({ tries }) => tries);
        expect(tries, kind).toContainEqual(expect.objectContaining(expected));
        // On a busy machine any of them may be late for once; none is ever taken for a success.
        for (const one of tries) expect([expected.status, null], kind).toContain(one.status);
        for (const { status } of log) expect(['pending', 'failed'], kind).toContain(status);
      }, 10_000);
    }
  });

  it('that answers nothing holds no other up, however much is meant for it', async () => {
    // Longer than the test: a delivery behind one of its requests would wait forever.
    deadlineMs = 60_000;
    const { hooks, reward } = await acting().campaign();
    let open = 0;
    const url = await http(() => {
      open += 1;
    });
    const slow = await acting().make(hooks, { url, events: EVENTS });
    await acting().make(hooks, { url: instance.receiver.url, events: EVENTS });
    // More deliveries to the slow one than there are workers for deliveries.
    const creators = Array.from({ length: 35 }, (_, index) => `creator${index}`);
    await Promise.all(creators.map((name) => reward(name)));
    await instance.receiver.waitFor(70);
    expect(open).toBeGreaterThan(0);
    const tries = (await deliveries(`${hooks}/${slow.id}`)).flatMap((each) => each.tries);
    expect(tries).toEqual([]);
  });

  it('that share a host with thirty silent ones get everything meanwhile', async () => {
    // Longer than the test: a delivery that had to wait for a silent one would wait forever.
    deadlineMs = 60_000;
    const { hooks, reward } = await acting().campaign();
    const received: string[] = [];
    const base = await http((request, response) => {
      if (request.url !== '/hook/healthy') return;
      received.push(String(request.headers['webhook-id']));
      request.resume();
      response.writeHead(204).end();
    });
    for (let index = 0; index < 30; index += 1) await acting().make(hooks, { url: `${base}/${index}`, events: EVENTS });
    await acting().make(hooks, { url: `${base}/healthy`, events: EVENTS });
    await Promise.all(Array.from({ length: 4 }, (_, index) => reward(`creator${index}`)));
    await vi.waitFor(() => expect(new Set(received).size).toBe(8), 20_000);
  });
});
