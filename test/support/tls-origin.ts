/**
 * A TLS server on loopback with certificates of its own authority: the web that proofs are made of, for tests. It answers
 * with raw bytes, so that it can also answer wrongly.
 */
import tls from 'node:tls';
import { listen } from './listen.ts';
import {
  type IssuedCertificate,
  type IssueOptions,
  issueIntermediate,
  issueLeaf,
  issueRoot,
  type KeyKind,
  newKey,
} from './test-ca.ts';

/** The name in the default certificate; a test's guard resolves it to loopback. */
export const ORIGIN_NAME = 'origin.test';

export interface OriginRequest {
  /** The head as text, without the empty line. */
  readonly head: string;
  readonly target: string;
  readonly body: Buffer;
}

/** Writes the answer; the connection is ended afterwards unless `keepOpen` is returned. */
export type Answer = (request: OriginRequest, socket: tls.TLSSocket) => unknown;

export interface OriginOptions {
  readonly answer?: Answer | string | Buffer;
  readonly certificate?: Pick<IssuedCertificate, 'pem' | 'keyPem'>;
  /** PEM certificates sent besides the server's own. */
  readonly chain?: readonly string[];
  readonly tls?: tls.TlsOptions;
}

export type TlsOrigin = Awaited<ReturnType<typeof startOrigin>>;
export type TestAuthority = ReturnType<typeof createAuthority>;

interface LeafOptions extends Pick<IssueOptions, 'dns' | 'notBefore' | 'notAfter'> {
  readonly kind?: KeyKind;
}

/** An intermediate authority below a root, fresh unless given. */
export function createAuthority(root = issueRoot()) {
  const intermediate = issueIntermediate(root);
  const leaf = ({ kind = 'p256', dns = [ORIGIN_NAME], ...validity }: LeafOptions = {}) =>
    issueLeaf(intermediate, dns, { key: newKey(kind), ...validity });
  return { root, intermediate, leaf };
}

/** A complete HTTP/1.1 answer with a JSON body. */
export function jsonAnswer(value: unknown, headers: readonly string[] = []): string {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  const lines = ['HTTP/1.1 200 OK', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return `${[...lines, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

export async function startOrigin(authority: TestAuthority, options: OriginOptions = {}) {
  const { answer = jsonAnswer({ ok: true }), certificate = authority.leaf() } = options;
  const requests: OriginRequest[] = [];
  let connections = 0;
  const server = tls.createServer(
    {
      key: certificate.keyPem,
      cert: [certificate.pem, ...(options.chain ?? [authority.intermediate.pem])].join(''),
      ...options.tls,
    },
    (socket) => {
      // Clients that leave early are part of the tests.
      socket.on('error', () => {});
      readRequest(socket, (request) => {
        requests.push(request);
        if (typeof answer !== 'function') socket.end(answer);
        else if (answer(request, socket) !== 'keepOpen') socket.end();
      });
    },
  );
  server.on('connection', () => {
    connections += 1;
  });
  server.on('tlsClientError', () => {});
  const { port, close } = await listen(server);
  return {
    port,
    /** `https://origin.test:PORT` and the path. */
    url: (path = '/') => `https://${ORIGIN_NAME}:${port}${path}`,
    requests,
    /** TCP connections seen, TLS or not. */
    connections: () => connections,
    [Symbol.asyncDispose]: close,
  };
}

function readRequest(socket: tls.TLSSocket, done: (request: OriginRequest) => void): void {
  let received = Buffer.alloc(0);
  let finished = false;
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\r\n\r\n');
    if (finished || end === -1) return;
    const head = received.subarray(0, end).toString('utf8');
    const length = Number(/^content-length: (\d+)$/m.exec(head)?.[1] ?? 0);
    const body = received.subarray(end + 4);
    if (body.length < length) return;
    finished = true;
    done({ head, target: head.split(' ', 2)[1] ?? '', body });
  });
}
