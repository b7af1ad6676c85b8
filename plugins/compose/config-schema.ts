/**
 * Every option of `createCredence`, once: its type, its checks, its default, what it means, the environment variable that sets it
 * in the standalone host, and how operators see it. The types, the reference, `--help` and the list of settings are made of these
 * entries.
 * A field that ends in an adapter has that adapter's own schema, so that no adapter refuses later what was taken here.
 */
import { z } from 'zod';
import { egressGuardOptions } from '../../adapters/egress-guard/index.ts';
import { httpNotaryOptions } from '../../adapters/http-notary/options.ts';
import { embeddedNotary } from '../../adapters/local-notary/options.ts';
import { redisPrefix, redisUrl } from '../../adapters/redis-rate-limiter/options.ts';
import { trustedNotariesFile } from '../../adapters/trusted-notaries-file/index.ts';
import { pemRoots } from '../../adapters/x509/pem.ts';
import { bearerToken } from '../../core/security/bearer-token.ts';
import { secretBoxKey } from '../../core/security/secret-box.ts';
import { trustedNotariesSchema } from '../../core/web-proof/trusted-notaries.ts';
import { connectBrand } from '../http/pages/connect/brand.ts';
import { platforms } from './config-platforms.ts';
import { callbackSecret, keptDays, origin, path, scale, storageUrl } from './config-values.ts';
import { publicUrl } from './public-url.ts';

const egress = egressGuardOptions.shape;

/** One is left for the embedded notary. */
const MAX_TRUSTED_NOTARIES = 9_999;

const MAX_REMOTE_NOTARIES = 100;

/** Each is read in every interval, at the expense of the rate of its platform. */
const MAX_CANARIES = 100;

const replaced = z.boolean().default(false).meta({
  variable: 'SECRETS_KEY_REPLACED',
  description:
    'on: start though stored webhook secrets cannot be opened with the key; rotate the secrets of their webhooks.',
});

const secrets = z
  .union(
    [
      z.strictObject({
        keyFile: path.meta({
          variable: 'SECRETS_KEY_FILE',
          shown: 'plain',
          description: 'File of the key that encrypts secrets at rest, created with mode 0600.',
        }),
        replaced,
      }),
      z.strictObject({
        key: secretBoxKey.meta({
          type: 'Uint8Array<ArrayBuffer>',
          description: 'The 32-byte key itself, instead of a file.',
        }),
        replaced,
      }),
    ],
    'must be { keyFile: "./data/secrets.key" }, or { key } with the 32 bytes of the key as a Uint8Array',
  )
  .meta({
    typeName: 'SecretsOptions',
    description: 'The key that encrypts secrets at rest, or its file. Back it up together with the storage.',
  })
  .prefault({ keyFile: './data/secrets.key' });

