import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { type Agent, request } from 'undici';
import { describe, expect, it } from 'vitest';
import { readInPieces } from '../../../adapters/egress-guard/guarded-agent.ts';
import {
  connectChecked,
  createEgressGuard,
  createGuardedAgent,
  type Lookup,
} from '../../../adapters/egress-guard/index.ts';
import { type EgressGuard, type EgressRefusal, EgressRefused } from '../../../core/ports/egress.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { listen } from '../../support/listen.ts';

const PUBLIC = '93.184.216.34';

async function refusal(promise: Promise<unknown>): Promise<EgressRefusal | 'accepted'> {
  try {
    await promise;
    return 'accepted';
  } catch (error) {
    if (error instanceof EgressRefused) return error.reason;
    throw error;
  }
}

const answering = (...addresses: string[]) =>
  createEgressGuard({ lookup: async () => addresses.map((address) => ({ address })) });

describe('literals', () => {
  const guard = createEgressGuard({ lookup: () => Promise.reject(new Error('literals must not be looked up')) });

  // Beside those that test/security/outbound.test.ts tries on every way out.
  it.each([
    '192.0.2.1',
    '240.0.0.1',
    '::1',
    '[ff02::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[4000::1]',
    '[::ffff:0:7f00:1]',
    // Services of clouds for their own machines, some of them at public addresses.
    '0xa83f8110',
    '[64:ff9b::168.63.129.16]',
    '[2002:a83f:8110::1]',
    '[::168.63.129.16]',
    '192.80.8.124',
    '161.26.0.10',
    '166.9.1.1',
    '100.100.100.200',
    '100.88.222.5',
    '192.0.0.192',
    '169.254.170.2',
    '169.254.42.42',
    '[fe80::a9fe:a9fe]',
    '[fd00:ec2::23]',
    '[fd20:ce::254]',
    '[fd00:c1::a9fe:a9fe]',
    '[fd00:42::42]',
    '[fd00:a9fe:a9fe::1]',
    '[fd00:100::100:200]',
  ])('refuses %s', async (host) => {
    expect(await refusal(guard.resolve(host, 443))).toBe('address');
  });

  it.each([
    [PUBLIC, PUBLIC, 4],
    ['0x5db8d822', PUBLIC, 4],
    ['[::ffff:93.184.216.34]', PUBLIC, 4],
    ['[2606:2800:220:1::1]', '2606:2800:220:1::1', 6],
  ] as const)('reaches %s at %s', async (host, address, family) => {
    expect(await guard.resolve(host, 443)).toEqual([{ address, family }]);
  });

  it.each([
    '',
    'a b',
    'a/b',
    'user@a',
    'a?b',
    'a#b',
    'a\\b',
    'a:8443',
    '1.2.3.4.5',
    '999.1.1.1',
    '[::1',
    'fe80::1%eth0',
    'x'.repeat(300),
    'a%2eb',
  ])('does not take %j for a host', async (host) => {
    expect(await refusal(guard.resolve(host, 443))).toBe('host');
  });
});

