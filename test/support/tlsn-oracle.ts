/**
 * The official verifier, `tlsn-wasm`, as a test oracle. It trusts only its built-in roots. So that it can judge proofs
 * of our test CA, one of these roots is replaced by ours in the loaded bytes. No file is changed.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { withRoot } from './replaced-root.ts';
import type { IssuedCertificate } from './test-ca.ts';

type OfficialModule = typeof import('tlsn-wasm');
type OfficialOutput = ReturnType<ReturnType<OfficialModule['Presentation']['deserialize']>['verify']>;

export type OracleVerdict =
  | { readonly accepted: true; readonly output: OfficialOutput }
  | { readonly accepted: false; readonly reason: string };

export type Oracle = (presentation: Uint8Array) => Promise<OracleVerdict>;

let instances = 0;

/** @param root from `issueOracleRoot`. */
export function createOracle(root: IssuedCertificate): Oracle {
  const script = createRequire(import.meta.url).resolve('tlsn-wasm/tlsn_wasm.js');
  const program = withRoot(readFileSync(script.replace('.js', '_bg.wasm')), root);
  let loaded: Promise<OfficialModule> | undefined;
  // The package expects a worker's globals.
  Object.assign(globalThis, { self: globalThis, addEventListener: () => {} });

  const load = async () => {
    const module: OfficialModule = await import(`${pathToFileURL(script).href}?instance=${instances++}`);
    module.initSync({ module: program });
    return module;
  };
  return async (presentation) => {
    loaded ??= load();
    const module = await loaded;
    try {
      return { accepted: true, output: module.Presentation.deserialize(presentation).verify() };
    } catch (error) {
      // After a trap the instance is unusable: the next question gets a new one.
      if (error instanceof Error && error.name === 'RuntimeError') loaded = undefined;
      return { accepted: false, reason: error instanceof Error ? error.message : String(error) };
    }
  };
}
