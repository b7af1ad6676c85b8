/** The platforms that the simulator replaces. */
import { instagramDescriptor } from '../../adapters/instagram/index.ts';
import { tiktokDescriptor } from '../../adapters/tiktok/index.ts';
import { youtubeDescriptor } from '../../adapters/youtube/index.ts';
import { createPlatformRegistry } from '../../core/platforms/registry.ts';

export const SIMULATED_PLATFORMS = createPlatformRegistry([instagramDescriptor, tiktokDescriptor, youtubeDescriptor]);
