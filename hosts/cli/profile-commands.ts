/** `credence profile`: stored addresses and tokens of instances. */
import type { Command } from 'commander';
import { format } from './output.ts';
import { isTargetUrl, readProfiles, writeProfiles } from './profiles.ts';
import { UsageError } from './usage-error.ts';

export function addProfileCommands(program: Command, file: string, print: (text: string) => void): void {
  const tell = (command: Command, text: string, outcome: object): void => {
    print(command.optsWithGlobals<{ json?: boolean }>().json ? format(outcome, 'json') : text);
  };
  const profile = program.command('profile').description('stores addresses and tokens of instances');

  profile
    .command('add')
    .description('stores --url and --token under a name and uses them from now on')
    .argument('<name>')
    .action(async (name: string, _: unknown, command: Command) => {
      const { url, token } = command.optsWithGlobals<{ url?: string; token?: string }>();
      if (url === undefined || token === undefined) throw new UsageError('Give --url and --token.');
      if (!isTargetUrl(url)) {
        throw new UsageError(
          `${JSON.stringify(url)} is not an http or https URL. Give one like https://credence.example.`,
        );
      }
      // What every object inherits is no name that a file of JSON keeps.
      if (name in {}) throw new UsageError(`${name} is no name for a profile. Choose another one.`);
      const { profiles } = await readProfiles(file);
      await writeProfiles(file, { inUse: name, profiles: new Map(profiles).set(name, { url, token }) });
      tell(command, `${name} is stored and in use.`, { name, url, inUse: true });
    });

  profile
    .command('use')
    .description('uses a stored profile from now on')
    .argument('<name>')
    .action(async (name: string, _: unknown, command: Command) => {
      const { profiles } = await readProfiles(file);
      const used = profiles.get(name);
      if (used === undefined) throw new UsageError(`There is no profile ${name}. Add it first.`);
      await writeProfiles(file, { inUse: name, profiles });
      tell(command, `${name} is in use.`, { name, url: used.url, inUse: true });
    });

  profile
    .command('list')
    .description('lists the stored profiles, without their tokens')
    .action(async (_: unknown, command: Command) => {
      const { profiles, inUse } = await readProfiles(file);
      const rows = [...profiles].map(([name, { url }]) => ({ name, url, inUse: name === inUse }));
      print(format(rows, command.optsWithGlobals<{ json?: boolean }>().json ? 'json' : 'text'));
    });

  profile
    .command('remove')
    .description('forgets a profile')
    .argument('<name>')
    .action(async (name: string, _: unknown, command: Command) => {
      const { profiles, inUse } = await readProfiles(file);
      const rest = new Map(profiles);
      if (!rest.delete(name)) throw new UsageError(`There is no profile ${name}.`);
      await writeProfiles(file, { inUse: inUse === name ? null : inUse, profiles: rest });
      tell(command, `${name} is removed.`, { name });
    });
}
