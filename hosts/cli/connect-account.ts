/** `credence brand-connections connect`: begins a connection, and completes it with the address that the browser ends at. */
import type { Command } from 'commander';
import { groupOf } from './operations.ts';
import { dataOf } from './output.ts';
import { callFor, type Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

interface ConnectOptions {
  readonly platform: string;
  readonly redirectUri: string;
  readonly json?: boolean;
}

/** Adds `connect` to the group `brand-connections`. */
export function addConnectCommand(program: Command, around: Surroundings): void {
  groupOf(program, 'brand-connections')
    .command('connect')
    .description('connects an account of a brand: prints the page to open, and asks for the address that it leads to')
    .argument('<brand-id>')
    .requiredOption('--platform <name>', 'the platform of the account')
    .requiredOption('--redirect-uri <url>', 'one of the `redirectUris` of the configuration')
    .addHelpText(
      'after',
      '\nExample:\n  credence brand-connections connect 1 --platform instagram --redirect-uri https://app.example.com/connected',
    )
    .action(async (brandId: string, _: unknown, command: Command) => {
      const { platform, redirectUri, json } = command.optsWithGlobals<ConnectOptions>();
      const { ask } = around;
      if (ask === undefined) throw new UsageError('This asks for an address: run it in a terminal.');
      const request = (name: string, body: object) =>
        callFor(around, command, ['brandConnections', name], { path: { brandId }, body: { ...body } });
      const begun = dataOf(await request('start', { platform, redirectUri })) as {
        readonly authorizationUrl: string;
        readonly state: string;
      };
      around.printError(`Open this page as the owner of the account, within 10 minutes:\n${begun.authorizationUrl}`);
      const code = codeIn(await ask('Paste the address that it leads to: '), begun.state);
      const answer = (await request('complete', { state: begun.state, code })) as { readonly warning?: string };
      const connection = dataOf(answer) as { readonly id: number; readonly platform: string; readonly handle: string };
      if (json === true) return around.print(JSON.stringify(answer));
      around.print(`Connection ${connection.id}: ${connection.handle} on ${connection.platform}.`);
      if (answer.warning !== undefined) around.printError(answer.warning);
    });
}

/** @throws UsageError for an address without a code, or of another connection */
function codeIn(address: string, state: string): string {
  const query = URL.parse(address.trim())?.searchParams;
  const code = query?.get('code');
  if (!query || !code) {
    throw new UsageError(
      `The address has no code${query?.has('error') ? ': the owner did not agree' : ''}. Run it again.`,
    );
  }
  if (query.get('state') !== state) throw new UsageError('The address belongs to another connection. Run it again.');
  return code;
}
