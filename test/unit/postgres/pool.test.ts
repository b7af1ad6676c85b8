import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createPool } from '../../../adapters/postgres/pool.ts';

/** A message of the protocol. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
}

it('a connection that is cut as it opens fails what is asked on it, and nothing else', async () => {
  const cut = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const answer = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I')), message('E', cut)]);
  const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(answer)));
  await once(server.listen(0), 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = await createPool(`postgres://user:password@localhost:${port}/test?sslmode=disable`);
  const client = await pool.connect();
  client.on('error', () => undefined);
  await expect(client.query({ text: 'SELECT 1', query_timeout: 1_000 })).rejects.toThrow('Client');
  client.release(true);
  await pool.end();
  server.close();
});