describe('services of clouds', () => {
  const reach = (allow: string[], host: string) => refusal(createEgressGuard({ allow }).resolve(host, 443));

  it.each([
    [['0.0.0.0/0', '::/0'], '168.63.129.16'],
    [['168.0.0.0/8'], '168.63.129.16'],
    [['100.64.0.0/10'], '100.100.100.200'],
    [['fc00::/7', 'fd00::/8'], 'fd00:ec2::254'],
    [['fd20:ce::/64'], 'fd20:ce::254'],
    [['64:ff9b::/96'], '64:ff9b::a9fe:a9fe'],
    [['2002::/16'], '2002:a83f:8110::'],
    // A local prefix of NAT64 has 48, 56, 64 or 96 bits.
    [['64:ff9b:1::/48'], '64:ff9b:1:a9fe:a9:fe00::'],
    [['64:ff9b:1::/48'], '64:ff9b:1:a83f:81:1000::'],
    [['64:ff9b:1::/48'], '64:ff9b:1:12a9:fe:a9fe::'],
    [['64:ff9b:1::/48'], '64:ff9b:1:1234:a9:fea9:fe00:0'],
    [['64:ff9b:1::/48'], '64:ff9b:1:1234::a9fe:a9fe'],
    [['64:ff9b:1:1234::/96'], '64:ff9b:1:1234::a9fe:a9fe'],
    // Teredo inverts the address of its client.
    [['2001::/32'], '2001:0:5db8:d822:8000:63bf:5601:5601'],
    [['2001::/32'], '2001:0:5db8:d822:8000:63bf:57c0:7eef'],
    [['169.0.0.0/8'], '169.254.169.254'],
  ])('stay closed when the allowed networks %j hold %s', async (allow, host) => {
    expect(await reach(allow, host)).toBe('address');
  });

  it.each([
    [['168.63.129.16/32'], '168.63.129.16'],
    [['169.254.0.0/16'], '169.254.169.254'],
    [['169.254.169.254/32'], '169.254.169.254'],
    [['fd00:ec2::/32'], 'fd00:ec2::254'],
    [['64:ff9b::a9fe:a9fe/128'], '64:ff9b::a9fe:a9fe'],
    [['100.64.0.0/10'], '100.100.100.201'],
    [['64:ff9b::/96'], '64:ff9b::5db8:d822'],
    [['64:ff9b:1:a9fe:a9:fe00::/128'], '64:ff9b:1:a9fe:a9:fe00::'],
    [['64:ff9b:1::/48'], '64:ff9b:1:5db8:d8:2200::'],
    [['64:ff9b:1::/48'], '64:ff9b:1:1234::5db8:d822'],
    [['2001::/32'], '2001:0:a9fe:a9fe:8000:63bf:a247:27dd'],
    [['2001::/32'], '2001:0:5db8:d822:8000:63bf:a9fe:a9fe'],
  ])('are opened by name: %j opens %s', async (allow, host) => {
    expect(await reach(allow, host)).toBe('accepted');
  });
});

