/** The notary host's configuration: environment variables, validated at boot, listed by `--help`. */

import { z } from 'zod';
import { plainIssue } from '../../core/plain-issue.ts';
import { bearerToken } from '../../core/security/bearer-token.ts';
import { cidr, EnvironmentError, integer, list, listenHost } from '../standalone/environment-values.ts';

/** One entry a variable, with the text and the default that `--help` shows. */
const variables = {
  PORT: {
    schema: integer.pipe(z.int().min(0).max(65_535)),
    fallback: '7047',
    description: 'Port to listen on; 0 takes any free one.',
  },
  HOST: { schema: listenHost, fallback: '127.0.0.1', description: 'Address to listen on; put TLS in front of it.' },
  NOTARY_URL: {
    schema: z.url({ protocol: /^https?$/ }),
    fallback: 'http://127.0.0.1:7047',
    description: 'Address that clients use, written into proofs.',
  },
  NOTARY_KEY_FILE: {
    schema: z.string(),
    fallback: './data/notary.key',
    description: 'The signing key; created with mode 0600 on the first start.',
  },
  NOTARY_TOKENS: {
    schema: list.pipe(z.array(bearerToken).min(1, 'must be set: at least one token that is let in')),
    fallback: '',
    description: 'Bearer tokens that are let in, at least 16 characters each; comma separated. Required.',
  },
  NOTARY_CONCURRENCY: {
    schema: integer.pipe(z.int().min(1).max(1_000)),
    fallback: '32',
    description: 'Requests notarized at one time.',
  },
  NOTARY_TIMEOUT_SECONDS: {
    schema: integer.pipe(z.int().min(1).max(300)),
    fallback: '30',
    description: 'Time that one request may take.',
  },
  MPC_SESSIONS: {
    schema: z.union([z.literal('').transform(() => undefined), integer.pipe(z.int().min(0).max(256))]),
    fallback: '',
    description: 'Blind sessions (MPC-TLS) at one time; 0 offers none. [one for two processors]',
  },
  MPC_READY_SESSIONS: {
    schema: integer.pipe(z.int().min(0).max(64)),
    fallback: '1',
    description: 'Engine processes that are started before a blind session needs them.',
  },
  MPC_READY_SECONDS: {
    schema: integer.pipe(z.int().min(0).max(3_600)),
    fallback: '300',
    description: 'How long a session that a prover has set up ahead may wait for its request; 0 allows none.',
  },
  MPC_MAX_SENT_DATA: {
    schema: integer.pipe(z.int().min(64).max(16_384)),
    fallback: '1024',
    description: 'Most bytes of the request of a blind session.',
  },
  MPC_MAX_RECV_DATA: {
    schema: integer.pipe(z.int().min(64).max(32_768)),
    fallback: '4096',
    description: 'Most bytes of the answer in a blind session; more takes more memory and time.',
  },
  MPC_MEMORY_MIB: {
    schema: integer.pipe(z.int().min(512).max(4_096)),
    fallback: '1024',
    description: 'Most memory of the process of one blind session; 1 KB takes 450 MiB, 4 KB takes 500 MiB.',
  },
  TLSN_PROVERS: {
    schema: z.enum(['token', 'anyone', 'off']),
    fallback: 'token',
    description: 'Who may open sessions for stock provers of TLSNotary: token (of NOTARY_TOKENS), anyone, or off.',
  },
  EGRESS_ALLOW: {
    schema: list.pipe(z.array(cidr)),
    fallback: '',
    description: 'CIDRs that may be reached besides public addresses.',
  },
  EGRESS_PORTS: {
    schema: list.pipe(z.array(integer.pipe(z.int().min(1).max(65_535)))),
    fallback: '',
    description: 'Ports besides 443 that may be reached; comma separated.',
  },
  TLS_EXTRA_CA_FILE: { schema: z.string(), fallback: '', description: "PEM roots trusted besides Node's own." },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    fallback: 'info',
    description: 'Least severe level that is logged.',
  },
} as const;

/** The settings of this host. */
export const notaryVariableNames: readonly string[] = Object.keys(variables);

type Variables = typeof variables;
export type NotaryEnvironment = { [Name in keyof Variables]: z.output<Variables[Name]['schema']> };

const environmentSchema = z.object({
  PORT: variables.PORT.schema,
  HOST: variables.HOST.schema,
  NOTARY_URL: variables.NOTARY_URL.schema,
  NOTARY_KEY_FILE: variables.NOTARY_KEY_FILE.schema,
  NOTARY_TOKENS: variables.NOTARY_TOKENS.schema,
  NOTARY_CONCURRENCY: variables.NOTARY_CONCURRENCY.schema,
  NOTARY_TIMEOUT_SECONDS: variables.NOTARY_TIMEOUT_SECONDS.schema,
  MPC_SESSIONS: variables.MPC_SESSIONS.schema,
  MPC_READY_SESSIONS: variables.MPC_READY_SESSIONS.schema,
  MPC_READY_SECONDS: variables.MPC_READY_SECONDS.schema,
  MPC_MAX_SENT_DATA: variables.MPC_MAX_SENT_DATA.schema,
  MPC_MAX_RECV_DATA: variables.MPC_MAX_RECV_DATA.schema,
  MPC_MEMORY_MIB: variables.MPC_MEMORY_MIB.schema,
  TLSN_PROVERS: variables.TLSN_PROVERS.schema,
  EGRESS_ALLOW: variables.EGRESS_ALLOW.schema,
  EGRESS_PORTS: variables.EGRESS_PORTS.schema,
  TLS_EXTRA_CA_FILE: variables.TLS_EXTRA_CA_FILE.schema,
  LOG_LEVEL: variables.LOG_LEVEL.schema,
});

/** Reads the environment; an empty variable counts as unset. @throws EnvironmentError */
export function readNotaryEnvironment(env: Readonly<Record<string, string | undefined>>): NotaryEnvironment {
  const given = Object.entries(variables).map(([name, { fallback }]) => [name, env[name] || fallback]);
  const result = environmentSchema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${String(issue.path[0])}: ${plainIssue(issue)}`);
  throw new EnvironmentError(`The configuration is not usable:\n${lines.join('\n')}`);
}

/** What `--help` prints of the variables. */
export function describeNotaryEnvironment(): string {
  const width = Math.max(...Object.keys(variables).map((name) => name.length));
  return Object.entries(variables)
    .map(
      ([name, { description, fallback }]) =>
        `  ${name.padEnd(width)}  ${description}${fallback ? ` [${fallback}]` : ''}`,
    )
    .join('\n');
}