export const configSchema = z.strictObject({
  storage: z
    .strictObject({
      url: storageUrl.meta({
        variable: 'STORAGE_URL',
        shown: 'url',
        description: 'sqlite:PATH, postgres://… or mongodb://….',
      }),
    })
    .meta({ typeName: 'StorageUrl', orType: 'string | Storage', description: 'A storage by its URL alone.' })
    .default({ url: 'sqlite:./data/credence.db' })
    .meta({
      description: `Where everything is kept: an adapter (\`sqlite({ path })\`, \`postgres({ pool })\`, \`mongodb({ url })\`, or your own
\`Storage\`), or a URL: \`sqlite:PATH\`, \`postgres://…\`, \`mongodb://…\`, \`mongodb+srv://…\`.
@example
\`\`\`ts
import { createCredence } from 'credence';
import { mongodb } from 'credence/adapters/mongodb';

createCredence({ storage: mongodb({ url: 'mongodb://127.0.0.1/credence', maxPoolSize: 200 }) });
\`\`\``,
    }),
  adminToken: bearerToken.optional().meta({
    variable: 'ADMIN_TOKEN',
    description: 'Token with admin rights; unset on the first start: one is generated and shown once.',
  }),
  secrets,
  services: z
    .array(z.enum(['engagement', 'web-prover', 'zk-prover', 'notary']))
    .default(['engagement'])
    .meta({
      variable: 'SERVICES',
      description: 'What to serve: engagement, web-prover, zk-prover, notary.',
    }),
  publicUrl: publicUrl.optional().meta({
    variable: 'PUBLIC_URL',
    shown: 'url',
    description:
      'URL under which clients reach this instance, with the path of its mount, for links and documents. What the request was sent to when unset.',
  }),
  egress: z
    .strictObject({
      allow: egress.allow.meta({
        variable: 'EGRESS_ALLOW',
        shown: 'plain',
        description: 'CIDRs that outbound requests may reach besides public addresses.',
      }),
      ports: egress.ports.meta({
        variable: 'EGRESS_PORTS',
        description: 'Ports besides 443 that may be proven.',
      }),
    })
    .meta({
      typeName: 'EgressOptions',
      description: 'What outbound requests to URLs of your users may reach besides public addresses and port 443.',
    })
    .prefault({}),
  platforms,
  redisUrl: redisUrl.optional().meta({
    variable: 'REDIS_URL',
    shown: 'url',
    description: 'Shares request limits and the rate limits of platforms between processes; unset: each keeps its own.',
  }),
  redisPrefix: redisPrefix.meta({
    shown: 'plain',
    description: 'In front of every key in Redis; deployments that share a Redis need one each.',
  }),
  jobs: z
    .strictObject({
      leaseSeconds: z.int().min(1).max(3600).default(60).meta({
        variable: 'JOB_LEASE_SECONDS',
        description: 'After how long a job of a dead process is taken up again.',
      }),
      run: z.boolean().default(true).meta({
        variable: 'RUN_JOBS',
        description: 'off: this process serves requests only and runs no jobs.',
      }),
      queue: z.enum(['leased', 'bullmq']).default('leased').meta({
        orType: 'JobQueueAdapter',
        variable: 'JOB_QUEUE',
        description: 'Where jobs wait: leased keeps them in the storage, bullmq in Redis with a copy in the storage.',
      }),
    })
    .meta({
      typeName: 'JobsOptions',
      orType: 'JobQueueAdapter',
      description:
        'How durable work is run: options, or a queue as a value (`leased({ … })`, `bullmq({ … })`, your own).',
    })
    .prefault({}),
  notary: embeddedNotary
    .meta({ typeName: 'NotaryOptions', orType: 'NotaryAdapter', description: 'The embedded notary.' })
    .prefault({})
    .meta({
      description: `The notary that proves if a request names none: the embedded one by its options (\`localNotary({ … })\` is the same), or
another one as a value. With a value, this host needs no key of its own, except to seal proofs (\`zk-prover\`).
@example
\`\`\`ts
import { createCredence } from 'credence';
import { httpNotary } from 'credence/adapters/http-notary';

const notary = httpNotary({ url: 'https://notary.example', token: 'secret', fingerprint: 'ab'.repeat(32) });
createCredence({ services: ['web-prover'], notary });
\`\`\``,
    }),
  remoteNotaries: z
    .array(
      z.strictObject(httpNotaryOptions.pick({ url: true, token: true, fingerprint: true }).shape).meta({
        typeName: 'RemoteNotaryOptions',
        orType: 'NotaryAdapter',
        description: 'A notary that somebody else runs.',
      }),
    )
    .max(MAX_REMOTE_NOTARIES)
    .default([])
    .meta({
      shown: 'count',
      description: 'Notaries run by others that callers may choose: url, token and fingerprint of each.',
    }),
  trustedNotaries: trustedNotariesSchema
    .max(MAX_TRUSTED_NOTARIES)
    .default([])
    .meta({ shown: 'notaries', description: "Trusted keys besides the embedded notary's own." }),
  trustedNotariesFile: trustedNotariesFile.optional().meta({
    variable: 'TRUSTED_NOTARIES_FILE',
    shown: 'plain',
    description: 'JSON list of trusted notary keys with their validity; read again when it changes.',
  }),
  extraRoots: z.array(pemRoots).default([]).meta({
    variable: 'TLS_EXTRA_CA_FILE',
    shown: 'count',
    description: "PEM roots trusted besides Node's own when proving and verifying.",
  }),
  webProofCallback: z
    .strictObject({
      secret: callbackSecret.optional().meta({
        variable: 'WEB_PROOF_CALLBACK_SECRET',
        description:
          'whsec_ and base64: the secret that signs calls of /web-proofs/callback; without one they are refused.',
      }),
    })
    .meta({
      typeName: 'WebProofCallbackOptions',
      description: 'The callback by which a web proof of a profile links an account.',
    })
    .prefault({}),
  connect: z
    .strictObject({
      returnOrigins: z.array(origin).max(100).default([]).meta({
        variable: 'CONNECT_RETURN_ORIGINS',
        shown: 'plain',
        description: 'Origins to which the connect page may lead back, and no others.',
      }),
      brand: connectBrand.optional(),
    })
    .meta({ typeName: 'ConnectOptions', description: 'The page on which creators connect their accounts.' })
    .prefault({}),
  retention: z
    .strictObject({
      days: keptDays(3_650).default(90).meta({
        variable: 'RETENTION_DAYS',
        description:
          'How long finished deliveries, dead-lettered jobs, old metrics and likers, usage and expired requests stay; off: forever.',
      }),
      auditDays: keptDays(36_500).default(365).meta({
        description: 'How long entries of the audit log stay; off: forever.',
      }),
    })
    .meta({ typeName: 'RetentionOptions', description: 'How long finished work is kept, in days.' })
    .prefault({}),
  canaries: z
    .strictObject({
      targets: z
        .array(z.string().min(1).max(2_048))
        .max(MAX_CANARIES)
        .default([])
        .transform((targets) => [...new Set(targets)])
        .meta({
          variable: 'PLATFORM_CANARIES',
          shown: 'plain',
          description: 'Posts (URL) and profiles (PLATFORM:HANDLE) that are read on a schedule to notice drift.',
        }),
    })
    .meta({
      typeName: 'CanariesOptions',
      description:
        'The drift monitor: a canary that lacks a field it had before, or cannot be read, is announced as `platform.drifted`.',
    })
    .prefault({}),
  delayScale: scale.meta({
    variable: 'DELAY_SCALE',
    description:
      'Scales the delays between webhook retries, checks of an undecided claim and readings of a canary; below 1 for tests and demos.',
  }),
});
