/** The settings of an instance as its operators may see them: without secrets. */
import type { TrustedNotary } from '../../core/web-proof/trusted-notaries.ts';
import type { Setting } from '../http/routes/settings.ts';
import type { ResolvedConfig } from './config.ts';
import { configFields, type Shown, valueAt } from './config-fields.ts';
import { configSchema } from './config-schema.ts';

/** A logo may be a long data URL. */
const MOST_CHARACTERS = 200;

/** All settings, in the order of the configuration. */
export function settingsOf(config: ResolvedConfig): readonly Setting[] {
  return configFields(configSchema).map(({ path, shown }) => {
    const value = valueAt(config, path);
    const isSet = value !== undefined && value !== null;
    return { field: path, isSet, isSecret: shown === 'secret', value: isSet ? shownValue(value, shown) : null };
  });
}

function shownValue(value: unknown, shown: Shown): Setting['value'] {
  switch (shown) {
    case 'plain':
      if (Array.isArray(value)) return value.map(String);
      return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
    case 'url':
      return withoutSecrets(String(value)).slice(0, MOST_CHARACTERS);
    case 'endpoint':
      return withoutPath(withoutSecrets(String(value))).slice(0, MOST_CHARACTERS);
    case 'notaries':
      return (value as readonly TrustedNotary[]).map(({ name, fingerprint }) =>
        name === undefined ? fingerprint : `${name}: ${fingerprint}`,
      );
    default:
      return shown === 'count' && Array.isArray(value) ? value.length : null;
  }
}

/** Everything up to the last `@` may be a password, and every query a key. */
function withoutSecrets(url: string): string {
  return url.replace(/^([a-z+]+:\/\/).*@/is, '$1…@').replace(/[?#].*$/s, '?…');
}

/** Some services take their key in the path. */
function withoutPath(url: string): string {
  return url.replace(/^([a-z+]+:\/\/[^/?]*)\/[^?].*$/is, '$1/…');
}
