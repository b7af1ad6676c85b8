/** The key that seals secrets at rest: when it is made, and that it fits what is stored. */
import { loadKeyFile } from '../../adapters/key-file/index.ts';
import { openTokens } from '../../core/engagement/brand-connections/brand-connection.ts';
import { SEED_CONTEXT } from '../../core/engagement/campaigns/draw-winners.ts';
import type { Needs } from '../../core/engagement/use-case-parts.ts';
import { WEBHOOK_SECRET_CONTEXT } from '../../core/engagement/webhooks/secret.ts';
import { type RandomSource, systemRandom } from '../../core/ports/random-source.ts';
import type { SecretBox } from '../../core/ports/secret-box.ts';
import { createSecretBox } from '../../core/security/secret-box.ts';
import { ConfigurationError, type ResolvedConfig } from './config.ts';

const KEY_BYTES = 32;

/**
 * Seals under the configured key. A key file is read when it is first needed and made by `seal` only. What is to be opened
 * was sealed by a key that existed.
 */
export function createConfiguredSecretBox(
  secrets: ResolvedConfig['secrets'],
  random: RandomSource = systemRandom,
): SecretBox {
  if ('key' in secrets) return createSecretBox(secrets.key, random);
  let box: SecretBox | undefined;
  const loaded = (mayCreate: boolean): SecretBox => {
    const generate = () => random.bytes(KEY_BYTES);
    box ??= createSecretBox(loadKeyFile({ path: secrets.keyFile, generate, mayCreate }), random);
    return box;
  };
  return {
    seal: (plaintext, context) => loaded(true).seal(plaintext, context),
    open: (sealed, context) => loaded(false).open(sealed, context),
  };
}

export interface CheckSecretsDeps
  extends Needs<'webhooks' | 'brandConnections' | 'campaigns' | 'draws', 'secretBox' | 'logger'> {
  /** The operator knows that the key is another one: warn instead of refusing. */
  readonly replaced: boolean;
}

/**
 * Run by `start()`, with the storage open: the newest stored secret has to open. A lost key would otherwise be noticed by
 * deliveries that fail for good. Where nothing is stored yet the key is made, or found unusable, now.
 * @throws ConfigurationError when the secret does not open, KeyFileError for an unusable key file
 */
export function checkSecrets({ storage, secretBox, logger, replaced }: CheckSecretsDeps): () => Promise<void> {
  const tryKey = () => void secretBox.seal('', WEBHOOK_SECRET_CONTEXT);
  return async () => {
    const [newest] = await storage.webhooks.list({ newest: true });
    const [connection] = await storage.brandConnections.list({ newest: true });
    const seed = newest === undefined && connection === undefined ? await newestSeed(storage) : undefined;
    if (newest === undefined && connection === undefined && seed === undefined) return tryKey();
    try {
      if (seed !== undefined) secretBox.open(seed, SEED_CONTEXT);
      if (newest !== undefined) secretBox.open(newest.sealedSecret, WEBHOOK_SECRET_CONTEXT);
      if (connection !== undefined) openTokens(secretBox, connection);
    } catch (cause) {
      if (!replaced) throw new ConfigurationError(refusal(cause), { cause });
      tryKey();
      logger.warn(
        { webhookId: newest?.id, connectionId: connection?.id },
        'stored secrets cannot be opened: rotate the secret of each webhook, connect accounts of brands again, and create campaigns with draws again',
      );
    }
  };
}

/** Of a draw that has still to take place, of the newest campaign with a draw. One key fits all: asked if nothing else tells. */
async function newestSeed({ campaigns, draws }: CheckSecretsDeps['storage']): Promise<string | undefined> {
  const { items } = await campaigns.list({ page: 1, limit: 100 });
  const [commitment] = items.flatMap(({ terms }) => terms?.draw?.commitment ?? []);
  const kept = commitment === undefined ? null : await draws.find(commitment);
  return kept?.state === 'open' ? kept.sealedSeed : undefined;
}

function refusal(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : 'the reason is unknown';
  return [
    `The secrets of stored webhooks, connections and draws cannot be opened with the configured key: ${reason}`,
    'Put the key back that they were sealed with (SECRETS_KEY_FILE, or `secrets` of createCredence); every process on one',
    'storage needs the same. If it is lost for good, start with SECRETS_KEY_REPLACED=on (`secrets.replaced`) and',
    'rotate the secret of each webhook, connect accounts of brands again, and create campaigns with draws again.',
  ].join('\n');
}
