/** The simulated Instagram: pages, GraphQL and REST over a world. */
import { json, type PlatformSite } from '../site.ts';
import type { World } from '../world.ts';

export function createInstagramSite(world: World): PlatformSite {
  return () => {
    world.logRequest({ platform: 'instagram', endpoint: 'other' });
    return json({ message: 'Not found', status: 'fail' }, 404);
  };
}
