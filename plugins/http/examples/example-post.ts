/** The post and the platform of all examples in the document. */
export const EXAMPLE_PLATFORM = 'instagram';
export const EXAMPLE_POST_URL = 'https://www.instagram.com/p/C8xample123/';
