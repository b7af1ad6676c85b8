import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createNameLookup } from '../../../adapters/egress-guard/index.ts';

const A = 1;
const AAAA = 28;
const HEADER = 12;
const NEVER = new AbortController().signal;

/** Records by name and type; a name in `silent` gets no answer. */
const records: Readonly<Record<string, Readonly<Record<number, readonly number[]>>>> = {
  'both.example': { [A]: [93, 184, 216, 34], [AAAA]: [0x26, 0x06, ...new Array(13).fill(0), 1] },
  'four.example': { [A]: [93, 184, 216, 35] },
};
const SILENT = 'silent.example';

const questions: string[] = [];

/** The name that a question asks for, and where its type stands. */
function readName(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function answerTo(message: Buffer, name: string, end: number): Buffer {
  const known = records[name];
  const data = known?.[message.readUInt16BE(end)];
  const head = Buffer.from(message.subarray(0, HEADER));
  head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(data === undefined ? 0 : 1, 6);
  head.fill(0, 8);
  const question = message.subarray(HEADER, end + 4);
  if (data === undefined) return Buffer.concat([head, question]);
  const record = Buffer.from([0xc0, HEADER, 0, message.readUInt16BE(end), 0, 1, 0, 0, 0, 60, 0, data.length, ...data]);
  return Buffer.concat([head, question, record]);
}

const server = createSocket('udp4', (message, { port, address }) => {
  const { name, end } = readName(message);
  questions.push(name);
  if (name !== SILENT) server.send(answerTo(message, name, end), port, address);
});
server.bind(0, '127.0.0.1');
await once(server, 'listening');
const directory = await mkdtemp(join(tmpdir(), 'hosts-'));
const hostsFile = join(directory, 'hosts');
await writeFile(
  hostsFile,
  '# 10.9.9.9 commented.example\n10.0.0.1\tListed.example alias # 10.0.0.2 no.example\n::1 alias\r\n',
);
const servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
const lookup = createNameLookup({ hostsFile, servers });
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

describe('a lookup of a name', () => {
  it.each([
    ['both.example', ['93.184.216.34', '2606::1']],
    ['FOUR.example.', ['93.184.216.35']],
  ])('finds the addresses of %s by DNS', async (name, addresses) => {
    expect(await lookup(name, NEVER)).toEqual(addresses.map((address) => ({ address })));
  });

  it.each([
    ['listed.example', ['10.0.0.1']],
    ['ALIAS', ['10.0.0.1', '::1']],
    ['localhost', ['127.0.0.1', '::1']],
    ['a.localhost', ['127.0.0.1', '::1']],
  ])('finds %s without a name server', async (name, addresses) => {
    const asked = questions.length;
    expect(await lookup(name, NEVER)).toEqual(addresses.map((address) => ({ address })));
    expect(questions).toHaveLength(asked);
  });

  it.each(['unknown.example', 'commented.example', 'no.example'])('finds nothing for %s', async (name) => {
    await expect(lookup(name, NEVER)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('ends when its signal fires, and says if no name server answers', async () => {
    const leaving = new AbortController();
    const left = lookup(SILENT, leaving.signal);
    await expect.poll(() => questions.includes(SILENT)).toBe(true);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'ECANCELLED' });
    const impatient = createNameLookup({ servers, attemptMs: 20 });
    await expect(impatient(SILENT, NEVER)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });
});
