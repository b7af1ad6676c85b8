/** The platforms that the simulator replaces. */
import { instagramDescriptor } from 'credence/adapters/instagram';
import { tiktokDescriptor } from 'credence/adapters/tiktok';
import { youtubeDescriptor } from 'credence/adapters/youtube';
import { createPlatformRegistry } from 'credence/kit';

export const SIMULATED_PLATFORMS = createPlatformRegistry([instagramDescriptor, tiktokDescriptor, youtubeDescriptor]);
