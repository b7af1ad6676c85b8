/** The environment variables of the standalone host: its own, and those of the library's fields. */
import { z } from 'zod';
import { officialTikTokOptionsSchema } from '../../adapters/tiktok/official/options.ts';
import { youtubeOptionsSchema } from '../../adapters/youtube/options.ts';
import { bareSchema, configFields } from '../../plugins/compose/config-fields.ts';
import { configSchema } from '../../plugins/compose/config-schema.ts';
import { decimal, integer, list, listenHost, switchValue } from './environment-values.ts';

/** The rest of what an official API is told is in CONFIG_FILE. */
const appSecretOf = (platform: string, label: string) =>
  officialTikTokOptionsSchema.shape.appSecret.optional().meta({
    field: `platforms.${platform}.official.appSecret`,
    isAsIs: true,
    description: `Secret of the app for accounts of ${label}; its other options are in CONFIG_FILE.`,
  });

const proxy = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(['loopback', 'linklocal', 'uniquelocal'])],
  'must be addresses or CIDRs',
);

/** What this host sets otherwise than the library. */
export const HOST_DEFAULTS = { services: ['engagement', 'web-prover', 'zk-prover'] } as const;

/** What is in `DATA_DIR` while a variable is unset. */
export const DATA_FILES: Readonly<Record<string, string>> = {
  STORAGE_URL: 'credence.db',
  SECRETS_KEY_FILE: 'secrets.key',
  NOTARY_KEY_FILE: 'notary.key',
};

/** About this host alone; `field` is the field that a variable sets in a way of its own. */
const ownVariables = {
  PORT: integer
    .pipe(z.int().max(65_535))
    .default(3_000)
    .meta({ description: 'Port to listen on; 0 takes any free one.' }),
  HOST: listenHost.default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  DATA_DIR: z.string().min(1).default('./data').meta({ description: 'Directory for the database and the key files.' }),
  CONFIG_FILE: z.string().min(1).optional().meta({
    description: 'JSON file with fields that have no variable, as createCredence takes them; variables win.',
  }),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').meta({
    description: 'Least severe level that is logged.',
  }),
  TRUST_PROXY: list.pipe(z.array(proxy)).optional().meta({
    description: 'Addresses or CIDRs of proxies whose X-Forwarded-For is believed; comma separated, none by default.',
  }),
  CONSOLE: switchValue.default(true).meta({ description: 'off: do not serve the console at /console.' }),
  YOUTUBE_API_KEY: youtubeOptionsSchema.shape.apiKey.optional().meta({
    description: 'Key of the YouTube Data API v3; registers YouTube, which is unknown without it.',
  }),
  INSTAGRAM_APP_SECRET: appSecretOf('instagram', 'Instagram'),
  TIKTOK_APP_SECRET: appSecretOf('tiktok', 'TikTok'),
  TLS_EXTRA_CA_FILE: z.string().min(1).optional().meta({ field: 'extraRoots' }),
  REMOTE_NOTARIES_FILE: z.string().min(1).optional().meta({
    field: 'remoteNotaries',
    description:
      'JSON list of notaries run by others, with url, token and fingerprint of each, and mode for blind ones.',
  }),
  MPC_SESSIONS: integer.pipe(z.int().max(256)).default(0).meta({
    field: 'notary.sessions.concurrency',
    description: 'Blind sessions (MPC-TLS) of the service notary at one time; 0 offers none.',
  }),
  ZK_PROVER: z.string().optional().meta({
    field: 'zk.prover',
    description: 'Which prover compresses proofs: groth16 by default, http or fake.',
  }),
  ZK_ARTIFACTS_DIR: z.string().min(1).optional().meta({
    field: 'zk.artifacts',
    description: 'Proving key and verifying key of your own ceremony; the bundled development key when unset.',
  }),
} as const;

type OwnVariables = { readonly [N in keyof typeof ownVariables]: z.output<(typeof ownVariables)[N]> };

/** The values of the variables; those of fields are undefined when they are unset. */
export type Environment = OwnVariables & Readonly<Record<string, unknown>>;

export interface Variable {
  /** Checks the text, and makes what it stands for. */
  readonly schema: z.ZodType;
  /** The field of the library's configuration that it sets. */
  readonly field: string | undefined;
  readonly description: string;
  readonly fallback: unknown;
  /** False: it sets the field as it is. */
  readonly isOwn: boolean;
}

/** Every variable; the order is the order of `--help`. */
export const variables: ReadonlyMap<string, Variable> = new Map([...ownOnes(), ...ofFields()]);

function ownOnes(): readonly (readonly [string, Variable])[] {
  return Object.entries(ownVariables).map(([name, schema]) => {
    const about = { ...z.globalRegistry.get(schema) } as { field?: string; isAsIs?: boolean; description?: string };
    const { field, isAsIs = false, description = '' } = about;
    const described = configFields(configSchema).find(({ path }) => path === field)?.description ?? '';
    return [
      name,
      { schema, field, description: description || described, fallback: defaultOf(schema), isOwn: !isAsIs },
    ];
  });
}

function ofFields(): readonly (readonly [string, Variable])[] {
  return configFields(configSchema).flatMap(({ path, schema, variable, description }) => {
    if (variable === undefined || variable in ownVariables) return [];
    const fallback = path === 'services' ? HOST_DEFAULTS.services : defaultOf(schema);
    const text = [
      description.replace(/\.$/, ''),
      ...(bareSchema(schema) instanceof z.ZodArray ? ['comma separated'] : []),
      ...(variable in DATA_FILES ? [`${DATA_FILES[variable]} in $DATA_DIR when unset`] : []),
    ].join('; ');
    return [
      [variable, { schema: ofText(schema as z.ZodType), field: path, description: `${text}.`, fallback, isOwn: false }],
    ];
  });
}

/** The schema of a field for text: lists are separated by commas, and switches are on or off. */
function ofText(schema: z.ZodType): z.ZodType {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodBoolean) return switchValue;
  if (bare instanceof z.ZodNumberFormat) return integer.pipe(schema as z.ZodType<unknown, number>);
  if (bare instanceof z.ZodNumber) return decimal.pipe(schema as z.ZodType<unknown, number>);
  if (bare instanceof z.ZodArray) {
    const entries = z.array(ofText(bare.element as z.ZodType));
    return list.pipe(entries as z.ZodType<unknown, string[]>).pipe(schema);
  }
  if (bare instanceof z.ZodUnion) {
    const numberOrWord = (text: string) => (/^[0-9]+$/.test(text) ? Number(text) : text);
    return z
      .string()
      .transform(numberOrWord)
      .pipe(schema as z.ZodType<unknown, string | number>);
  }
  return schema;
}

function defaultOf(schema: z.core.$ZodType): unknown {
  const { defaultValue } = schema._zod.def as { defaultValue?: unknown };
  return defaultValue;
}