describe('names', () => {
  it('refuses a name without an address, one with too many, and a name server that fails or hangs', async () => {
    expect(await refusal(answering().resolve('a.example', 443))).toBe('unresolvable');
    expect(await refusal(answering(...Array(65).fill(PUBLIC)).resolve('a.example', 443))).toBe('unresolvable');
    const failing = createEgressGuard({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await refusal(failing.resolve('a.example', 443))).toBe('unresolvable');
    const hanging = createEgressGuard({ lookup: () => new Promise(() => {}), lookupTimeoutMs: 5 });
    expect(await refusal(hanging.resolve('a.example', 443))).toBe('timeout');
  });

  it('tells the lookup to end when its time is up, or when nobody waits for it any more', async () => {
    const signals: AbortSignal[] = [];
    const lookup: Lookup = (_host, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    expect(await refusal(createEgressGuard({ lookup, lookupTimeoutMs: 5 }).resolve('a.example', 443))).toBe('timeout');
    const leaving = new AbortController();
    const left = createEgressGuard({ lookup }).resolve('a.example', 443, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await expect(createEgressGuard({ lookup }).resolve('a.example', 443, leaving.signal)).rejects.toThrow('gone');
    expect(signals).toHaveLength(2);
  });

  it('refuses localhost as the system resolves it', async () => {
    expect(await refusal(createEgressGuard().resolve('localhost', 443))).toBe('address');
  });
});

describe('ports and the allow-list', () => {
  it('lets through 443 and the configured ports only', async () => {
    const guard = createEgressGuard({ ports: [8443] });
    expect(await refusal(guard.resolve(PUBLIC, 443))).toBe('accepted');
    expect(await refusal(guard.resolve(PUBLIC, 8443))).toBe('accepted');
    expect(await refusal(guard.resolve(PUBLIC, 22))).toBe('port');
  });

  it('refuses a port before the host is known, unless the host may be an allowed one', () => {
    const refused = (allow: string[]) => () => createEgressGuard({ allow, ports: [80] }).checkPort(1023);
    expect(refused([])).toThrow(
      'Port 1023 is not open to outbound requests; allowed: 443, 80. Name others in EGRESS_PORTS',
    );
    expect(refused([])).toThrow(EgressRefused);
    expect(refused(['127.0.0.0/8'])).not.toThrow();
  });

  it.each([0, -1, 65_536, Number.NaN])('refuses port %s everywhere', async (port) => {
    const guard = createEgressGuard({ allow: ['127.0.0.0/8'], portsFrom: 1 });
    expect(await refusal(guard.resolve('127.0.0.1', port))).toBe('port');
    expect(() => guard.checkPort(port)).toThrow(`Port ${port} cannot be connected to`);
  });

  it('reaches an allowed network on any port, and nothing beside it', async () => {
    const guard = createEgressGuard({ allow: ['127.0.0.0/8', '::ffff:10.1.0.0/112', 'fd00::/8'] });
    expect(await refusal(guard.resolve('127.9.9.9', 61_000))).toBe('accepted');
    expect(await refusal(guard.resolve('[::ffff:127.0.0.1]', 1))).toBe('accepted');
    expect(await refusal(guard.resolve('10.1.2.3', 1))).toBe('accepted');
    expect(await refusal(guard.resolve('10.2.0.1', 443))).toBe('address');
    expect(await refusal(guard.resolve('[fd00::5]', 99))).toBe('accepted');
    expect(await refusal(guard.resolve('[::1]', 443))).toBe('address');
  });

  it('does not open other ports of a public address that shares its name with an allowed one', async () => {
    const lookup = async () => [{ address: '127.0.0.1' }, { address: PUBLIC }];
    const guard = createEgressGuard({ allow: ['127.0.0.0/8'], lookup });
    expect(await refusal(guard.resolve('mixed.example', 22))).toBe('port');
  });

  it('refuses a malformed network', () => {
    expect(() => createEgressGuard({ allow: ['127.0.0.0'] })).toThrow(/CIDR/);
  });
});

describe('connections', () => {
  const closing = closingAfterEach();

  async function portOf(server: net.Server): Promise<number> {
    const { port, close } = await listen(server);
    closing.push(close);
    return port;
  }

  async function guardedAgent(guard: EgressGuard): Promise<Agent> {
    const agent = await createGuardedAgent(guard, { connectTimeoutMs: 1_000 });
    closing.push(() => agent.destroy());
    return agent;
  }

  it('parses what a server sends in small pieces, and none of it once the connection is destroyed', async () => {
    const sent = Buffer.alloc(60_000, 'a:b\r\n');
    const server = net.createServer((socket) => socket.on('error', () => {}).end(sent));
    const socket = net.connect(await portOf(server), '127.0.0.1');
    readInPieces(socket);
    const pieces: Buffer[] = [];
    socket.on('readable', () => {
      for (let piece = socket.read(); piece !== null; piece = socket.read()) {
        pieces.push(piece);
        if (Buffer.concat(pieces).length > 50_000) socket.destroy();
      }
    });
    await once(socket, 'close');
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(2_048);
    expect(Buffer.concat(pieces)).toEqual(sent.subarray(0, 25 * 2_048));
  });

  it('gives a long answer whole, and an error for too many headers', async () => {
    const body = 'long '.repeat(60_000);
    const server = net.createServer((socket) => {
      const headers = (path: string) => (path.includes(' /flood ') ? 'a:b\r\n'.repeat(40_000) : '');
      socket.on('error', () => {});
      socket.on('data', (asked) =>
        socket.write(`HTTP/1.1 200 OK\r\n${headers(String(asked))}content-length: ${body.length}\r\n\r\n${body}`),
      );
    });
    const port = await portOf(server);
    const agent = await guardedAgent(createEgressGuard({ allow: ['127.0.0.1/32'] }));
    const answer = await request(`http://127.0.0.1:${port}/`, { dispatcher: agent });
    expect(await answer.body.text()).toBe(body);
    const flood = request(`http://127.0.0.1:${port}/flood`, { dispatcher: agent });
    await expect(flood).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_OVERFLOW' });
  });

  it('opens a socket to a checked address, trying the next when one does not listen', async () => {
    const port = await portOf(http.createServer());
    const addresses = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ] as const;
    const socket = await connectChecked(addresses, port, new AbortController().signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  it('gives up with the reason of the signal', async () => {
    const reason = new Error('deadline');
    await expect(connectChecked([{ address: PUBLIC, family: 4 }], 443, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const pending = connectChecked([{ address: '192.0.2.1', family: 4 }], 443, controller.signal);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });
});
