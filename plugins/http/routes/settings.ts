/** The settings of the instance, for those who operate it. */
import { z } from 'zod';
import { defineRoute, reply } from '../route.ts';
import { dataOf } from '../schemas.ts';

const setting = z
  .object({
    field: z.string().meta({ description: 'The field of the configuration, for example `jobs.queue`.' }),
    isSet: z.boolean().meta({ description: 'Whether it has a value, by default or by the configuration.' }),
    isSecret: z.boolean(),
    value: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
      .nullable()
      .meta({
        description:
          'null for secrets and for code. URLs are without credentials and query, and those of other services without path. Trusted notaries are names and fingerprints; of other lists of objects it is how many there are.',
      }),
  })
  .meta({ id: 'Setting' });

/** One setting, without its secret. */
export type Setting = Readonly<z.output<typeof setting>>;

export function createSettingsRoutes(settings: readonly Setting[]) {
  return [
    defineRoute('listSettings', 'GET /admin/settings', {
      tag: 'Service',
      summary: 'The settings of the instance',
      description: 'Read only, without secrets. They are those of the process that answers.',
      access: 'admin',
      brand: 'none',
      responses: { 200: { description: 'All settings.', schema: dataOf(z.array(setting)) } },
      handle: async () => reply(200, { data: settings }),
    }),
  ];
}
