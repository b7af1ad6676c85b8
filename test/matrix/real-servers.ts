/** TLS servers of Debian, with the least configuration that serves one answer. */
import { spawnSync } from 'node:child_process';

/** What a server offers; `usual` is whatever it does when it is not told. */
export const OFFERS = ['usual', 'ChaCha20 only', 'CBC only', 'TLS 1.3 only'] as const;
export type Offer = (typeof OFFERS)[number];

export interface ServerSite {
  /** Where the server may write. */
  readonly folder: string;
  readonly port: number;
  readonly offer: Offer;
  /** Files in `folder`, PEM: the leaf with its chain, the leaf alone, the chain alone, and the key. */
  readonly fullChain: string;
  readonly leaf: string;
  readonly chain: string;
  readonly key: string;
}

export interface ServerCommand {
  readonly args: readonly string[];
  /** Files to write into `folder` first. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface RealServer {
  readonly name: string;
  readonly command: string;
  /** Debian's package. */
  readonly package: string;
  configure(site: ServerSite): ServerCommand;
}

export const ANSWER = 'proven';
const RESPONSE = `HTTP/1.1 200 OK\r\nContent-Length: ${ANSWER.length}\r\nConnection: close\r\n\r\n${ANSWER}`;

/** OpenSSL's names; both kinds of keys each. */
const CIPHERS: Readonly<Record<Offer, string>> = {
  usual: '',
  'ChaCha20 only': 'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305',
  'CBC only': 'ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA',
  'TLS 1.3 only': '',
};
/** Puts together the lines that an offer needs: its ciphers with at most TLS 1.2, or TLS 1.3 alone. */
const lines = (offer: Offer, ciphers: (list: string) => string, tls13: string): string => {
  if (offer === 'usual') return '';
  return offer === 'TLS 1.3 only' ? tls13 : ciphers(CIPHERS[offer]);
};

/** Caddy knows the suites by their IANA names. */
const CADDY_SUITES: Readonly<Partial<Record<Offer, readonly string[]>>> = {
  'ChaCha20 only': ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256'],
  'CBC only': ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA'],
};
const caddy: RealServer = {
  name: 'caddy (Go)',
  command: 'caddy',
  package: 'caddy',
  configure: ({ folder, port, fullChain, key, offer }) => {
    const suites = CADDY_SUITES[offer];
    const policy = {
      ...(suites === undefined ? {} : { protocol_max: 'tls1.2', cipher_suites: suites }),
      ...(offer === 'TLS 1.3 only' ? { protocol_min: 'tls1.3' } : {}),
    };
    const server = {
      listen: [`127.0.0.1:${port}`],
      automatic_https: { disable: true },
      tls_connection_policies: [policy],
      routes: [{ handle: [{ handler: 'static_response', body: ANSWER }] }],
    };
    const config = {
      admin: { disabled: true },
      apps: {
        http: { servers: { main: server } },
        tls: { certificates: { load_files: [{ certificate: fullChain, key }] } },
      },
    };
    return {
      args: ['run', '--config', 'caddy.json'],
      files: { 'caddy.json': JSON.stringify(config) },
      environment: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    };
  },
};

const openssl: RealServer = {
  name: 'openssl s_server',
  command: 'openssl',
  package: 'openssl',
  configure: ({ port, leaf, chain, key, offer }) => ({
    args: [
      ...['s_server', '-quiet', '-HTTP', '-accept', `127.0.0.1:${port}`],
      ...['-cert', leaf, '-cert_chain', chain, '-key', key],
      ...lines(offer, (list) => `-tls1_2 -cipher ${list}`, '-tls1_3')
        .split(' ')
        .filter(Boolean),
    ],
    files: { answer: RESPONSE },
  }),
};

const gnutls: RealServer = {
  name: 'gnutls-serv',
  command: 'gnutls-serv',
  package: 'gnutls-bin',
  configure: ({ port, fullChain, key, offer }) => {
    const cipher = offer === 'CBC only' ? 'AES-128-CBC' : 'CHACHA20-POLY1305';
    const priority = lines(
      offer,
      () => `NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+${cipher}`,
      'NORMAL:-VERS-ALL:+VERS-TLS1.3',
    );
    return {
      args: [
        ...['--quiet', '--http', '--disable-client-cert', '--port', String(port)],
        ...['--x509certfile', fullChain, '--x509keyfile', key],
        ...(priority === '' ? [] : ['--priority', priority]),
      ],
    };
  },
};

/** One for each TLS library: nginx, Apache, HAProxy and stunnel have OpenSSL's. */
export const REAL_SERVERS: readonly RealServer[] = [caddy, openssl, gnutls];

export function isInstalled({ command }: RealServer): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`], { env: withSystemPath() }).status === 0;
}

/** Debian has some servers where only administrators look. */
export function withSystemPath(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
}
