/** What a host passes to `createCredence`: validated once, with defaults. */
import { z } from 'zod';

const url = z.url({ protocol: /^https?$/ });

export const configSchema = z.strictObject({
  storage: z
    .strictObject({
      url: z.string().regex(/^(sqlite:.+|mongodb(\+srv)?:\/\/.+)$/, 'must start with sqlite: or mongodb://'),
    })
    .default({ url: 'sqlite:./data/credence.db' })
    .meta({ description: 'Where everything is kept.' }),
  adminToken: z.string().min(16).max(512).optional().meta({
    description: 'A token with admin rights; without one and without a stored one, start() makes one and returns it.',
  }),
  secrets: z
    .union([z.strictObject({ keyFile: z.string().min(1) }), z.strictObject({ key: z.instanceof(Uint8Array) })])
    .default({ keyFile: './data/secrets.key' })
    .meta({ description: 'The 32-byte key that encrypts secrets at rest, or the file it is kept in.' }),
  services: z.array(z.enum(['engagement', 'web-prover', 'zk-prover', 'notary'])).default(['engagement']),
  publicUrl: url.optional(),
  egress: z
    .strictObject({ allow: z.array(z.string()).default([]), ports: z.array(z.int().min(1).max(65535)).default([]) })
    .prefault({})
    .meta({ description: 'What outbound requests may reach besides public addresses and port 443.' }),
  platforms: z
    .strictObject({
      pacing: z.enum(['safe', 'off']).default('safe'),
      proxyUrl: url.optional(),
      instagram: z
        .strictObject({
          baseUrl: url.default('https://www.instagram.com'),
          sessionIds: z.array(z.string()).default([]),
        })
        .prefault({}),
      tiktok: z.strictObject({ baseUrl: url.default('https://www.tiktok.com') }).prefault({}),
    })
    .prefault({}),
  jobs: z
    .strictObject({
      leaseSeconds: z.int().min(1).max(3600).default(60),
      run: z.boolean().default(true).meta({ description: 'false: this process serves requests and runs no jobs.' }),
    })
    .prefault({}),
  webhooks: z
    .strictObject({ retryScale: z.number().min(0.0001).max(1).default(1) })
    .prefault({})
    .meta({ description: 'Scales the delays between retries; below 1 for tests and demos.' }),
});

/** The configuration as a host writes it; every part is optional. */
export type CredenceConfig = z.input<typeof configSchema>;

export type ResolvedConfig = z.output<typeof configSchema>;

/**
 * Validates a configuration and fills its defaults in.
 * @throws Error naming every unusable field
 */
export function resolveConfig(config: CredenceConfig): ResolvedConfig {
  const result = configSchema.safeParse(config);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.') || '(config)'}: ${issue.message}`);
  throw new Error(`The Credence configuration is not usable:\n${lines.join('\n')}`);
}
