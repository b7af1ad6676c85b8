/** How many commands a MongoDB is sent, seen on the wire: no storage has to tell. */
import { createTcpProxy } from '../support/tcp-proxy.ts';

export interface CommandCounter extends AsyncDisposable {
  /** In place of the server's own. */
  readonly url: string;
  /** Those so far, without what the driver asks about the server. */
  commands(): number;
}

/** A message is a header of four numbers (its length first, what it is last), flags, and a document in a section. */
const HEADER_BYTES = 16;
const OP_MSG = 2_013;
/** The name of the first field: behind flags, the kind of the section, the document's length and the field's type. */
const NAME_AT = HEADER_BYTES + 4 + 1 + 4 + 1;
const LONGEST_NAME = 64;
const OF_THE_DRIVER: readonly string[] = ['hello', 'isMaster', 'ismaster', 'ping', 'endSessions'];

/** Stands before the server that `url` names, which has to be a single one. */
export async function countCommands(url: string): Promise<CommandCounter> {
  const { hostname, port } = new URL(url);
  let commands = 0;
  const count = (name: string) => {
    if (!OF_THE_DRIVER.includes(name)) commands += 1;
  };
  const proxy = await createTcpProxy({ host: hostname, port: Number(port) }, () => messageReader(count));
  const counted = new URL(url);
  counted.host = `127.0.0.1:${proxy.port}`;
  return { url: counted.href, commands: () => commands, [Symbol.asyncDispose]: () => proxy.close() };
}

/** Takes what a client sends, however it is cut, and tells the name of each command. */
function messageReader(tell: (name: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES) {
      const length = rest.readInt32LE(0);
      if (rest.length < length) return;
      if (rest.readInt32LE(12) === OP_MSG) {
        const name = rest.toString('latin1', NAME_AT, Math.min(length, NAME_AT + LONGEST_NAME));
        tell(name.slice(0, name.indexOf('\0')));
      }
      rest = rest.subarray(length);
    }
  };
}
